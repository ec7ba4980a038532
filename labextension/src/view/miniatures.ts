/** Values in miniature on the labels in view: asked for when they come into view, once. */
import type { Miniature, StepState } from "../protocol/messages";
import type { Kernel } from "./kernel";

/** A wheel that turns asks when it rests. */
const REST_MS = 60;

export class Miniatures {
  readonly #kernel: Kernel;
  readonly #show: (known: ReadonlyMap<string, Miniature>) => void;
  readonly #known = new Map<string, Miniature>();
  /** What has been asked for: not every value has a miniature. */
  readonly #asked = new Set<string>();
  #wanted: readonly string[] = [];
  #turns: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Late answers about an earlier run are dropped. */
  #run = 0;

  constructor(kernel: Kernel, show: (known: ReadonlyMap<string, Miniature>) => void) {
    this.#kernel = kernel;
    this.#show = show;
  }

  /** These labels are in view and can be read. */
  want(values: readonly string[]): void {
    this.#wanted = values;
    this.#schedule();
  }

  /** What was seen of these values may be another thing now; all of them where a new run began. */
  stateCame({ turns = 0 }: StepState, changing: (value: string) => boolean): void {
    const all = turns !== this.#turns;
    this.#turns = turns;
    const forgotten = [...this.#asked].filter((value) => all || changing(value));
    for (const value of forgotten) this.#forget(value);
    if (forgotten.length > 0) this.#show(new Map(this.#known));
    this.#schedule();
  }

  forget(): void {
    this.#known.clear();
    this.#asked.clear();
    this.#run++;
    this.#show(this.#known);
  }

  /** On a label in view it stands until the answer comes. */
  #forget(value: string): void {
    this.#asked.delete(value);
    if (!this.#wanted.includes(value)) this.#known.delete(value);
    this.#run++;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), REST_MS);
  }

  async #ask(): Promise<void> {
    const names = this.#wanted.filter((value) => !this.#asked.has(value));
    if (names.length === 0) return;
    for (const name of names) this.#asked.add(name);
    const run = this.#run;
    try {
      const { miniatures } = await this.#kernel.ask({ kind: "miniatures", names });
      if (run !== this.#run) {
        for (const name of names) this.#asked.delete(name);
        this.#schedule();
        return;
      }
      for (const name of names) {
        const found = miniatures[name];
        if (found) this.#known.set(name, found);
        else this.#known.delete(name);
      }
      this.#show(new Map(this.#known));
    } catch {
      // Whoever asks for more than a look at the drawing is told that the kernel is gone.
    }
  }
}
