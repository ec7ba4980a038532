import workerText from "./layout.worker.ts?worker-text";
import { IN_PAGE, type LayoutReply, type LayoutRequest, type Serve } from "./messages";

export interface LayoutOptions {
  readonly timeout_ms?: number;
  readonly signal?: AbortSignal | undefined;
}

interface Job extends LayoutRequest {
  readonly timeout_ms: number;
  readonly signal: AbortSignal | undefined;
  /** When it was handed to the worker. */
  began: number;
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

/** The layout failed; the message can be shown. */
export class LayoutError extends Error {
  override readonly name = "LayoutError";
}

const TIMEOUT_MS = 15_000;
/** A worker that has not said that it runs by then never will. */
const START_MS = 10_000;
/** What is cancelled earlier may end: another worker would not be there sooner. */
const GRACE_MS = 300;

/** One worker and one request in it at a time: what has to be stopped is stopped by ending the worker. */
export class LayoutEngine {
  #worker: Worker | undefined;
  #ready = false;
  #inPage: Promise<Serve> | undefined;
  #queue: Job[] = [];
  #current: Job | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #next = 1;

  /** Starts the worker before there is something to lay out. */
  start(): void {
    if (this.#inPage) return;
    try {
      this.#worker ??= this.#startWorker();
    } catch {
      this.#moveIntoPage();
    }
  }

  layout(dot: string, { timeout_ms = TIMEOUT_MS, signal }: LayoutOptions = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(new LayoutError("the layout was cancelled"));
        return;
      }
      const id = this.#next++;
      const job: Job = { id, dot, timeout_ms, signal, began: 0, resolve, reject };
      signal?.addEventListener("abort", () => this.#cancel(job), { once: true });
      this.#queue.push(job);
      this.#pump();
    });
  }

  dispose(): void {
    this.#endWorker();
    const open = this.#current ? [this.#current, ...this.#queue] : this.#queue;
    this.#current = undefined;
    this.#queue = [];
    for (const job of open) job.reject(new LayoutError("the layout was cancelled"));
  }

  /** One signal may end many jobs: those that wait go first, so that no worker is started for them. */
  #cancel(job: Job): void {
    const error = new LayoutError("the layout was cancelled");
    const dropped = this.#queue.filter(({ signal }) => signal?.aborted);
    this.#queue = this.#queue.filter(({ signal }) => !signal?.aborted);
    for (const { reject } of dropped) reject(error);
    if (this.#current !== job) return;
    job.reject(error);
    // A worker that is still starting has not begun with it.
    if (this.#ready) this.#endAfter(job.began + GRACE_MS - performance.now());
  }

  /** Nobody waits for what runs: it may come to its end in this time. */
  #endAfter(ms: number): void {
    clearTimeout(this.#timer);
    const end = () => this.#restart(new LayoutError("the layout was cancelled"));
    this.#timer = setTimeout(end, Math.max(0, ms));
  }

  #pump(): void {
    if (this.#current) return;
    this.#current = this.#queue.shift();
    if (this.#current) this.#serve(this.#current);
  }

  #serve(job: Job): void {
    job.began = performance.now();
    if (this.#inPage) {
      void this.#serveInPage(job);
      return;
    }
    this.start();
    if (!this.#worker) return;
    this.#watch(job);
    this.#worker.postMessage({ id: job.id, dot: job.dot } satisfies LayoutRequest);
  }

  #watch(job: Job): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        if (!this.#ready) this.#moveIntoPage();
        else this.#restart(new LayoutError(`it took more than ${job.timeout_ms / 1000} s`));
      },
      this.#ready ? job.timeout_ms : Math.max(START_MS, job.timeout_ms),
    );
  }

  #startWorker(): Worker {
    const url = workerUrl();
    const worker = new Worker(url, { name: "onnx-explorer-layout" });
    this.#ready = false;
    worker.onmessage = ({ data }: MessageEvent<LayoutReply>) => {
      if (this.#worker !== worker) return;
      if (data.id === 0) {
        this.#ready = true;
        // The page may not take the address away before the worker has read it.
        URL.revokeObjectURL(url);
        if (this.#current?.signal?.aborted) this.#endAfter(GRACE_MS);
        else if (this.#current) this.#watch(this.#current);
      } else this.#receive(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.#worker !== worker) return;
      // A policy that forbids workers shows as an error without a word, before the worker has said anything.
      if (!this.#ready) this.#moveIntoPage();
      else this.#restart(new LayoutError(`the layout worker failed: ${event.message}`));
    };
    return worker;
  }

  #receive(reply: LayoutReply): void {
    if (reply.id !== this.#current?.id) return;
    if ("text" in reply) {
      const { text } = reply;
      this.#settle((job) => job.resolve(text));
    } else if ("error" in reply) {
      const error = new LayoutError(reply.error);
      if (reply.broken) this.#restart(error);
      else this.#settle((job) => job.reject(error));
    }
  }

  #restart(error: LayoutError): void {
    this.#endWorker();
    this.start();
    this.#settle((job) => job.reject(error));
  }

  #endWorker(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#ready = false;
  }

  /** The last resort: the same text as a module of the page, which stands still while it computes. */
  #moveIntoPage(): void {
    this.#endWorker();
    this.#inPage ??= importInPage();
    if (this.#current) void this.#serveInPage(this.#current);
  }

  async #serveInPage(job: Job): Promise<void> {
    try {
      this.#inPage ??= importInPage();
      const serve = await this.#inPage;
      this.#receive(await serve({ id: job.id, dot: job.dot }));
    } catch (error) {
      if (this.#current === job)
        this.#settle((j) => j.reject(new LayoutError(`no layout engine starts here: ${error}`)));
    }
  }

  #settle(how: (job: Job) => void): void {
    clearTimeout(this.#timer);
    const job = this.#current;
    this.#current = undefined;
    if (job) how(job);
    this.#pump();
  }
}

function workerUrl(): string {
  return URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
}

async function importInPage(): Promise<Serve> {
  const url = workerUrl();
  try {
    await import(/* webpackIgnore: true */ url);
  } finally {
    URL.revokeObjectURL(url);
  }
  const serve: unknown = Reflect.get(globalThis, IN_PAGE);
  if (typeof serve !== "function") throw new LayoutError("the layout module did not register");
  return serve as Serve;
}
