/** The table of nodes below the drawing: only the rows that can be seen are in the page. */
import { groupsAround } from "../core/expansion";
import { groupTitle } from "../core/naming";
import { type Column, type ColumnName, NodeTable, type Order } from "../core/node_table";
import type { Overlay } from "../core/overlay";
import type { Scene } from "../core/scene";
import { button } from "./bar";
import { html, replace } from "./dom";

const ROW = 24;
/** Rows beyond the edge that are there all the same. */
const SPARE = 8;

export interface TableEvents {
  goTo(box: number): void;
  close(): void;
}

export class NodeTableView {
  readonly element: HTMLElement;
  readonly #events: TableEvents;
  readonly #filter: HTMLInputElement;
  readonly #scope: HTMLSelectElement;
  readonly #count = html("span", { class: "ox-count", role: "status" });
  readonly #head = html("div", { class: "ox-table-head", role: "row" });
  readonly #rows = html("div", { class: "ox-table-rows", role: "rowgroup" });
  readonly #body: HTMLElement;
  #scene: Scene | undefined;
  #overlay: Overlay | undefined;
  #sizes: ReadonlyMap<string, number> = new Map();
  #table: NodeTable | undefined;
  #order: Order | undefined;
  #shown: readonly number[] = [];
  #selected = -1;
  #frame = 0;

  constructor(events: TableEvents) {
    this.#events = events;
    this.#filter = html("input", {
      type: "search",
      class: "ox-table-filter",
      placeholder: "Filter, as in the search: op:Conv dim:768",
      "aria-label": "Filter the table",
      spellcheck: "false",
      autocomplete: "off",
    });
    this.#filter.addEventListener("input", () => this.#arrange());
    this.#scope = html("select", { "aria-label": "Rows of" });
    this.#scope.addEventListener("change", () => this.#arrange());
    const close = button("close", "Close the table", "Close the table (l)");
    close.addEventListener("click", () => events.close());
    this.#body = html(
      "div",
      {
        class: "ox-table-body",
        role: "grid",
        tabindex: 0,
        "aria-label": "Nodes: arrow keys go from row to row, Enter centres",
      },
      this.#head,
      this.#rows,
    );
    this.#body.addEventListener("scroll", () => this.#schedule());
    this.#body.addEventListener("keydown", (event) => this.#press(event));
    this.#rows.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-box]");
      if (row) this.#choose(this.#shown.indexOf(Number(row.dataset.box)));
    });
    this.element = html(
      "section",
      {
        class: "ox-table",
        "data-onnx-explorer-table": true,
        "aria-label": "Table of nodes",
        hidden: true,
      },
      html("header", {}, html("b", {}, "Nodes"), this.#filter, this.#scope, this.#count, close),
      this.#body,
    );
    new ResizeObserver(() => this.#schedule()).observe(this.#body);
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  toggle(): void {
    this.element.hidden = this.isOpen;
    if (this.isOpen) {
      this.#make();
      this.#reveal();
      this.#body.focus({ preventScroll: true });
    }
  }

  load(scene: Scene): void {
    this.#selected = -1;
    this.#filter.value = "";
    this.#order = undefined;
    this.follow(scene);
  }

  /** The same graph in another scene: filter and order stay. */
  follow(scene: Scene): void {
    this.#scene = scene;
    this.#showScopes();
    this.#make();
  }

  /** Another overlay, or other sizes. */
  setOverlay(overlay: Overlay | undefined, sizes: ReadonlyMap<string, number>): void {
    this.#overlay = overlay;
    this.#sizes = sizes;
    this.#make();
  }

  select(box: number | undefined): void {
    if (box === this.#selected) return;
    this.#selected = box ?? -1;
    this.#showScopes();
    if (!this.isOpen) return;
    this.#reveal();
  }

  #make(): void {
    if (!this.#scene || !this.isOpen) return;
    const table = new NodeTable(this.#scene, this.#overlay, this.#sizes);
    this.#table = table;
    const { columns } = table;
    const widths = columns.map((column) => widthOf(column, table.longest(column)));
    const least = columns.reduce((sum, column) => sum + leastOf(column), 0);
    this.#body.style.setProperty("--ox-columns", widths.join(" "));
    this.#body.style.setProperty("--ox-least", `${least}px`);
    this.#body.setAttribute("aria-colcount", String(columns.length));
    replace(this.#head, ...columns.map((column) => this.#headCell(column)));
    this.#arrange();
  }

  #headCell({ name, title, numeric }: Column): HTMLElement {
    const by = this.#order?.column === name ? this.#order : undefined;
    const sorted = by ? (by.descending ? "descending" : "ascending") : "none";
    const sorter = html("button", { type: "button", "data-column": name }, title);
    sorter.addEventListener("click", () => this.#sortBy(name, numeric));
    return html(
      "div",
      { role: "columnheader", "aria-sort": sorted, "data-numeric": numeric },
      sorter,
    );
  }

  /** First what is large, or first in the alphabet; then the other way; then as in the file. */
  #sortBy(column: ColumnName, numeric: boolean): void {
    const before = this.#order?.column === column ? this.#order : undefined;
    if (!before) this.#order = { column, descending: numeric };
    else this.#order = before.descending === numeric ? { column, descending: !numeric } : undefined;
    this.#make();
    this.#head.querySelector<HTMLElement>(`[data-column="${column}"]`)?.focus();
  }

  #arrange(): void {
    if (!this.#table) return;
    const filter = { query: this.#filter.value, group: Number(this.#scope.value) || 0 };
    this.#shown = this.#table.rows(filter, this.#order);
    const [shown, all] = [this.#shown.length, this.#table.size].map((n) => n.toLocaleString("en"));
    this.#count.textContent = shown === all ? `${all} nodes` : `${shown} of ${all} nodes`;
    this.#rows.style.height = `${this.#shown.length * ROW}px`;
    this.#body.setAttribute("aria-rowcount", String(this.#shown.length + 1));
    this.#update();
  }

  /** The whole graph, or a group around what is selected. */
  #showScopes(): void {
    if (!this.#scene) return;
    const scene = this.#scene;
    const chosen = Number(this.#scope.value) || 0;
    const around = this.#selected < 0 ? [] : groupsAround(scene, this.#selected);
    const groups = chosen > 0 && !around.includes(chosen) ? [chosen, ...around] : around;
    replace(
      this.#scope,
      html("option", { value: 0 }, "of the whole graph"),
      ...groups.map((group) => html("option", { value: group }, `in ${groupTitle(scene, group)}`)),
    );
    this.#scope.value = String(groups.includes(chosen) ? chosen : 0);
  }

  #schedule(): void {
    if (this.#frame || !this.isOpen) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#update();
    });
  }

  #update(): void {
    const table = this.#table;
    if (!table || !this.isOpen) return;
    const { scrollTop, clientHeight } = this.#body;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - SPARE);
    const last = Math.min(this.#shown.length, Math.ceil((scrollTop + clientHeight) / ROW) + SPARE);
    const rows = this.#shown.slice(first, last).map((box, i) => {
      const row = html(
        "div",
        {
          role: "row",
          class: "ox-table-row",
          id: this.#rowId(box),
          "data-box": box,
          "aria-rowindex": first + i + 2,
          "aria-selected": box === this.#selected ? "true" : "false",
        },
        ...table.columns.map(({ name, numeric }) => {
          const { text, hint } = table.cell(box, name);
          // A name that is too long for its column is cut at the front: the end of a path tells nodes apart.
          const isName = name === "name";
          return html(
            "div",
            {
              role: "gridcell",
              class: isName ? "ox-table-name" : undefined,
              "data-numeric": numeric,
              title: hint,
            },
            isName ? html("bdi", { dir: "ltr" }, text) : text,
          );
        }),
      );
      row.style.top = `${(first + i) * ROW}px`;
      return row;
    });
    replace(this.#rows, ...rows);
    if (this.#shown.includes(this.#selected) && this.#rows.querySelector('[aria-selected="true"]'))
      this.#body.setAttribute("aria-activedescendant", this.#rowId(this.#selected));
    else this.#body.removeAttribute("aria-activedescendant");
  }

  #rowId(box: number): string {
    return `${this.#id}-${box}`;
  }

  readonly #id = `ox-row-${Math.random().toString(36).slice(2)}`;

  /** Scrolls to the selected row, if it is not in sight. */
  #reveal(): void {
    const place = this.#shown.indexOf(this.#selected);
    if (place >= 0) {
      const { scrollTop, clientHeight } = this.#body;
      const top = place * ROW;
      const room = clientHeight - this.#head.offsetHeight - ROW;
      if (top < scrollTop || top > scrollTop + room)
        this.#body.scrollTop = Math.max(0, top - room / 2);
    }
    this.#update();
  }

  #choose(place: number): void {
    const box = this.#shown[Math.min(this.#shown.length - 1, Math.max(0, place))];
    if (box !== undefined) this.#events.goTo(box);
  }

  #press(event: KeyboardEvent): void {
    if (event.target !== this.#body || event.ctrlKey || event.metaKey || event.altKey) return;
    const here = this.#shown.indexOf(this.#selected);
    const page = Math.max(1, Math.floor(this.#body.clientHeight / ROW) - 2);
    const places: Record<string, number> = {
      ArrowDown: here + 1,
      ArrowUp: here < 0 ? 0 : here - 1,
      PageDown: here + page,
      PageUp: here - page,
      Home: 0,
      End: this.#shown.length - 1,
      Enter: here,
    };
    const place = Object.hasOwn(places, event.key) ? places[event.key] : undefined;
    if (place === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#choose(place);
  }
}

/** In pixels: room for a title with the sign of its order, by letters, and at least and at most so much. */
const OF_NUMBERS = { letter: 7.5, sign: 28, least: 128, most: 220 };
/** Of words: what they have in pixels at least, and letters after which a longer one is cut before others are. */
const OF_WORDS: Partial<Record<ColumnName, readonly [least: number, most: number]>> = {
  operator: [110, 24],
  name: [160, 120],
  output: [120, 60],
};

function leastOf({ name, title, numeric }: Column): number {
  if (!numeric) return OF_WORDS[name]?.[0] ?? 120;
  const { letter, sign, least, most } = OF_NUMBERS;
  return Math.max(least, Math.min(most, Math.ceil(title.length * letter + sign)));
}

/** Columns of words share what is left by their longest ones. */
function widthOf(column: Column, longest: number): string {
  const least = `${leastOf(column)}px`;
  const share = Math.max(8, Math.min(longest, OF_WORDS[column.name]?.[1] ?? 24));
  return column.numeric ? least : `minmax(${least}, ${share}fr)`;
}
