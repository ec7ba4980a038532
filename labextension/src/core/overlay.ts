/** What boxes can be coloured by: numbers or words, some known of every model, some given by a person. */
import type { Figure } from "../protocol/scene";
import type { GivenOverlay } from "../protocol/shared";
import { FIGURE_UNITS, FIGURES, type FigureName, figuresOf } from "./figures";
import type { Scene } from "./scene";
import { bytesText } from "./statistics";

export interface Overlay {
  readonly name: string;
  readonly unit: string;
  /** How the numbers of what is folded into one box become one. */
  readonly combine: GivenOverlay["combine"];
  readonly kind: "numbers" | "words";
  /** For each box a number, arithmetic or a word; "" for none. */
  readonly values: readonly Figure[];
  /** What is written in place of a number, by box. */
  readonly texts?: ReadonlyMap<number, string>;
}

export const DTYPE = "dtype";
export const RANGE = "activation range";

export const BUILT_IN: readonly string[] = [...FIGURES, DTYPE, RANGE];

/** The name of an overlay as it is shown: multiply-adds and operations go by their initials. */
export function overlayTitle(name: string): string {
  return name === "macs" ? "MACs" : name === "flops" ? "FLOPs" : name;
}

/** The overlay of a name; undefined where there is none, or where only a run can tell. */
export function overlayOf(
  scene: Scene,
  name: string,
  given: Readonly<Record<string, GivenOverlay>>,
): Overlay | undefined {
  const own = Object.hasOwn(given, name) ? given[name] : undefined;
  if (own) return givenOverlay(scene, name, own);
  if (name === DTYPE) return dtypes(scene);
  if (!(FIGURES as readonly string[]).includes(name)) return undefined;
  const figure = name as FigureName;
  return {
    name,
    unit: FIGURE_UNITS[figure],
    combine: "sum",
    kind: "numbers",
    values: figuresOf(scene, figure),
  };
}

function givenOverlay(scene: Scene, name: string, given: GivenOverlay): Overlay {
  const { unit, combine, values } = given;
  const words = Object.values(values).some((value) => typeof value === "string");
  return {
    name,
    unit,
    combine,
    kind: words ? "words" : "numbers",
    values: scene.boxes.map(({ id }) => (Object.hasOwn(values, id) ? (values[id] ?? "") : "")),
  };
}

function dtypes(scene: Scene): Overlay {
  return {
    name: DTYPE,
    unit: "",
    combine: "sum",
    kind: "words",
    values: scene.boxes.map(({ kind, outputs, inputs }) => {
      const type = (kind === "output" ? inputs : outputs)[0]?.[2] ?? "";
      const bracket = type.lastIndexOf("[");
      return bracket < 0 ? type.replace("?", "") : type.slice(0, bracket);
    }),
  };
}

/** Least and largest element of what each node has made, by its id. */
export type Ranges = Readonly<Record<string, readonly [low: number, high: number]>>;

/** Coloured by the largest magnitude: what runs away, and what has died, both show. */
export function rangeOverlay(scene: Scene, ranges: Ranges): Overlay {
  const texts = new Map<number, string>();
  const values = scene.boxes.map(({ id }, box): Figure => {
    const range = Object.hasOwn(ranges, id) ? ranges[id] : undefined;
    if (!range) return "";
    texts.set(box, `${amountText(range[0], "")} … ${amountText(range[1], "")}`);
    return Math.max(Math.abs(range[0]), Math.abs(range[1]));
  });
  return { name: RANGE, unit: "", combine: "max", kind: "numbers", values, texts };
}

const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];
const BEYOND_PREFIXES = 999.5e18;

/** A number in three digits with its unit: `1.35 M`, `812 B`, `0.25 ms`. */
export function amountText(number: number, unit: string): string {
  if (!Number.isFinite(number)) return String(number);
  if (unit === "B") return bytesText(Math.round(number));
  const unitAfter = unit && ` ${unit}`;
  if (Math.abs(number) >= BEYOND_PREFIXES) return digits(number) + unitAfter;
  let [amount, place] = [number, 0];
  // Only what counts things is given in thousands: 12 000 ms stay ms.
  while (unit === "" && Math.abs(amount) >= 999.5 && place < PREFIXES.length - 1) {
    amount /= 1000;
    place++;
  }
  const text = Math.abs(amount) >= 999.5 ? Math.round(amount).toLocaleString("en") : digits(amount);
  return text + (unitAfter || (place > 0 ? ` ${PREFIXES[place]}` : ""));
}

function digits(amount: number): string {
  return String(Number(amount.toPrecision(3)));
}
