import type { ISessionContext } from "@jupyterlab/apputils";
import { PathExt } from "@jupyterlab/coreutils";
import type { DocumentRegistry } from "@jupyterlab/docregistry";
import type { Kernel } from "@jupyterlab/services";
import { type ISignal, Signal } from "@lumino/signaling";
import type { CommModel } from "./comm_model";
import { OpenError, openModel } from "./open";

export type Stage =
  | { kind: "waiting"; message: string }
  | { kind: "ready"; model: CommModel }
  | { kind: "ended"; message: string }
  | { kind: "failed"; message: string; details: string };

const explorers = new WeakMap<DocumentRegistry.Context, DocumentExplorer>();

/** The explorer of one document: its kernel and the widget in it, shared by all views of the document. */
export class DocumentExplorer {
  readonly #context: DocumentRegistry.Context;
  readonly #changed = new Signal<this, void>(this);
  #stage: Stage = { kind: "waiting", message: "Opening…" };
  #attempt = 0;

  private constructor(context: DocumentRegistry.Context) {
    this.#context = context;
    const session = context.sessionContext;
    session.kernelChanged.connect(this.#kernelChanged, this);
    session.statusChanged.connect(this.#statusChanged, this);
    context.disposed.connect(() => {
      this.#attempt++;
      this.#release();
      Signal.clearData(this);
    });
    void this.open();
  }

  static of(context: DocumentRegistry.Context): DocumentExplorer {
    const explorer = explorers.get(context) ?? new DocumentExplorer(context);
    explorers.set(context, explorer);
    return explorer;
  }

  get stage(): Stage {
    return this.#stage;
  }

  get changed(): ISignal<this, void> {
    return this.#changed;
  }

  get session(): ISessionContext {
    return this.#context.sessionContext;
  }

  /** Starts a kernel where there is none, and the explorer in it; a second call begins anew. */
  async open(): Promise<void> {
    const attempt = ++this.#attempt;
    const isCurrent = () => attempt === this.#attempt;
    this.#release();
    try {
      this.#enter({ kind: "waiting", message: "Starting a Python kernel…" });
      await this.#context.ready;
      const kernel = await this.#startedKernel();
      const fileName = PathExt.basename(this.#context.localPath);
      if (isCurrent()) this.#enter({ kind: "waiting", message: `Reading ${fileName}…` });
      const model = await openModel(kernel, fileName);
      if (isCurrent()) this.#enter({ kind: "ready", model });
      else model.close();
    } catch (error) {
      if (!isCurrent()) return;
      const details = error instanceof OpenError ? error.details : "";
      const message = error instanceof Error ? error.message : String(error);
      this.#enter({ kind: "failed", message, details });
    }
  }

  async #startedKernel(): Promise<Kernel.IKernelConnection> {
    const session = this.session;
    const needsChoice = await session.initialize();
    let kernel = session.session?.kernel;
    // A kernel that ended (or never started) is started again when a person asks for another try.
    if (kernel?.status === "dead") await session.restartKernel();
    else if (!kernel && !needsChoice) await session.startKernel();
    kernel = session.session?.kernel;
    if (!kernel) throw new OpenError("No Python kernel was found. Choose one.");
    await kernel.info;
    return kernel;
  }

  #kernelChanged(_: ISessionContext, change: { newValue: Kernel.IKernelConnection | null }): void {
    // The first kernel comes while `open` waits for it.
    if (change.newValue && this.#stage.kind !== "waiting") void this.open();
  }

  #statusChanged(_: ISessionContext, status: Kernel.Status): void {
    if (this.#stage.kind !== "ready") return;
    if (status === "dead" || status === "autorestarting" || status === "terminating") {
      this.#stage.model.close();
      this.#enter({
        kind: "ended",
        message:
          "The kernel of this document has ended. The drawing still answers; running does not.",
      });
    }
  }

  #release(): void {
    if (this.#stage.kind === "ready") this.#stage.model.close();
  }

  #enter(stage: Stage): void {
    this.#stage = stage;
    this.#changed.emit();
  }
}
