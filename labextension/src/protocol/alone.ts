import type { AnswerTo, Question, StepState } from "./messages";
import { type Shared, UNSAID } from "./shared";
import { KernelError, type Transport, type Unsubscribe } from "./transport";

type Topic = "scene" | "state" | "selected" | keyof Shared;

type Answer = (question: Question) => Promise<Record<string, unknown>>;

const NO_KERNEL: Answer = async () => {
  throw new KernelError(
    "No kernel stands behind this page: the graph can be explored, but nothing can be computed. " +
      "Open the model in JupyterLab or a notebook to step through it, or have to_html(…, record=True) write a page with a run.",
  );
};

/** Answers that were written into a page, by what was asked. */
export type Answers = Readonly<Record<string, Record<string, unknown>>>;

function keyOf(question: Question): string {
  switch (question.kind) {
    case "operator":
      return `operator ${question.domain} ${question.name} ${question.version}`;
    case "nan":
      return "nan";
    case "code":
    case "initializer":
    case "statistics":
      return `${question.kind} ${question.name}`;
    default:
      return "";
  }
}

/** A transport for pages without a kernel and for tests; `answer` stands in for the kernel. */
export class AloneTransport implements Transport {
  #scene: DataView | undefined;
  #state: StepState = {};
  #selected = "";
  readonly #answer: Answer;
  readonly #shared: Shared = { ...UNSAID };
  readonly #listeners = new Map<Topic, Set<() => void>>();

  readonly #answers: Answers;

  constructor(
    scene: string | DataView | undefined,
    answer: Answer = NO_KERNEL,
    answers: Answers = {},
  ) {
    this.#scene = typeof scene === "string" ? bytes(scene) : scene;
    this.#answer = answer;
    this.#answers = answers;
    // What Python saw when the page was written.
    if (Object.hasOwn(answers, "shared")) Object.assign(this.#shared, answers.shared);
    this.#selected = String(answers.shared?.selected ?? "");
  }

  canAnswer(question: Question): boolean {
    return this.#answer !== NO_KERNEL || Object.hasOwn(this.#answers, keyOf(question));
  }

  get scene(): DataView | undefined {
    return this.#scene;
  }

  /** A page has them in its scene. */
  readonly interiors = undefined;

  onInteriors(): Unsubscribe {
    return () => undefined;
  }

  get state(): StepState {
    return this.#state;
  }

  get selected(): string {
    return this.#selected;
  }

  setScene(scene: string): void {
    this.#scene = bytes(scene);
    this.#tell("scene");
  }

  setState(state: StepState): void {
    this.#state = state;
    this.#tell("state");
  }

  setSelected(selected: string, selection: readonly string[] = []): void {
    this.#shared.selection = selection;
    if (selected === this.#selected) return;
    this.#selected = selected;
    this.#tell("selected");
  }

  shared<K extends keyof Shared>(key: K): Shared[K] {
    return this.#shared[key];
  }

  share<K extends keyof Shared>(key: K, value: Shared[K]): void {
    if (value === this.#shared[key]) return;
    this.#shared[key] = value;
    this.#tell(key);
  }

  onShared(key: keyof Shared, listener: () => void): Unsubscribe {
    return this.#on(key, listener);
  }

  onScene(listener: () => void): Unsubscribe {
    return this.#on("scene", listener);
  }

  onState(listener: () => void): Unsubscribe {
    return this.#on("state", listener);
  }

  onSelected(listener: () => void): Unsubscribe {
    return this.#on("selected", listener);
  }

  async ask<Q extends Question>(question: Q): Promise<AnswerTo<Q> & { buffers: DataView[] }> {
    const key = keyOf(question);
    const known = Object.hasOwn(this.#answers, key) ? this.#answers[key] : undefined;
    const answer = known ?? (await this.#answer(question));
    return { ...answer, buffers: [] } as unknown as AnswerTo<Q> & { buffers: DataView[] };
  }

  dispose(): void {
    this.#listeners.clear();
  }

  #on(what: Topic, listener: () => void): Unsubscribe {
    const listeners = this.#listeners.get(what) ?? new Set();
    this.#listeners.set(what, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  #tell(what: Topic): void {
    for (const listener of this.#listeners.get(what) ?? []) listener();
  }
}

function bytes(text: string): DataView {
  return new DataView(new TextEncoder().encode(text).buffer);
}
