import type { AnyModel } from "@anywidget/types";
import { type AnswerTo, type Envelope, isReply, type Question, type StepState } from "./messages";
import { type Shared, UNSAID } from "./shared";
import { KernelError, type Transport, type Unsubscribe } from "./transport";

/** The traits of the Python widget. */
export interface WidgetTraits extends Record<string, unknown>, Partial<Shared> {
  scene: DataView | null;
  interiors: DataView | null;
  state: StepState;
  selected: string;
}

type Model = Pick<AnyModel<WidgetTraits>, "get" | "set" | "save_changes" | "send" | "on" | "off">;

interface Pending {
  resolve: (reply: Record<string, unknown> & { buffers: DataView[] }) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const PATIENCE_MS = 30_000;
/** While a run goes on it is asked for a sign of life so often, as a kernel that ends says nothing. */
const PULSE_MS = 2_000;
const LOST = "The kernel has ended or was restarted, and the run with it. Run the cell again.";

const NOT_CONNECTED = "No kernel is connected: nothing can be computed. Run the cell again.";

/** Questions about the model are answered at once by a living kernel; a run may take as long as it needs. */
function patience(question: Question): number | undefined {
  return [
    "value",
    "initializer",
    "statistics",
    "view",
    "iterations",
    "explain",
    "code",
    "operator",
    "observed",
    "miniatures",
    "partners",
    "difference",
    "ranges",
    "nan",
    "inputs",
    "fill",
    "size",
    "seed",
    "watch",
    "unwatch",
    "what_if",
    "change",
    "take_back",
    "reset",
    "was",
    "foresee",
  ].includes(question.kind)
    ? PATIENCE_MS
    : undefined;
}

export class AnyWidgetTransport implements Transport {
  readonly #model: Model;
  readonly #pending = new Map<number, Pending>();
  readonly #ofState = new Set<() => void>();
  #next = 1;
  /** The run that the kernel last told of has ended with it. */
  #lost = false;
  /** Whether a kernel has said anything: what a notebook was saved with may be of one that is gone. */
  #heard = false;
  #pulse: ReturnType<typeof setTimeout> | undefined;

  constructor(model: Model) {
    this.#model = model;
    model.on("msg:custom", this.#receive);
    model.on("change:state", this.#stateCame);
    this.#feelPulse();
  }

  get scene(): DataView | undefined {
    return this.#model.get("scene") ?? undefined;
  }

  get interiors(): DataView | undefined {
    return this.#model.get("interiors") ?? undefined;
  }

  onInteriors(listener: () => void): Unsubscribe {
    return this.#on("interiors", listener);
  }

  get state(): StepState {
    const state = this.#model.get("state") ?? {};
    return this.#lost ? { ...state, running: false } : state;
  }

  get selected(): string {
    return this.#model.get("selected") ?? "";
  }

  setSelected(selected: string, selection: readonly string[]): void {
    const same = JSON.stringify(selection) === JSON.stringify(this.shared("selection"));
    if (selected === this.selected && same) return;
    this.#model.set("selected", selected);
    this.#model.set("selection", selection);
    this.#model.save_changes();
  }

  onScene(listener: () => void): Unsubscribe {
    return this.#on("scene", listener);
  }

  onState(listener: () => void): Unsubscribe {
    this.#ofState.add(listener);
    return () => this.#ofState.delete(listener);
  }

  onSelected(listener: () => void): Unsubscribe {
    return this.#on("selected", listener);
  }

  shared<K extends keyof Shared>(key: K): Shared[K] {
    return (this.#model.get(key) as Shared[K] | undefined) ?? UNSAID[key];
  }

  share<K extends keyof Shared>(key: K, value: Shared[K]): void {
    if (JSON.stringify(value) === JSON.stringify(this.shared(key))) return;
    this.#model.set(key, value as WidgetTraits[K]);
    this.#model.save_changes();
  }

  onShared(key: keyof Shared, listener: () => void): Unsubscribe {
    return this.#on(key, listener);
  }

  canAnswer(): boolean {
    return true;
  }

  ask<Q extends Question>(
    question: Q,
    buffers: ArrayBuffer[] = [],
  ): Promise<AnswerTo<Q> & { buffers: DataView[] }> {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      const limit = patience(question);
      const timer =
        limit === undefined
          ? undefined
          : setTimeout(() => {
              this.#pending.delete(id);
              reject(
                new KernelError(
                  `The kernel has not answered within ${limit / 1000} s: it is busy or gone. ` +
                    "Wait for the running cell, or restart the kernel and run the cell again.",
                ),
              );
            }, limit);
      this.#pending.set(id, {
        // The kernel answers each kind of question with its own kind of reply; the id ties the two together.
        resolve: (reply) => resolve(reply as unknown as AnswerTo<Q> & { buffers: DataView[] }),
        reject,
        timer,
      });
      try {
        this.#model.send({ ...question, id } satisfies Envelope, undefined, buffers);
      } catch {
        this.#pending.delete(id);
        clearTimeout(timer);
        if (this.state.running) this.#lose();
        reject(new KernelError(NOT_CONNECTED));
      }
    });
  }

  dispose(): void {
    this.#model.off("msg:custom", this.#receive);
    this.#model.off("change:state", this.#stateCame);
    clearTimeout(this.#pulse);
    this.#refuse("The widget was closed before the kernel answered.");
  }

  #refuse(reason: string): void {
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new KernelError(reason));
    }
    this.#pending.clear();
  }

  readonly #stateCame = (): void => {
    this.#heard = true;
    this.#lost = false;
    this.#feelPulse();
    for (const listener of [...this.#ofState]) listener();
  };

  #feelPulse(): void {
    clearTimeout(this.#pulse);
    if (!this.state.running) return;
    this.#pulse = setTimeout(() => {
      // A kernel that is busy with another cell answers late; where there is none, nothing can be sent.
      this.ask({ kind: "iterations", name: "" }).catch(() => {
        if (!this.#heard && this.state.running) this.#lose();
      });
      this.#feelPulse();
    }, PULSE_MS);
  }

  /** What was asked is answered by nobody any more, and nothing runs. */
  #lose(): void {
    this.#lost = true;
    clearTimeout(this.#pulse);
    this.#refuse(LOST);
    for (const listener of [...this.#ofState]) listener();
  }

  #on(trait: keyof WidgetTraits & string, listener: () => void): Unsubscribe {
    const event = `change:${trait}` as const;
    this.#model.on(event, listener);
    return () => this.#model.off(event, listener);
  }

  readonly #receive = (message: unknown, buffers: DataView[] = []): void => {
    if (!isReply(message)) return;
    this.#heard = true;
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    this.#pending.delete(message.id);
    clearTimeout(pending.timer);
    const { id: _, ...reply } = message;
    if ("error" in reply) pending.reject(new KernelError(String(reply.error)));
    else pending.resolve({ ...reply, buffers });
  };
}
