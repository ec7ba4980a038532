/** Running: the step bar, and what the stepper's state changes in the drawing and in the inspector. */
import { breakableId, breakpointIndex, shownKey, stopsOf } from "../core/debugging";
import { firstBoxInside } from "../core/expansion";
import { computedValues, NOTHING_OBSERVED, type Observed } from "../core/observed";
import type { Loaded } from "../core/reading";
import { at, type Scene } from "../core/scene";
import type { Selection } from "../core/selection";
import { type Command, focusOf, progressText, runTarget, stepCommands } from "../core/stepping";
import type { Transport } from "../protocol/transport";
import { StepBar } from "./bar";
import { Debugger } from "./debugger";
import { Following } from "./following";
import { Foresight, type ForesightEvents } from "./foresight";
import type { Kernel } from "./kernel";
import { Miniatures } from "./miniatures";
import type { Openness } from "./openness";
import type { Stage } from "./stage";
import { Timeline } from "./timeline";

export interface RunningEvents extends ForesightEvents {
  /** What is known of values is other now. */
  observed(): void;
  /** A node of the debugger's lists was clicked. */
  select(id: string): void;
}

export class Running {
  readonly #bar = new StepBar((action) => this.step(action));
  readonly debugger: Debugger;
  readonly timeline: Timeline;
  readonly miniatures: Miniatures;
  readonly #transport: Transport;
  readonly #kernel: Kernel;
  readonly #stage: Stage;
  readonly #events: RunningEvents;
  readonly #following: Following;
  readonly #foresight: Foresight;
  #loaded: Loaded | undefined;
  #selection: Selection = { kind: "none" };
  #observed: Observed = NOTHING_OBSERVED;
  /** What the drawing says: of a run that has ended, until more is known. */
  #said: Observed = NOTHING_OBSERVED;
  /** Counts the questions for observed types: a late answer to an earlier one is dropped. */
  #asked = 0;
  /** Counts questions for what edges said before. */
  #marked = 0;
  #turns: number | undefined;
  /** Whether the run has been somewhere else than at its beginning. */
  #moved = false;
  /** The node that a person wants to look into, while its function is on its way. */
  #lookedInto = "";
  #iterations = shownKey({});

  constructor(
    transport: Transport,
    kernel: Kernel,
    stage: Stage,
    openness: Openness,
    events: RunningEvents,
  ) {
    this.#following = new Following(openness, stage);
    this.#foresight = new Foresight(kernel, stage, this.#following, events);
    this.#transport = transport;
    this.#kernel = kernel;
    this.#stage = stage;
    this.#events = events;
    this.debugger = new Debugger(kernel, events);
    this.miniatures = new Miniatures(kernel, (known) => stage.showMiniatures(known));
    this.timeline = new Timeline((question) => kernel.move(question));
  }

  get element(): HTMLElement {
    return this.#bar.element;
  }

  get observed(): Observed {
    return this.#observed;
  }

  /** A new scene: what a run has shown of the last one says nothing about it, unless it is the same with more inside. */
  load(loaded: Loaded, before: Scene | undefined): void {
    this.#loaded = loaded;
    if (!before) {
      this.#following.forget();
      this.#moved = false;
    }
    if (before && before.boxes.length < loaded.scene.boxes.length) return;
    this.#observed = this.#said = NOTHING_OBSERVED;
    this.#stage.observe(NOTHING_OBSERVED);
    this.miniatures.forget();
    void this.#markChanged();
  }

  /** Edges of a changed model tell what they said before. */
  async #markChanged(): Promise<void> {
    const asked = ++this.#marked;
    let was: ReadonlyMap<string, string> = new Map();
    if (this.#transport.state.what_if)
      try {
        const { labels } = await this.#kernel.ask({ kind: "was" });
        was = new Map(Object.entries(labels));
      } catch {
        // The drawing says what it is now all the same.
      }
    if (asked === this.#marked) this.#stage.showChanged(was);
  }

  /** What is selected decides what can be run to. */
  select(selection: Selection): void {
    this.#selection = selection;
    this.showCommands();
    if (this.#loaded) this.debugger.select(this.#loaded.scene, selection);
  }

  /** Whether the drawing is made anew for it. */
  showState(): boolean {
    if (!this.#loaded) return false;
    const { state } = this.#transport;
    this.#foresight.rest(state);
    this.#kernel.stateCame();
    this.showCommands();
    const { scene } = this.#loaded;
    this.debugger.show(scene, state);
    this.timeline.show(state);
    this.#stage.showStops(stopsOf(state));
    const iterations = shownKey(state);
    if (iterations !== this.#iterations) this.#forgetIterations(iterations);
    if (state.turns !== this.#turns) {
      this.#turns = state.turns;
      this.#observed = NOTHING_OBSERVED;
    }
    if (!state.running) this.miniatures.stateCame(state, (value) => isInBody(scene, value));
    void this.observe();
    if (!state.running && this.#following.follow(scene, state)) return true;
    if (this.#showInside(scene)) return true;
    const focus = focusOf(scene, state);
    const { position = 0, frames = [], failed } = state;
    this.#moved ||= position > 0 || frames.length > 0 || Boolean(failed);
    // Before the first move the view stays as it was fitted.
    if (focus !== undefined && this.#moved) this.#stage.bringIntoView(focus, false);
    return false;
  }

  /** Edges on the screen tell what the run has made of them. */
  async observe(): Promise<void> {
    const { picture } = this.#stage;
    const { state } = this.#transport;
    // What a run has shown says nothing about a changed model.
    if (!this.#loaded || !picture || state.running || state.what_if) return;
    const values = computedValues(this.#loaded.scene, picture, state);
    const asked = ++this.#asked;
    try {
      const observed = await this.#kernel.observe(values, this.#observed);
      if (asked !== this.#asked || observed === this.#said) return;
      this.#observed = this.#said = observed;
      this.#stage.observe(observed);
      this.#events.observed();
    } catch {
      // Whoever asks for more than a look at the drawing is told that the kernel is gone.
    }
  }

  showCommands(): void {
    if (!this.#loaded) return;
    const { state } = this.#transport;
    const { scene } = this.#loaded;
    const progress = { text: progressText(scene, state, true), whole: progressText(scene, state) };
    this.#bar.update(this.#commands(), progress, Boolean(state.failed));
  }

  /** In place of where the run is, until something else is selected or it moves. */
  say(text: string): void {
    if (text) this.#bar.say(text);
  }

  /** What was seen of a body is of another iteration now. */
  #forgetIterations(shown: string): void {
    this.#iterations = shown;
    const scene = this.#loaded?.scene;
    this.#observed = new Map(
      [...this.#observed].filter(([value]) => scene && !isInBody(scene, value)),
    );
  }

  /** What an operator stands for is drawn inside its node, without a run that goes there. */
  lookInside(box: number): void {
    const scene = this.#loaded?.scene;
    if (!scene) return;
    this.#lookedInto = at(scene.boxes, box).id;
    if (this.#showInside(scene)) return;
    const node = this.#lookedInto;
    if (firstBoxInside(scene, node) === undefined)
      void this.#kernel.move({ kind: "look_inside", node });
  }

  #showInside(scene: Scene): boolean {
    const box = this.#lookedInto ? firstBoxInside(scene, this.#lookedInto) : undefined;
    if (box === undefined) return false;
    this.#lookedInto = "";
    return this.#following.show(scene, box);
  }

  toggleBreakpoint(node: string): void {
    const index = breakpointIndex(this.#transport.state, node);
    void this.#kernel.move(
      index < 0 ? { kind: "break", node, when: "always" } : { kind: "unbreak", index },
    );
  }

  step(action: Command["action"]): void {
    const known = this.#commands().find((command) => command.action === action);
    if (!this.#loaded || !known?.enabled) return;
    if (action === "breakpoint") {
      const node = breakableId(this.#loaded.scene, this.#selection, this.#transport.state);
      if (node !== undefined) this.toggleBreakpoint(node);
    } else if (action !== "run-to") void this.#kernel.move({ kind: action });
    else {
      const target = runTarget(this.#loaded.scene, this.#selection);
      void this.#kernel.move({ kind: "run_to", target });
    }
  }

  #commands(): Command[] {
    const scene = this.#loaded?.scene;
    const { state } = this.#transport;
    const breakable =
      scene !== undefined &&
      this.#kernel.canAnswer({ kind: "break", node: "", when: "always" }) &&
      breakableId(scene, this.#selection, state) !== undefined;
    return stepCommands(state, this.#selection.kind !== "none", breakable);
  }
}

function isInBody(scene: Scene, value: string): boolean {
  const edge = scene.edgesOfValue.get(value)?.[0];
  if (edge === undefined) return false;
  const { group } = at(scene.boxes, at(scene.edges, edge).source);
  for (let g = group; g > 0; g = at(scene.groups, g).parent)
    if (at(scene.groups, g).owner >= 0) return true;
  return false;
}
