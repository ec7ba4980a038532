/** While a person looks at where a run rests, what the next move into an operator would show is fetched and laid out. */
import { firstBoxInside } from "../core/expansion";
import { idle } from "../core/pace";
import type { Loaded } from "../core/reading";
import type { StepState } from "../protocol/messages";
import type { Following } from "./following";
import type { Kernel } from "./kernel";
import type { Stage } from "./stage";

/** Whoever steps on sooner does not look inside. */
const REST_MS = 120;

export interface ForesightEvents {
  /** The scene with a function that no run has gone into yet. */
  withForeseen(line: string): Loaded | undefined;
}

export class Foresight {
  readonly #kernel: Kernel;
  readonly #stage: Stage;
  readonly #following: Following;
  readonly #events: ForesightEvents;
  #rest: ReturnType<typeof setTimeout> | undefined;
  /** Counts the states: what was asked for an earlier one is dropped. */
  #states = 0;

  constructor(kernel: Kernel, stage: Stage, following: Following, events: ForesightEvents) {
    this.#kernel = kernel;
    this.#stage = stage;
    this.#following = following;
    this.#events = events;
  }

  /** The run has come to a state, and may stay there. */
  rest({ current, running, what_if }: StepState): void {
    this.#states++;
    clearTimeout(this.#rest);
    if (!current || running || what_if) return;
    this.#rest = setTimeout(() => void this.#look(current, this.#states), REST_MS);
  }

  async #look(node: string, state: number): Promise<void> {
    if (!this.#kernel.canAnswer({ kind: "foresee" })) return;
    await idle();
    if (state !== this.#states || this.#stage.isLayingOut) return;
    try {
      const { interior } = await this.#kernel.ask({ kind: "foresee" });
      await idle();
      const loaded =
        interior && state === this.#states ? this.#events.withForeseen(interior) : undefined;
      const box = loaded && firstBoxInside(loaded.scene, node);
      const shown = loaded && box !== undefined && this.#following.opened(loaded.scene, box);
      if (shown) await this.#stage.foresee(loaded, shown.expanded, shown.entered);
    } catch {
      // The move itself will say what is wrong.
    }
  }
}
