/** The labels of the drawing at each scale: placed when they are first asked for, in pieces where there are many. */
import type { PictureLabel } from "../core/edge_labels";
import { NOTHING_OBSERVED, type Observed } from "../core/observed";
import { pause, type Steps } from "../core/pace";
import type { Picture } from "../core/picture";

/** How long a frame may place labels. */
const PLACING_MS = 8;

export class PlacedLabels {
  readonly #changed: () => void;
  readonly #known = new Map<number, readonly PictureLabel[]>();
  #picture: Picture | undefined;
  #observed: Observed = NOTHING_OBSERVED;
  /** Those that say what a run had shown before: they stand until others are there. */
  readonly #before = new Map<number, readonly PictureLabel[]>();
  /** The scale that is being placed. */
  #placing: number | undefined;
  /** Counts what labels are placed for: those for something else are of no use. */
  #turn = 0;

  /** `changed` is told when labels that were asked for are there. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get isPlacing(): boolean {
    return this.#placing !== undefined;
  }

  show(picture: Picture): void {
    this.#picture = picture;
    this.#begin();
    this.#before.clear();
    if (this.#observed === picture.observed) this.#known.set(1, picture.labels);
  }

  /** Labels say what a run has shown of their values. */
  observe(observed: Observed): void {
    this.#observed = observed;
    for (const [scale, labels] of this.#known) this.#before.set(scale, labels);
    this.#begin();
  }

  /** All labels at a scale, or those that stood there before until the others are there. */
  at(scale: number): readonly PictureLabel[] {
    const picture = this.#picture;
    if (picture && !this.#known.has(scale) && this.#placing !== scale) {
      this.#placing = scale;
      const steps = picture.labelling.placeSteps(scale, this.#observed);
      if (!this.#goOn(steps, scale)) void this.#finish(steps, scale, ++this.#turn);
    }
    return this.#known.get(scale) ?? this.#before.get(scale) ?? [];
  }

  #begin(): void {
    this.#known.clear();
    this.#placing = undefined;
    this.#turn++;
  }

  async #finish(steps: Steps<{ labels: readonly PictureLabel[] }>, scale: number, turn: number) {
    do {
      await pause();
      if (turn !== this.#turn) return;
    } while (!this.#goOn(steps, scale));
    this.#changed();
  }

  /** Whether it came to an end. */
  #goOn(steps: Steps<{ labels: readonly PictureLabel[] }>, scale: number): boolean {
    const until = performance.now() + PLACING_MS;
    do {
      const { done, value } = steps.next();
      if (!done) continue;
      this.#known.set(scale, value.labels);
      this.#placing = undefined;
      return true;
    } while (performance.now() < until);
    return false;
  }
}
