/** The nodes as rows: which, in which order, and what stands in each column. */
import type { Figure } from "../protocol/scene";
import { titleOf } from "./card";
import { figuresOf, numberOf } from "./figures";
import { amountText, BUILT_IN, type Overlay, overlayTitle } from "./overlay";
import { readQuery } from "./query";
import { at, isInOperator, type Scene } from "./scene";

export type ColumnName =
  | "operator"
  | "name"
  | "output"
  | "parameters"
  | "output bytes"
  | "macs"
  | "overlay";

export interface Column {
  readonly name: ColumnName;
  readonly title: string;
  readonly numeric: boolean;
}

/** What a cell says, and what is said of it when one points at it. */
export interface Cell {
  readonly text: string;
  readonly hint: string;
}

export interface Order {
  readonly column: ColumnName;
  readonly descending: boolean;
}

export interface Filter {
  /** In the language of the search. */
  readonly query: string;
  /** A group that rows lie in; 0 for the whole graph. */
  readonly group: number;
}

const FIGURE_COLUMNS = ["parameters", "output bytes", "macs"] as const;
type FigureColumn = (typeof FIGURE_COLUMNS)[number];

const UNITS: Readonly<Record<FigureColumn, string>> = {
  parameters: "",
  "output bytes": "B",
  macs: "",
};

export class NodeTable {
  readonly #scene: Scene;
  readonly #overlay: Overlay | undefined;
  readonly #sizes: ReadonlyMap<string, number>;
  readonly columns: readonly Column[];
  readonly #nodes: readonly number[];
  readonly #keys = new Map<ColumnName, readonly (string | number | undefined)[]>();

  constructor(scene: Scene, overlay: Overlay | undefined, sizes: ReadonlyMap<string, number>) {
    this.#scene = scene;
    this.#overlay = overlay;
    this.#sizes = sizes;
    this.#nodes = scene.boxes.flatMap(({ op, group }, box) =>
      op === "" || isInOperator(scene, group) ? [] : [box],
    );
    const extra = overlay && !(FIGURE_COLUMNS as readonly string[]).includes(overlay.name);
    const title = columnTitle(overlay?.name ?? "");
    this.columns = [
      { name: "operator", title: "Operator", numeric: false },
      { name: "name", title: "Name", numeric: false },
      { name: "output", title: "Output", numeric: false },
      { name: "parameters", title: "Parameters", numeric: true },
      { name: "output bytes", title: "Output bytes", numeric: true },
      { name: "macs", title: "MACs", numeric: true },
      ...(extra
        ? [
            {
              name: "overlay",
              title: overlay.unit ? `${title} (${overlay.unit})` : title,
              numeric: overlay.kind === "numbers",
            } as const,
          ]
        : []),
    ];
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** The boxes that pass, in order; without an order in the file's. */
  rows(filter: Filter, order: Order | undefined): readonly number[] {
    const rows = this.#passing(filter);
    if (!order || !this.columns.some(({ name }) => name === order.column)) return rows;
    const keys = this.#keysOf(order.column);
    const way = order.descending ? -1 : 1;
    return [...rows].sort((a, b) => {
      const [x, y] = [keys[a], keys[b]];
      // What has no number comes last, whichever way one sorts.
      if (x === undefined || y === undefined)
        return (x === undefined ? 1 : 0) - (y === undefined ? 1 : 0) || a - b;
      return x === y ? a - b : x < y ? -way : way;
    });
  }

  cell(box: number, column: ColumnName): Cell {
    const { name, outputs } = at(this.#scene.boxes, box);
    switch (column) {
      case "operator":
        return said(titleOf(at(this.#scene.boxes, box)));
      case "name":
        return said(name);
      case "output": {
        const [first, ...more] = outputs.map(([, , type]) => type);
        return said([first ?? "", more.length > 0 ? ` +${more.length}` : ""].join(""));
      }
      case "overlay":
        return this.#overlayCell(box);
      default:
        return this.#figureCell(at(figuresOf(this.#scene, column), box), UNITS[column]);
    }
  }

  /** How many letters the longest word of a column has. */
  longest({ name, numeric }: Column): number {
    if (numeric) return 0;
    return this.#nodes.reduce((most, box) => Math.max(most, this.cell(box, name).text.length), 0);
  }

  #overlayCell(box: number): Cell {
    const overlay = this.#overlay;
    const value = overlay?.values[box] ?? "";
    const text = overlay?.texts?.get(box);
    if (!overlay || text !== undefined || overlay.kind === "words") return said(text ?? `${value}`);
    // The unit stands in the head.
    const number = numberOf(value, this.#sizes);
    return said(number === undefined ? "" : amountText(number, overlay.unit === "B" ? "B" : ""));
  }

  #figureCell(figure: Figure, unit: string): Cell {
    const number = numberOf(figure, this.#sizes);
    if (number === undefined) return said(String(figure));
    const text = number === 0 ? "" : amountText(number, unit);
    return { text, hint: typeof figure === "string" ? figure : number.toLocaleString("en") };
  }

  #passing({ query, group }: Filter): readonly number[] {
    const tests = readQuery(this.#scene, query);
    const inside = group > 0 ? this.#inside(group) : undefined;
    return this.#nodes.filter((box) => {
      const known = at(this.#scene.boxes, box);
      if (inside && !inside[known.group]) return false;
      return tests.every((test) => test(known, box) > 0);
    });
  }

  /** For each group whether it is this one or lies in it. */
  #inside(group: number): readonly boolean[] {
    return this.#scene.groups.map((_, i) => {
      for (let g = i; g >= 0; g = at(this.#scene.groups, g).parent) if (g === group) return true;
      return false;
    });
  }

  #keysOf(column: ColumnName): readonly (string | number | undefined)[] {
    const known = this.#keys.get(column);
    if (known) return known;
    const made = this.#makeKeys(column);
    this.#keys.set(column, made);
    return made;
  }

  #makeKeys(column: ColumnName): (string | number | undefined)[] {
    const numeric = this.columns.some(({ name, numeric }) => name === column && numeric);
    if (!numeric)
      return this.#scene.boxes.map((_, box) => natural(this.cell(box, column).hint) || undefined);
    const figures =
      column === "overlay" ? this.#overlay?.values : figuresOf(this.#scene, column as FigureColumn);
    return (figures ?? []).map((figure) => numberOf(figure, this.#sizes));
  }
}

const said = (text: string): Cell => ({ text, hint: text });

/** Numbers in names are ordered as numbers: layer 9 comes before layer 10. */
function natural(text: string): string {
  return text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));
}

/** Names that a person has given stay as they are. */
function columnTitle(overlay: string): string {
  const title = overlayTitle(overlay);
  const isOurs = BUILT_IN.includes(overlay);
  return isOurs ? `${title.charAt(0).toUpperCase()}${title.slice(1)}` : title;
}
