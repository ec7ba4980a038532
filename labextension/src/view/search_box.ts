/** The search's field in the bar, with what is found, or what can follow, in a list below it. */
import type { Completion, Completions } from "../core/completion";
import { FIELD_HELP } from "../core/query";
import { type Hit, stepThrough } from "../core/search";
import { button } from "./bar";
import { html, replace } from "./dom";
import { icon } from "./icons";

/** How many rows the list shows; the count tells how many there are. */
const MOST_ROWS = 60;

export interface SearchEvents {
  query(text: string): void;
  go(index: number): void;
  step(direction: 1 | -1): void;
  leave(): void;
}

let instances = 0;

export class SearchBox {
  readonly element: HTMLDivElement;
  readonly #id = `ox-search-${++instances}`;
  readonly #input: HTMLInputElement;
  readonly #count = html("span", { class: "ox-count", role: "status" });
  readonly #list: HTMLUListElement;
  readonly #arrows: HTMLButtonElement[];
  readonly #events: SearchEvents;
  #completions: readonly Completion[] | undefined;
  #chosen = -1;

  constructor(events: SearchEvents) {
    this.#events = events;
    this.#list = html("ul", {
      class: "ox-hits",
      id: this.#id,
      role: "listbox",
      "aria-label": "Hits",
    });
    this.#input = html("input", {
      type: "search",
      class: "ox-search-input",
      "data-onnx-explorer-search": true,
      placeholder: "Search, or op:Conv dim:768 …",
      role: "combobox",
      "aria-label": "Search operators, names, values and groups",
      "aria-autocomplete": "list",
      "aria-controls": this.#id,
      "aria-expanded": "false",
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
        this.#write(`${before} ${example.slice(0, example.indexOf(":") + 1)}`.trimStart());
        this.#input.focus();
      }),
    );
    previous.addEventListener("click", () => events.step(-1));
    next.addEventListener("click", () => events.step(1));
    this.#input.addEventListener("focus", () => this.#open(true));
    this.#input.addEventListener("blur", () => this.#tellWhatIsChosen());
    this.#input.addEventListener("pointerdown", () => this.#open(true));
    this.#input.addEventListener("input", () => {
      this.#open(true);
      events.query(this.#input.value);
    });
    this.#input.addEventListener("keydown", (event) => this.#press(event));
    this.#list.addEventListener("pointerdown", (event) => {
      const row = (event.target as Element).closest("li");
      event.preventDefault();
      if (row?.dataset.completion) this.#write(row.dataset.completion);
      if (!row?.dataset.hit) return;
      this.#open(false);
      events.go(Number(row.dataset.hit));
    });
    this.show([], -1, undefined);
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  set(text: string): void {
    this.#input.value = text;
  }

  show(hits: readonly Hit[], current: number, completions: Completions | undefined): void {
    const searching = this.#input.value.trim() !== "";
    const missed = searching && hits.length === 0 && !completions;
    this.#completions = completions?.choices;
    this.#chosen = -1;
    this.element.toggleAttribute("data-searching", searching);
    this.element.toggleAttribute("data-missed", missed);
    this.#count.textContent = completions
      ? completions.told
      : missed
        ? "no hit"
        : searching
          ? `${current < 0 ? "" : `${current + 1} of `}${hits.length}`
          : "";
    for (const arrow of this.#arrows) arrow.disabled = hits.length === 0;
    this.#list.setAttribute("aria-label", completions ? "What can follow" : "Hits");
    if (completions) this.#complete();
    else this.#showHits(hits, current);
  }

  #open(wanted: boolean): void {
    this.element.toggleAttribute("data-open", wanted);
    this.#tellWhatIsChosen();
  }

  #write(query: string): void {
    this.#input.value = query;
    this.#open(true);
    this.#events.query(query);
  }

  #press(event: KeyboardEvent): void {
    // Whatever is typed here is text, not a command of the explorer or of the notebook.
    event.stopPropagation();
    const { key, shiftKey } = event;
    const chosen = this.#completions?.[this.#chosen];
    if (key === "Enter" && chosen) this.#write(chosen.query);
    else if (key === "Enter") {
      // The hit is to be seen, not the list in front of it.
      this.#open(false);
      this.#events.step(shiftKey ? -1 : 1);
    } else if (key === "Escape") {
      // Of itself the browser would empty the field.
      event.preventDefault();
      this.#open(false);
      this.#events.leave();
    } else if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      this.#open(true);
      const step = key === "ArrowDown" ? 1 : -1;
      if (this.#completions) this.#choose(step, this.#completions.length);
      else this.#events.step(step);
    }
  }

  #choose(step: 1 | -1, count: number): void {
    this.#chosen = stepThrough(count, this.#chosen, step);
    this.#complete();
  }

  #complete(): void {
    this.#fill(this.#completions ?? [], this.#chosen, ({ value, note, query }) => [
      { "data-completion": query },
      html("b", {}, value),
      html("span", {}, note),
    ]);
  }

  #showHits(hits: readonly Hit[], current: number): void {
    this.#fill(hits, current, (hit, i) => [
      { "data-hit": i, "data-onnx-explorer-hit": true },
      html("b", {}, hit.title),
      html("span", {}, hit.text),
      html("small", {}, hit.path),
    ]);
  }

  /** The rows around the current one. */
  #fill<T>(
    all: readonly T[],
    current: number,
    row: (one: T, index: number) => [Record<string, string | number | boolean>, ...HTMLElement[]],
  ): void {
    const first = Math.max(0, Math.min(current - 5, all.length - MOST_ROWS));
    replace(
      this.#list,
      ...all.slice(first, first + MOST_ROWS).map((one, i) => {
        const index = first + i;
        const [attributes, ...children] = row(one, index);
        const selected = String(index === current);
        const own = { role: "option", id: `${this.#id}-${index}`, "aria-selected": selected };
        return html("li", { ...own, ...attributes }, ...children);
      }),
    );
    this.#list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
    this.#tellWhatIsChosen();
  }

  /** To those who hear what they type. */
  #tellWhatIsChosen(): void {
    const isOpen =
      this.element.hasAttribute("data-open") &&
      this.#list.childElementCount > 0 &&
      this.#input.matches(":focus");
    const chosen = isOpen ? this.#list.querySelector('[aria-selected="true"]') : null;
    this.#input.setAttribute("aria-expanded", String(isOpen));
    if (chosen) this.#input.setAttribute("aria-activedescendant", chosen.id);
    else this.#input.removeAttribute("aria-activedescendant");
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
