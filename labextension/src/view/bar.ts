/** The bar on top: search on the left, stepping in the middle, the view's buttons on the right. */
import { FIELD_HELP } from "../core/query";
import type { Hit } from "../core/search";
import type { Command } from "../core/stepping";
import { html, replace } from "./dom";
import { type IconName, icon } from "./icons";

export type ViewAction =
  | "go-back"
  | "go-forward"
  | "fit"
  | "zoom-in"
  | "zoom-out"
  | "expand-all"
  | "collapse-all"
  | "constants"
  | "table"
  | "inspector"
  | "help";

export function button(action: IconName, label: string, hint: string): HTMLButtonElement {
  return html(
    "button",
    { type: "button", class: "ox-button", "data-action": action, "aria-label": label, title: hint },
    icon(action),
  );
}

export class StepBar {
  readonly element = html("div", { class: "ox-steps", role: "toolbar", "aria-label": "Stepper" });
  readonly #buttons = new Map<Command["action"], HTMLButtonElement>();
  readonly #status = html("span", { class: "ox-status", role: "status" });
  readonly #act: (action: Command["action"]) => void;

  constructor(act: (action: Command["action"]) => void) {
    this.#act = act;
  }

  update(commands: readonly Command[], status: string, failed: boolean): void {
    for (const { action, label, hint, enabled } of commands) {
      const known = this.#buttons.get(action) ?? this.#add(action, label, hint);
      known.disabled = !enabled;
      known.title = hint;
    }
    this.say(status);
    this.#status.toggleAttribute("data-failed", failed);
  }

  /** Stands there until something else is to be said. */
  say(status: string): void {
    this.#status.textContent = status;
    this.#status.title = status;
    if (!this.#status.isConnected) this.element.append(this.#status);
  }

  #add(action: Command["action"], label: string, hint: string): HTMLButtonElement {
    const made = button(action, label, hint);
    if (action === "step" || action === "run") made.append(html("span", {}, label));
    made.addEventListener("click", () => this.#act(action));
    this.#buttons.set(action, made);
    this.element.append(made);
    return made;
  }
}

/** How many hits the list shows; the count tells how many there are. */
const MOST_HITS = 60;

export interface SearchEvents {
  query(text: string): void;
  go(index: number): void;
  step(direction: 1 | -1): void;
  leave(): void;
}

export class SearchBox {
  readonly element: HTMLDivElement;
  readonly #input: HTMLInputElement;
  readonly #count = html("span", { class: "ox-count", role: "status" });
  readonly #list = html("ul", { class: "ox-hits", role: "listbox", "aria-label": "Hits" });
  readonly #arrows: HTMLButtonElement[];

  constructor(events: SearchEvents) {
    this.#input = html("input", {
      type: "search",
      class: "ox-search-input",
      "data-onnx-explorer-search": true,
      placeholder: "Search, or op:Conv dim:768 …",
      "aria-label": "Search operators, names and values",
      spellcheck: "false",
      autocomplete: "off",
    });
    const previous = button("previous", "Previous hit", "Previous hit (N or Shift+Enter)");
    const next = button("next", "Next hit", "Next hit (n or Enter)");
    this.#arrows = [previous, next];
    this.element = html(
      "div",
      { class: "ox-search", role: "search" },
      icon("search"),
      this.#input,
      this.#count,
      previous,
      next,
      this.#list,
      fieldHelp((example) => {
        const before = this.#input.value.trim();
        this.#input.value = `${before} ${example.slice(0, example.indexOf(":") + 1)}`.trimStart();
        events.query(this.#input.value);
        this.#input.focus();
      }),
    );
    previous.addEventListener("click", () => events.step(-1));
    next.addEventListener("click", () => events.step(1));
    const open = (wanted: boolean) => this.element.toggleAttribute("data-open", wanted);
    this.#input.addEventListener("focus", () => open(true));
    this.#input.addEventListener("pointerdown", () => open(true));
    this.#input.addEventListener("input", () => {
      open(true);
      events.query(this.#input.value);
    });
    this.#input.addEventListener("keydown", (event) => {
      // Whatever is typed here is text, not a command of the explorer or of the notebook.
      event.stopPropagation();
      if (event.key === "Enter") {
        // The hit is to be seen, not the list in front of it.
        open(false);
        events.step(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        // Of itself the browser would empty the field.
        event.preventDefault();
        open(false);
        events.leave();
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        open(true);
        events.step(event.key === "ArrowDown" ? 1 : -1);
      }
    });
    this.#list.addEventListener("pointerdown", (event) => {
      const row = (event.target as Element).closest("li");
      event.preventDefault();
      if (!row?.dataset.hit) return;
      open(false);
      events.go(Number(row.dataset.hit));
    });
    this.show([], -1);
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  set(text: string): void {
    this.#input.value = text;
  }

  show(hits: readonly Hit[], current: number): void {
    const searching = this.#input.value.trim() !== "";
    this.element.toggleAttribute("data-searching", searching);
    this.element.toggleAttribute("data-missed", searching && hits.length === 0);
    this.#count.textContent = !searching
      ? ""
      : hits.length === 0
        ? "no hit"
        : `${current < 0 ? "" : `${current + 1} of `}${hits.length}`;
    for (const arrow of this.#arrows) arrow.disabled = hits.length === 0;
    const first = Math.max(0, Math.min(current - 5, hits.length - MOST_HITS));
    replace(
      this.#list,
      ...hits.slice(first, first + MOST_HITS).map((hit, i) => {
        const row = html(
          "li",
          {
            role: "option",
            "data-hit": first + i,
            "data-onnx-explorer-hit": true,
            "aria-selected": first + i === current ? "true" : "false",
          },
          html("b", {}, hit.title),
          html("span", {}, hit.text),
          html("small", {}, hit.path),
        );
        return row;
      }),
    );
    this.#list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }
}

/** The fields of a query; a click writes one into the box. */
function fieldHelp(write: (example: string) => void): HTMLElement {
  return html(
    "div",
    { class: "ox-fields", "aria-hidden": "true" },
    ...FIELD_HELP.map(({ example, text }) => {
      const row = html("div", {}, html("code", {}, example), html("span", {}, text));
      row.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        write(example);
      });
      return row;
    }),
  );
}

export class ViewBar {
  readonly element: HTMLDivElement;
  readonly #buttons = new Map<ViewAction, HTMLButtonElement>();

  constructor(act: (action: ViewAction) => void) {
    const made: [ViewAction, string, string][] = [
      ["go-back", "Back", "Back to where you were ([)"],
      ["go-forward", "Forward", "Forward again (])"],
      ["expand-all", "Open more groups", "Open one more level of groups"],
      ["collapse-all", "Close groups", "Close the innermost level of groups"],
      ["constants", "Constants", "Weights and other constants as boxes of their own (k)"],
      ["zoom-out", "Zoom out", "Zoom out (-)"],
      ["zoom-in", "Zoom in", "Zoom in (+)"],
      ["fit", "Fit", "Show the whole graph (f)"],
      ["table", "Table of nodes", "Show or hide the table of nodes (l)"],
      ["help", "Keys", "Keys and legend (?)"],
      ["inspector", "Inspector", "Show or hide the inspector (i)"],
    ];
    for (const [action, label, hint] of made) {
      const element = button(action, label, hint);
      if (action === "fit") element.setAttribute("data-onnx-explorer-fit", "");
      element.addEventListener("click", () => act(action));
      this.#buttons.set(action, element);
    }
    this.element = html(
      "div",
      { class: "ox-views", role: "toolbar", "aria-label": "View" },
      ...this.#buttons.values(),
    );
  }

  /** A button that stays down. */
  press(action: ViewAction, down: boolean): void {
    this.#buttons.get(action)?.setAttribute("aria-pressed", String(down));
  }

  enable(action: ViewAction, on: boolean): void {
    const known = this.#buttons.get(action);
    if (known) known.disabled = !on;
  }
}
