/** Running: the step bar, and what the stepper's state changes in the drawing and in the inspector. */
import { computedValues, NOTHING_OBSERVED, type Observed } from "../core/observed";
import type { Selection } from "../core/selection";
import { type Command, focusOf, progressText, runTarget, stepCommands } from "../core/stepping";
import type { Transport } from "../protocol/transport";
import { StepBar } from "./bar";
import type { Kernel } from "./kernel";
import type { Loaded, Stage } from "./stage";

export interface RunningEvents {
  /** What is known of values is other now. */
  observed(): void;
}

export class Running {
  readonly #bar = new StepBar((action) => this.step(action));
  readonly #transport: Transport;
  readonly #kernel: Kernel;
  readonly #stage: Stage;
  readonly #events: RunningEvents;
  #loaded: Loaded | undefined;
  #selection: Selection = { kind: "none" };
  #observed: Observed = NOTHING_OBSERVED;
  /** Counts the questions for observed types: a late answer to an earlier one is dropped. */
  #asked = 0;

  constructor(transport: Transport, kernel: Kernel, stage: Stage, events: RunningEvents) {
    this.#transport = transport;
    this.#kernel = kernel;
    this.#stage = stage;
    this.#events = events;
  }

  get element(): HTMLElement {
    return this.#bar.element;
  }

  get observed(): Observed {
    return this.#observed;
  }

  /** A new scene: what a run has shown of the last one says nothing about it. */
  load(loaded: Loaded): void {
    this.#loaded = loaded;
    this.#observed = NOTHING_OBSERVED;
    this.#stage.observe(NOTHING_OBSERVED);
  }

  /** What is selected decides what can be run to. */
  select(selection: Selection): void {
    this.#selection = selection;
    this.showCommands();
  }

  showState(): void {
    if (!this.#loaded) return;
    const { state } = this.#transport;
    this.#kernel.stateCame();
    this.showCommands();
    void this.observe();
    const focus = focusOf(this.#loaded.scene, state);
    if (focus !== undefined && (state.position ?? 0) > 0) this.#stage.bringIntoView(focus, false);
  }

  /** Edges on the screen tell what the run has made of them. */
  async observe(): Promise<void> {
    const { picture } = this.#stage;
    const { state } = this.#transport;
    if (!this.#loaded || !picture || state.running) return;
    const values = computedValues(this.#loaded.scene, picture, state);
    const asked = ++this.#asked;
    try {
      const observed = await this.#kernel.observe(values, this.#observed);
      if (asked !== this.#asked || observed === this.#observed) return;
      this.#observed = observed;
      this.#stage.observe(observed);
      this.#events.observed();
    } catch {
      // Whoever asks for more than a look at the drawing is told that the kernel is gone.
    }
  }

  showCommands(): void {
    if (!this.#loaded) return;
    const { state } = this.#transport;
    const progress = progressText(this.#loaded.scene, state);
    this.#bar.update(this.#commands(), progress, Boolean(state.failed));
  }

  step(action: Command["action"]): void {
    const known = this.#commands().find((command) => command.action === action);
    if (!this.#loaded || !known?.enabled) return;
    if (action !== "run-to") void this.#kernel.move({ kind: action });
    else {
      const target = runTarget(this.#loaded.scene, this.#selection);
      void this.#kernel.move({ kind: "run_to", target });
    }
  }

  #commands(): Command[] {
    return stepCommands(this.#transport.state, this.#selection.kind !== "none");
  }
}
