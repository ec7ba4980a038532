/** The debugger's part of the inspector: a failure, the call stack, iterations, breakpoints. */
import {
  breakpointIndex,
  breakpointText,
  failingOf,
  frameText,
  nameOf,
  WHEN_NAMES,
  WHENS,
} from "../core/debugging";
import type { Scene } from "../core/scene";
import type { Selection } from "../core/selection";
import { watchName } from "../core/watching";
import type { BreakpointState, FrameState, Question, StepState } from "../protocol/messages";
import { html, replace } from "./dom";
import { failureElement } from "./failure";
import { icon } from "./icons";
import { InputPanel } from "./inputs";
import { keepFields } from "./kept_fields";
import type { Kernel } from "./kernel";
import { Panels } from "./panels";
import { WatchPanel } from "./watches";
import { WhatIfPanel } from "./what_if";

export interface DebuggerEvents {
  select(id: string): void;
}

export class Debugger {
  readonly element = html("section", { class: "ox-debugger", "aria-label": "Debugger" });
  readonly #failure = html("div", { class: "ox-retry" });
  readonly #stack = html("div", { class: "ox-calls" });
  readonly #around = html("div", { class: "ox-calls" });
  readonly #breakpoints = html("div", { class: "ox-breakpoints" });
  readonly #inputs: InputPanel;
  readonly #watches: WatchPanel;
  readonly #whatIf: WhatIfPanel;
  readonly #panels = new Panels();
  readonly #kernel: Kernel;
  readonly #events: DebuggerEvents;
  /** What stands in each part; it is built anew only when that changes, as a field may be in use. */
  readonly #drawn = new Map<Element, string>();
  #scene: Scene | undefined;
  #state: StepState = {};
  #selection: Selection = { kind: "none" };
  #name = "";
  /** The failure whose fields are there. */
  #shown = "";
  #asked = 0;
  /** How many rounds are on their way to be shown: until the last has come, the slider in the hand stays as it is. */
  #turning = 0;
  /** How many breakpoints there were: a new one opens their panel. */
  #known = 0;

  constructor(kernel: Kernel, events: DebuggerEvents) {
    this.#kernel = kernel;
    this.#events = events;
    this.#inputs = new InputPanel(kernel);
    this.#panels.add("inputs", "Inputs", "What a run starts from (I)", this.#inputs);
    this.#watches = new WatchPanel(kernel);
    this.#panels.add("watch", "Watch", "Expressions over the run (w)", this.#watches);
    this.#whatIf = new WhatIfPanel(kernel);
    this.#panels.add("what-if", "What if", "Other sizes, types and attributes (W)", this.#whatIf);
    this.#panels.add("breakpoints", "Breakpoints", "Where a run stops", {
      element: this.#breakpoints,
      opened: () => {},
    });
    this.element.append(this.#failure, this.#stack, this.#around, this.#panels.element);
    // What is typed is text, not a command; function keys are caught before they come here.
    this.element.addEventListener("keydown", (event) => {
      if (event.target instanceof HTMLElement && event.target.matches("input, select, textarea"))
        event.stopPropagation();
    });
  }

  select(scene: Scene, selection: Selection): void {
    this.#selection = selection;
    this.#name = nameOf(scene, selection);
    this.#whatIf.select(scene, selection);
    void this.#askAround();
  }

  /** Opens a panel, or closes it. */
  toggle(panel: "inputs" | "what-if"): void {
    if (!this.element.hidden) this.#panels.open(panel, !this.#panels.isOpen(panel));
  }

  /** Ready to type an expression over the selected value. */
  watch(): void {
    if (this.element.hidden || !this.#scene) return;
    this.#panels.open("watch", true);
    this.#watches.begin(watchName(this.#scene, this.#selection));
  }

  show(scene: Scene, state: StepState): void {
    if (this.#scene !== scene) {
      this.#inputs.forget();
      this.#whatIf.sceneCame();
    }
    this.#scene = scene;
    this.#state = state;
    if (!this.#kernel.canAnswer({ kind: "inputs" })) {
      this.#showRecorded(state);
      return;
    }
    this.#inputs.show(state);
    this.#watches.show(state);
    const watched = state.watches?.length ?? 0;
    this.#panels.mark("watch", counted(watched));
    this.#whatIf.show(state);
    this.#panels.mark("what-if", state.what_if ? " •" : "");
    this.#showFailure();
    this.#showStack(state);
    this.#fill(this.#breakpoints, [state.breakpoints ?? [], state.stopped ?? null], () =>
      this.#breakpointElements(scene),
    );
    void this.#askAround();
  }

  /** In a page alone: nothing, or the graphs that a recorded run is in. */
  #showRecorded(state: StepState): void {
    this.element.hidden = !this.#kernel.canAnswer({ kind: "iterations", name: "" });
    replace(this.element, ...(this.element.hidden ? [] : [this.#stack, this.#around]));
    this.#showStack(state);
    void this.#askAround();
  }

  #showStack({ frames = [] }: StepState): void {
    if (this.#turning > 0) return;
    this.#fill(this.#stack, frames, () => this.#framesElements("Call stack", frames));
  }

  #ask(question: Question): void {
    void this.#kernel.move(question);
  }

  #fill(part: Element, content: unknown, make: () => (Node | undefined)[]): void {
    const key = JSON.stringify(content);
    if (this.#drawn.get(part) === key) return;
    this.#drawn.set(part, key);
    replace(part, ...make());
  }

  #showFailure(): void {
    const { failed, clash, values } = this.#state;
    const scene = this.#scene;
    const failing =
      scene &&
      failingOf(scene, this.#state, (box) => this.#kernel.manual(box, () => this.#showFailure()));
    const failure = JSON.stringify([failed, clash, values]);
    const fill = () =>
      this.#fill(this.#failure, failing ? [failure, failing.attributes] : null, () =>
        failing
          ? [failureElement(failing, clash ?? undefined, (question) => this.#ask(question))]
          : [],
      );
    // Of the same failure more is known: a person may be at its fields already.
    if (failure === this.#shown) keepFields(this.#failure, fill);
    else fill();
    this.#shown = failure;
  }

  /** The subgraphs around what is selected that are through: their iterations can be looked at. */
  async #askAround(): Promise<void> {
    const asked = ++this.#asked;
    let frames: FrameState[] = [];
    if (this.#name.includes("/") && (this.#state.total ?? 0) > 0 && !this.#state.running)
      try {
        frames = (await this.#kernel.iterations(this.#name)).filter(({ live }) => !live);
      } catch {
        // Whoever asks for a value of the body is told why there is none.
      }
    if (asked !== this.#asked || this.#turning > 0) return;
    this.#fill(this.#around, frames, () => this.#framesElements("Inside", frames));
  }

  #framesElements(title: string, frames: readonly FrameState[]): (Node | undefined)[] {
    if (frames.length === 0) return [];
    const rows = frames.map((frame, depth) =>
      this.#frameElement(frame, frames[depth - 1]?.path ?? "", depth),
    );
    return [html("h4", {}, title), ...rows];
  }

  /** The whole path of the node stands in the hint. */
  #frameElement(frame: FrameState, around: string, depth: number): HTMLElement {
    const link = html("button", { type: "button", class: "ox-link" }, frameText(frame, around));
    link.title = `Show ${frame.owner}`;
    link.addEventListener("click", () => this.#events.select(frame.owner));
    const element = html("div", { class: "ox-frame-row", "data-path": frame.path }, link);
    element.style.setProperty("--ox-depth", String(depth));
    if (frame.count < 2) return element;
    const slider = html("input", {
      type: "range",
      min: 0,
      max: frame.count - 1,
      value: frame.shown,
      "aria-label": `Round of ${frame.title} of ${frame.owner}`,
    });
    link.title += ". Rounds are counted from 0, as in Python";
    slider.addEventListener("input", () => {
      const iteration = Number(slider.value);
      const { number: _, ...known } = frame;
      const shown = { ...known, shown: iteration };
      link.textContent = frameText(shown, around);
      this.#drawnAs(frame.path, iteration);
      void this.#turn(frame.path, iteration);
    });
    element.append(slider);
    return element;
  }

  async #turn(path: string, iteration: number): Promise<void> {
    this.#turning++;
    await this.#kernel.move({ kind: "iteration", path, iteration });
    this.#turning--;
    this.#showStack(this.#state);
    void this.#askAround();
  }

  #drawnAs(path: string, shown: number): void {
    for (const part of [this.#stack, this.#around]) {
      const frames = JSON.parse(this.#drawn.get(part) ?? "[]") as FrameState[];
      const moved = frames.map((one) => (one.path === path ? { ...one, shown } : one));
      this.#drawn.set(part, JSON.stringify(moved));
    }
  }

  #breakpointElements(scene: Scene): Node[] {
    const known = this.#state.breakpoints ?? [];
    const anywhere = (["nan", "inf"] as const).map((when) => {
      const box = html("input", { type: "checkbox" });
      const index = breakpointIndex(this.#state, "", when);
      box.checked = index >= 0;
      box.addEventListener("change", () =>
        this.#ask(box.checked ? { kind: "break", node: "", when } : { kind: "unbreak", index }),
      );
      return html("label", {}, box, `stop at ${WHEN_NAMES[when]}`);
    });
    if (known.length > this.#known) this.#panels.open("breakpoints", true);
    this.#known = known.length;
    this.#panels.mark("breakpoints", counted(known.length));
    const rows = known.flatMap((one, index) =>
      one.node === "" && !one.place ? [] : [this.#breakpointRow(scene, one, index)],
    );
    const hint =
      "A click on the left edge of a node, or F9 on the selected one, else the next, sets a breakpoint.";
    return [
      html("div", { class: "ox-choices" }, ...anywhere),
      ...rows,
      ...(rows.length > 0 ? [] : [html("p", { class: "ox-note" }, hint)]),
    ];
  }

  #breakpointRow(scene: Scene, one: BreakpointState, index: number): HTMLElement {
    const text = breakpointText(scene, one);
    const link = html("button", { type: "button", class: "ox-link", title: text }, text);
    link.addEventListener("click", () => this.#events.select(one.node));
    const select = html(
      "select",
      { "aria-label": "Condition", disabled: one.node === "" },
      ...WHENS.map((when) => html("option", { value: when }, WHEN_NAMES[when] ?? when)),
    );
    select.value = one.when;
    select.addEventListener("change", () => {
      this.#ask({ kind: "unbreak", index });
      this.#ask({ kind: "break", node: one.node, when: select.value });
    });
    const label = `Remove the breakpoint ${text}`;
    const remove = html(
      "button",
      { type: "button", class: "ox-remove", "aria-label": label, title: "Remove" },
      icon("close"),
    );
    remove.addEventListener("click", () => this.#ask({ kind: "unbreak", index }));
    const here = this.#state.stopped === index;
    return html(
      "div",
      { class: "ox-breakpoint", "data-here": here },
      html("i", { "aria-hidden": "true" }),
      link,
      select,
      one.hits > 0 ? html("small", { title: "How often it was met" }, `${one.hits}×`) : undefined,
      remove,
      one.note ? html("small", { class: "ox-breakpoint-note" }, one.note) : undefined,
    );
  }
}

const counted = (count: number) => (count > 0 ? ` (${count})` : "");
