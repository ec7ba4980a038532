/** Questions to the kernel: what is known already is not asked again, and silence and refusals become notices. */
import { hasManual, NO_WORDS, type Words } from "../core/node_inspection";
import type { Observed } from "../core/observed";
import type { Box } from "../core/scene";
import type {
  AnswerTo,
  CodeWords,
  DerivationRow,
  FrameState,
  Manual,
  Question,
  Statistics,
  ValueSummary,
  ValueWindow,
  WindowChoice,
} from "../protocol/messages";
import type { Transport } from "../protocol/transport";
import type { Notices } from "./overlays";

/** After this long without an answer a person is told that the kernel is being waited for. */
const WAITING_MS = 4_000;
const SILENCE =
  "The kernel has not answered yet: it is busy with another cell, or gone; then run this cell again.";

export class Kernel {
  readonly #transport: Transport;
  readonly #notices: Notices;
  readonly #summaries = new Map<string, Promise<ValueSummary>>();
  readonly #words = new Map<string, Words>();
  /** How a person chose to look at values, by their names. */
  readonly choices = new Map<string, WindowChoice>();
  /** Why the last move was refused, and the position at which it was. */
  #refusal: { readonly text: string; readonly position: number } | undefined;

  constructor(transport: Transport, notices: Notices) {
    this.#transport = transport;
    this.#notices = notices;
  }

  canAnswer(question: Question): boolean {
    return this.#transport.canAnswer(question);
  }

  /** A new scene: tensors may have changed under the same names. */
  forget(): void {
    this.#summaries.clear();
    this.choices.clear();
  }

  /** A move of the stepper; whatever goes wrong is shown. */
  async move(question: Question): Promise<void> {
    this.forgetRefusal();
    const waiting = setTimeout(() => {
      // A run that reports its progress is not a silence.
      if (!this.#transport.state.running) this.#notices.show(SILENCE, "info");
    }, WAITING_MS);
    try {
      await this.#transport.ask(question);
    } catch (error) {
      this.#refusal = { text: messageOf(error), position: this.#position };
      this.#notices.show(messageOf(error));
    } finally {
      clearTimeout(waiting);
      this.#notices.dismiss(SILENCE);
    }
  }

  /** The state that a refused move itself sends stands at the same position; any other ends the refusal. */
  stateCame(): void {
    if (this.#position !== this.#refusal?.position) this.forgetRefusal();
  }

  forgetRefusal(): void {
    if (this.#refusal) this.#notices.dismiss(this.#refusal.text);
    this.#refusal = undefined;
  }

  initializer(name: string): Promise<ValueSummary> {
    return remembered(this.#summaries, name, () =>
      this.#transport.ask({ kind: "initializer", name }),
    );
  }

  value(name: string): Promise<ValueSummary> {
    return this.#transport.ask({ kind: "value", name });
  }

  code(name: string): Promise<CodeWords> {
    return this.#transport.ask({ kind: "code", name });
  }

  statistics(name: string): Promise<Statistics> {
    return this.#transport.ask({ kind: "statistics", name });
  }

  window(name: string, choice: WindowChoice): Promise<ValueWindow> {
    return this.#transport.ask({ kind: "view", name, ...choice });
  }

  /** A question about the inputs, with a file beside it; whoever asks shows a refusal. */
  ask<Q extends Question>(question: Q, buffers: ArrayBuffer[] = []): Promise<AnswerTo<Q>> {
    return this.#transport.ask(question, buffers);
  }

  async iterations(name: string): Promise<FrameState[]> {
    return (await this.#transport.ask({ kind: "iterations", name })).frames;
  }

  async explain(name: string, axis: number | null): Promise<DerivationRow[]> {
    return (await this.#transport.ask({ kind: "explain", name, axis })).steps;
  }

  /** The words of a box's operator; where they have to be asked for, `arrived` tells that they are there. */
  words(box: Box, arrived: () => void): Words {
    if (!hasManual(box)) return NO_WORDS;
    const { op: name, version, domain } = box;
    const key = JSON.stringify([domain, name, version]);
    const known = this.#words.get(key);
    if (known) return known;
    const question = { kind: "operator", name, version, domain } as const;
    if (!this.canAnswer(question)) return NO_WORDS;
    const asked: Words = { kind: "asked" };
    this.#words.set(key, asked);
    this.#transport
      .ask(question)
      .then(
        (manual): Words => ({ kind: "known", manual }),
        (error: unknown): Words => ({ kind: "failed", message: messageOf(error) }),
      )
      .then((words) => {
        this.#words.set(key, words);
        arrived();
      });
    return asked;
  }

  /** The same, where it is there already. */
  manual(box: Box, arrived: () => void): Manual | undefined {
    const words = this.words(box, arrived);
    return words.kind === "known" ? words.manual : undefined;
  }

  /** What could not be answered may be asked again. */
  retryWords(): void {
    for (const [key, words] of this.#words) if (words.kind === "failed") this.#words.delete(key);
  }

  /** The types of values that have been computed; what is known is not asked again. */
  async observe(values: readonly string[], known: Observed): Promise<Observed> {
    const kept = new Map(
      values.flatMap((value) => {
        const type = known.get(value);
        return type === undefined ? [] : [[value, type] as const];
      }),
    );
    const names = values.filter((value) => !kept.has(value));
    if (names.length === 0) return kept.size === known.size ? known : kept;
    const { types } = await this.#transport.ask({ kind: "observed", names });
    return new Map([...kept, ...Object.entries(types)]);
  }

  get #position(): number {
    return this.#transport.state.position ?? 0;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A refusal is not remembered: the kernel may be back for the next click. */
function remembered<T>(
  known: Map<string, Promise<T>>,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  const before = known.get(key);
  if (before) return before;
  const asked = ask();
  known.set(key, asked);
  asked.catch(() => known.delete(key));
  return asked;
}
