/** The panel on the right. What it says comes from `core/inspection`; numbers are asked from the kernel. */

import { titleOf } from "../core/card";
import type { Tracing } from "../core/highlight";
import type { Inspection, Line, Section } from "../core/lines";
import { boxName, groupTitle } from "../core/naming";
import { at, type Box, type Scene } from "../core/scene";
import { headContinues } from "../core/statistics";
import { lastValues, numberText, progressText } from "../core/stepping";
import type { StepState, ValueSummary } from "../protocol/messages";
import { errorLine, noteLine, pending } from "./answers";
import { derivationElement } from "./derivation";
import { breaking, html, replace } from "./dom";
import type { Kernel } from "./kernel";
import { longList } from "./long_list";
import { problemElement } from "./problems";
import { headElement, statisticsElement } from "./statistics";
import { docElement, exampleElement, proseElement, versionElement } from "./words";

/** How many ends of a port are named. */
const MOST_ENDS = 6;

const TRACES: readonly [Tracing, string, string][] = [
  ["ancestors", "↑ what feeds it", "Light everything that this node depends on (a)"],
  ["descendants", "↓ what it feeds", "Light everything that depends on this node (d)"],
];

/** Characters of a label that has lines of its own, above what it labels. */
const LONG_LABEL = 22;

const NO_NUMBERS =
  "This page does not hold its numbers: to_html(…, weights=True) writes one that does.";

const ORIGINS = { given: "", default: "default", unset: "not set", missing: "missing" } as const;

export interface InspectorEvents {
  selectBox(box: number): void;
  selectGroup(group: number): void;
  selectValue(value: string): void;
  searchFor(text: string): void;
  trace(tracing: Tracing): void;
  toggleConstants(): void;
  lookInside(box: number): void;
  readonly kernel: Kernel;
}

export class Inspector {
  readonly element: HTMLElement;
  readonly #stepping = html("section", { class: "ox-stepping", "aria-live": "polite" });
  readonly #body = html("div", { class: "ox-inspection" });
  readonly #events: InspectorEvents;
  readonly #traces: HTMLElement;
  readonly #constants: HTMLButtonElement;
  /** Told to those who do not see what is selected. */
  readonly #said = html("p", { class: "ox-said", role: "status" });
  #state: StepState = {};
  #title = "";
  #scrolling = 0;
  /** What a person opened and closed, by the titles of sections. */
  readonly #open = new Map<string, boolean>();

  constructor(events: InspectorEvents) {
    this.#events = events;
    this.#traces = html(
      "div",
      { class: "ox-traces" },
      ...TRACES.map(([tracing, text, hint]) => {
        const button = html(
          "button",
          { type: "button", class: "ox-dim", "data-tracing": tracing, "aria-pressed": "false" },
          text,
        );
        button.title = hint;
        button.addEventListener("click", () => events.trace(tracing));
        return button;
      }),
    );
    this.#constants = html(
      "button",
      { type: "button", class: "ox-dim", "data-constants": true },
      "its constants",
    );
    this.#constants.title = "Draw the constants that it reads as boxes of their own (K)";
    this.#constants.addEventListener("click", () => events.toggleConstants());
    this.#traces.append(this.#constants);
    this.element = html(
      "aside",
      {
        class: "ox-inspector",
        "data-onnx-explorer-inspector": true,
        "aria-label": "Inspector",
        tabindex: -1,
      },
      this.#stepping,
      this.#body,
      this.#said,
    );
  }

  /** Puts a panel between what the last step made and what is selected. */
  add(panel: HTMLElement): void {
    this.element.insertBefore(panel, this.#body);
  }

  showSteps(scene: Scene, state: StepState): void {
    // A failure is told at the top: one who has scrolled down to something else is to see it.
    if (state.failure && state.failure !== this.#state.failure) {
      cancelAnimationFrame(this.#scrolling);
      this.element.scrollTop = 0;
    }
    this.#state = state;
    const started = (state.total ?? 0) > 0 || Boolean(state.failure) || Boolean(state.message);
    this.#stepping.hidden = !started;
    this.#stepping.toggleAttribute("data-failed", Boolean(state.failed || state.failure));
    if (!started) return;
    const { title, values } = lastValues(scene, state);
    const progress = html("progress", { max: state.total || 1, "aria-label": "Nodes done" });
    progress.value = state.position ?? 0;
    const message = state.message && state.message !== state.failure ? state.message : "";
    replace(
      this.#stepping,
      html("h3", {}, ...breaking(progressText(scene, state) || "Stepper")),
      (state.total ?? 0) > 0 ? progress : undefined,
      message ? html("p", { class: "ox-note" }, message) : undefined,
      state.failure
        ? html("div", { class: "ox-failure", role: "alert" }, state.failure)
        : undefined,
      values.length > 0 ? html("h4", {}, ...breaking(title)) : undefined,
      ...longList(values, ({ name, summary }) =>
        html(
          "div",
          { class: "ox-value", "data-value": name },
          this.#link(name),
          summaryTable(summary),
        ),
      ),
    );
  }

  show(scene: Scene, inspection: Inspection): void {
    this.#constants.hidden = inspection.constants === undefined;
    this.#constants.setAttribute("aria-pressed", String(inspection.constants ?? false));
    replace(
      this.#body,
      html(
        "header",
        { "data-category": inspection.category || undefined },
        html("h2", {}, ...breaking(inspection.title)),
        inspection.subtitle ? html("p", {}, ...breaking(inspection.subtitle)) : undefined,
        inspection.traceable ? this.#traces : undefined,
      ),
      ...inspection.sections.map((section) => this.#section(scene, section)),
    );
    const said = `${inspection.title} ${inspection.subtitle}`;
    // Two nodes of one operator have the same title.
    if (said !== this.#said.textContent) this.#said.textContent = said;
    if (inspection.title === this.#title) return;
    const first = this.#title === "";
    this.#title = inspection.title;
    // The frame lays out what is new in any case; to scroll at once would have it done before.
    cancelAnimationFrame(this.#scrolling);
    this.#scrolling = requestAnimationFrame(() => {
      this.#body.scrollTop = 0;
      // In narrow cells the panel scrolls as a whole: to what was selected, but not away from the steps at the start.
      if (!first) this.element.scrollTop = this.#body.offsetTop - this.element.offsetTop;
    });
  }

  showTracing(tracing: Tracing): void {
    for (const child of this.#traces.querySelectorAll("[data-tracing]"))
      child.setAttribute("aria-pressed", String(child.getAttribute("data-tracing") === tracing));
  }

  #section(scene: Scene, { title, lines, closed }: Section): HTMLDetailsElement {
    const element = html(
      "details",
      { open: this.#open.get(title) ?? !closed },
      html("summary", {}, title),
      ...longList(lines, (line) => this.#line(scene, line)),
    );
    element.addEventListener("toggle", () => this.#open.set(title, element.open));
    return element;
  }

  #line(scene: Scene, line: Line): HTMLElement | undefined {
    switch (line.kind) {
      case "fact":
        return html(
          "dl",
          { class: "ox-row" },
          html("dt", {}, ...breaking(line.label)),
          html("dd", {}, ...breaking(line.text)),
        );
      case "attribute":
        return html(
          "dl",
          { class: "ox-row", "data-origin": line.origin },
          html("dt", {}, ...breaking(line.name)),
          html(
            "dd",
            {},
            ...breaking(line.text),
            line.origin === "given" ? undefined : html("small", {}, ORIGINS[line.origin]),
          ),
          docElement(line.doc, "dd"),
        );
      case "text":
        return html("p", { class: "ox-text" }, line.text);
      case "prose":
        return proseElement(line);
      case "example":
        return exampleElement(line.example);
      case "version":
        return versionElement(line);
      case "note":
        return html("p", { class: "ox-note" }, line.text);
      case "operator":
        return this.#operator(line);
      case "inside":
        return this.#inside(scene, line.box);
      case "problem":
        return this.#problem(scene, line);
      case "port":
        return this.#port(scene, line);
      case "groups":
        return this.#groups(scene, line);
      case "box":
        return this.#boxLine(scene, line.label, line.box);
      case "dims":
        return this.#events.kernel.canAnswer({ kind: "explain", name: line.value, axis: null })
          ? this.#dims(line.value, line.dims)
          : html("p", { class: "ox-note" }, "Open the model in a notebook to be told.");
      case "computed":
        return this.#computed(line.value, line.hint);
      case "statistics":
        return this.#statistics(scene, line.value, line.hint);
      case "type":
        return html(
          "dl",
          { class: "ox-row ox-typed", "data-origin": line.label },
          html("dt", {}, line.label),
          html("dd", {}, html("code", {}, ...breaking(line.text))),
        );
    }
  }

  #operator(line: Extract<Line, { kind: "operator" }>): HTMLElement {
    const bar = html("i", { style: `width:${Math.max(2, Math.round(line.share * 100))}%` });
    const name = html("button", { type: "button", class: "ox-link" }, line.operator);
    name.title = line.query ? `Search for ${line.query}` : "";
    name.addEventListener("click", () => {
      if (line.query) this.#events.searchFor(line.query);
    });
    return html(
      "div",
      { class: "ox-operator", title: line.hint },
      name,
      html("span", {}, bar),
      line.amount,
    );
  }

  /** A page without a kernel has the functions that the run in it went into. */
  #inside(scene: Scene, box: number): HTMLElement | undefined {
    const node = at(scene.boxes, box).id;
    const isThere = scene.ownedBy.has(box);
    if (!isThere && !this.#events.kernel.canAnswer({ kind: "look_inside", node })) return undefined;
    const look = html(
      "button",
      { type: "button", class: "ox-dim", "data-look-inside": true },
      "look inside",
    );
    look.title = "Draw the function of other operators that the standard gives for it";
    look.addEventListener("click", () => this.#events.lookInside(box));
    return html("p", {}, look);
  }

  #problem(scene: Scene, line: Extract<Line, { kind: "problem" }>): HTMLElement {
    const about = line.box >= 0 ? scene.boxes[line.box] : undefined;
    const told = about ? breaking(boxText(about)) : [];
    const link = about && html("button", { type: "button", class: "ox-link" }, ...told);
    link?.addEventListener("click", () => this.#events.selectBox(line.box));
    const followers = longList(line.followers, (follower) => this.#line(scene, follower));
    return problemElement(line, link, followers, (code) => this.#events.kernel.code(code));
  }

  /** The nodes at the other ends of a port's edges. */
  #ends(scene: Scene, { ends, side }: Extract<Line, { kind: "port" }>): HTMLElement {
    const named = ends.slice(0, MOST_ENDS).map((box) => {
      const { op, name, id } = at(scene.boxes, box);
      const told = breaking(op || name || id);
      const link = html("button", { type: "button", class: "ox-link" }, ...told);
      link.title = name || id;
      link.addEventListener("click", () => this.#events.selectBox(box));
      return link;
    });
    const more = ends.length - named.length;
    return html(
      "div",
      { class: "ox-ends" },
      html("small", {}, side),
      ...named,
      more > 0 ? `and ${more} more` : undefined,
    );
  }

  #port(scene: Scene, line: Extract<Line, { kind: "port" }>): HTMLElement {
    const row = html(
      "div",
      { class: "ox-port", "data-mark": line.mark },
      line.port && line.port !== line.value
        ? html("span", { class: "ox-port-name" }, line.port)
        : undefined,
      line.value === ""
        ? html("span", { class: "ox-absent", title: line.takes }, "left out")
        : this.#link(line.value),
      line.type ? html("code", { title: line.takes }, ...breaking(line.type)) : undefined,
      docElement(line.doc),
    );
    if (line.ends.length > 0) row.append(this.#ends(scene, line));
    const question = { kind: "initializer", name: line.value } as const;
    if (line.initializer && this.#events.kernel.canAnswer(question))
      row.append(this.#answer(this.#events.kernel.initializer(line.value), line.type));
    return row;
  }

  #groups(scene: Scene, { groups, after }: Extract<Line, { kind: "groups" }>): HTMLElement {
    const links = groups.map((group) => {
      const name = groupTitle(scene, group);
      const link = html("button", { type: "button", class: "ox-link" }, name);
      link.title = "Open this group";
      link.addEventListener("click", () => this.#events.selectGroup(group));
      return link;
    });
    return html("div", { class: "ox-groups" }, ...links, after);
  }

  #boxLine(scene: Scene, label: string, box: number): HTMLElement {
    const about = at(scene.boxes, box);
    // Beside a label the group has been told.
    const text = label === "" ? boxText(about) : `${about.op} ${boxName(scene, box)}`.trim();
    const link = html("button", { type: "button", class: "ox-link" }, ...breaking(text));
    link.title = about.name || about.id;
    link.addEventListener("click", () => this.#events.selectBox(box));
    if (label === "") return html("div", {}, link);
    const attributes = { class: "ox-row", "data-long": label.length > LONG_LABEL };
    return html("dl", attributes, html("dt", {}, ...breaking(label)), html("dd", {}, link));
  }

  #link(value: string): HTMLButtonElement {
    const link = html("button", { type: "button", class: "ox-link" }, ...breaking(value));
    link.addEventListener("click", () => this.#events.selectValue(value));
    return link;
  }

  #dims(value: string, dims: readonly string[]): HTMLElement {
    const text = html("div", { class: "ox-explanation" });
    const chips = [undefined, ...dims].map((dim, i) => {
      const axis = i - 1;
      const label = dim === undefined ? "all" : dim;
      const chip = html(
        "button",
        { type: "button", class: "ox-dim", "aria-pressed": i === 0 ? "true" : "false" },
        label,
      );
      chip.title = dim === undefined ? "The whole type" : `Axis ${axis}`;
      chip.addEventListener("click", () => {
        for (const other of chips) other.setAttribute("aria-pressed", String(other === chip));
        void this.#fillExplanation(text, value, dim === undefined ? null : axis);
      });
      return chip;
    });
    void this.#fillExplanation(text, value, null);
    return html("div", {}, html("div", { class: "ox-dims" }, ...chips), text);
  }

  async #fillExplanation(element: HTMLElement, value: string, axis: number | null): Promise<void> {
    replace(element, html("p", { class: "ox-note" }, "asking the kernel…"));
    try {
      const rows = await this.#events.kernel.explain(value, axis);
      replace(
        element,
        derivationElement(rows, (name) => this.#events.selectValue(name)),
      );
    } catch (error) {
      replace(element, errorLine(error));
    }
  }

  #computed(value: string, hint: string): HTMLElement | undefined {
    const known = this.#state.values?.[value];
    if (known) return summaryTable(known);
    if ((this.#state.position ?? 0) === 0)
      return hint ? html("p", { class: "ox-note" }, hint) : undefined;
    // That a node has not run yet is nothing to be alarmed at.
    return pending(this.#events.kernel.value(value), (found) => summaryTable(found), noteLine);
  }

  #statistics(scene: Scene, value: string, hint: string): HTMLElement | undefined {
    const { kernel } = this.#events;
    if (!kernel.canAnswer({ kind: "statistics", name: value }))
      return html("p", { class: "ox-note" }, NO_NUMBERS);
    if (!scene.initializers.has(value) && (this.#state.position ?? 0) === 0)
      return html("p", { class: "ox-note" }, hint);
    return pending(kernel.statistics(value), (found) => statisticsElement(value, found, kernel));
  }

  #answer(asked: Promise<ValueSummary>, typeShown = ""): HTMLElement {
    return pending(asked, (summary) => summaryTable(summary, typeShown));
  }
}

function boxText(about: Box): string {
  const { op, name } = about;
  return name && name !== op ? `${op} ${name}`.trim() : titleOf(about);
}

/** A type that stands there already is not repeated. */
function summaryTable(summary: ValueSummary, typeShown = ""): HTMLElement {
  const facts: [string, string][] = [
    ["min", numberText(summary.min)],
    ["max", numberText(summary.max)],
    ["mean", numberText(summary.mean)],
  ];
  if (summary.nan) facts.push(["NaN", String(summary.nan)]);
  const known = facts.filter(([, text]) => text !== "–");
  return html(
    "div",
    { class: "ox-summary" },
    summary.type === typeShown ? undefined : html("code", {}, ...breaking(summary.type)),
    known.length > 0
      ? html(
          "div",
          { class: "ox-numbers" },
          ...known.map(([label, text]) => html("span", {}, html("small", {}, label), " ", text)),
        )
      : undefined,
    summary.head && summary.head.length > 0
      ? headElement(summary.head, headContinues(summary))
      : undefined,
  );
}
