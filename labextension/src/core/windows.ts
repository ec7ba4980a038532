/** A window of a value as the viewer draws it: colours, places, and what is said of it. */
import type { ValueView, ValueWindow, WindowChoice } from "../protocol/messages";
import { numberText } from "./stepping";

export const VIEW_NAMES: Readonly<Record<ValueView, string>> = {
  table: "Table",
  heat: "Heat map",
  image: "Image",
  line: "Line",
  top: "Top",
  text: "Text",
};

export type Colour = readonly [red: number, green: number, blue: number];

/** Blue for what is below 0, orange above: told apart with any kind of colour vision. */
const BELOW: Colour = [0, 90, 181];
const ZERO: Colour = [247, 247, 247];
const ABOVE: Colour = [211, 84, 0];

/** What is no finite number has a sign of its own besides its colour. */
export type Sign = "nan" | "inf" | "-inf";

export const SIGNS: Readonly<Record<Sign, { colour: Colour; text: string }>> = {
  nan: { colour: [64, 64, 64], text: "NaN" },
  inf: { colour: [110, 30, 0], text: "inf" },
  "-inf": { colour: [0, 20, 90], text: "−inf" },
};

export function signOf(value: number | string | undefined): Sign | undefined {
  return value === "nan" || value === "inf" || value === "-inf" ? value : undefined;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

export function rangeOf({ low, high }: ValueWindow): Range {
  return { low: Number(low ?? 0), high: Number(high ?? 0) };
}

/** The width of the bar of colours, and of a digit below it: `viewer.css` sets the same. */
const BAR = 170;
const DIGIT = 7;

/** Where along the bar 0 stands, in percent; nothing where it would touch the number at an end, or is not in it. */
export function placeOfZero(
  { low, high }: Range,
  lowLetters: number,
  highLetters: number,
): number | undefined {
  if (!(low < 0 && high > 0 && high - low < Number.POSITIVE_INFINITY)) return undefined;
  const place = (BAR * -low) / (high - low);
  const own = 1.5 * DIGIT;
  const free = place > lowLetters * DIGIT + own && place < BAR - highLetters * DIGIT - own;
  return free ? (100 * place) / BAR : undefined;
}

/** White is 0 where both signs occur, else the number next to 0. */
export function colourOf(value: number, { low, high }: Range): Colour {
  if (low < 0 && high > 0) {
    const part = value / Math.max(-low, high);
    return part < 0 ? mix(ZERO, BELOW, -part) : mix(ZERO, ABOVE, part);
  }
  const part = high > low ? (value - low) / (high - low) : 0;
  return low < 0 ? mix(ZERO, BELOW, 1 - part) : mix(ZERO, ABOVE, part);
}

function mix(a: Colour, b: Colour, part: number): Colour {
  const one = (i: 0 | 1 | 2) => Math.round(a[i] + (b[i] - a[i]) * part);
  return [one(0), one(1), one(2)];
}

/** The colours of a heat map's cells, row by row. */
export function heatColours(shown: ValueWindow): Colour[] {
  const range = rangeOf(shown);
  return (shown.numbers ?? []).map((value) => {
    const sign = signOf(value);
    return sign ? SIGNS[sign].colour : colourOf(Number(value), range);
  });
}

/** The colours of an image's pixels, the whole range from black to white; a sign in any channel is the pixel's. */
export function imagePixels(shown: ValueWindow): { colour: Colour; sign: Sign | undefined }[] {
  const { low, high } = rangeOf(shown);
  const numbers = shown.numbers ?? [];
  const pixels = shown.rows * shown.columns;
  const depth = pixels === 0 ? 1 : numbers.length / pixels;
  const shade = (value: number | string | undefined) =>
    high > low ? Math.round((255 * (Number(value) - low)) / (high - low)) : 128;
  return Array.from({ length: pixels }, (_, i) => {
    const own = numbers.slice(i * depth, (i + 1) * depth);
    const sign = own.map(signOf).find((one) => one !== undefined);
    if (sign) return { colour: SIGNS[sign].colour, sign };
    const grey = shade(own[0]);
    const colour: Colour = depth === 3 ? [grey, shade(own[1]), shade(own[2])] : [grey, grey, grey];
    return { colour, sign: undefined };
  });
}

/** Which signs occur, and how often among what is shown. */
export function signCounts(shown: ValueWindow): [sign: Sign, count: number][] {
  const counts = new Map<Sign, number>();
  for (const value of shown.numbers ?? []) {
    const sign = signOf(value);
    if (sign) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  }
  return [...counts];
}

/** The indices of the element that a cell stands for. */
export function placeOf(shown: ValueWindow, row: number, column: number): number[] {
  const place = [...shown.at];
  const [every0 = 1, every1 = 1] = shown.every;
  const [start0 = 0, start1 = 0] = shown.start;
  const [first, second] = shown.axes;
  if (second === undefined) {
    if (first !== undefined) place[first] = start1 + column * every1;
  } else {
    place[first ?? 0] = start0 + row * every0;
    place[second] = start1 + column * every1;
  }
  return place;
}

/** What a cell under the pointer is: its place and its number, or the numbers of its channels. */
export function cellText(shown: ValueWindow, row: number, column: number): string {
  const { rows, columns, numbers = [] } = shown;
  if (row < 0 || column < 0 || row >= rows || column >= columns) return "";
  const depth = Math.max(1, numbers.length / (rows * columns));
  const cell = row * columns + column;
  const values = numbers.slice(cell * depth, (cell + 1) * depth).map(numberText);
  const high = shown.highs?.[cell];
  const range = high !== undefined && high !== numbers[cell] ? ` … ${numberText(high)}` : "";
  const place = placeOf(shown, row, column);
  const { channel = -1, layout } = shown;
  const at = place.map((index, axis) =>
    layout?.[axis] === "C" ? (channel < 0 ? ":" : String(channel)) : String(index),
  );
  return `[${at.join(", ")}] ${values.join(", ")}${range}`;
}

/** What a person must know of a window that is not the whole slice. */
export function windowText(shown: ValueWindow): string {
  const { view, every, rows, columns, sizes, axes, start } = shown;
  const [every0 = 1, every1 = 1] = every;
  if (view === "line") return every1 > 1 ? `Each point is the range of ${every1} elements.` : "";
  if (every0 > 1 || every1 > 1) {
    const each = (n: number, what: string) => (n === 1 ? `all ${what}` : `1 of ${n} ${what}`);
    const signs = shown.scanned === false ? " NaN and inf in between are not shown." : "";
    return `Shows ${each(every0, "rows")} and ${each(every1, "columns")}.${signs}`;
  }
  if (view === "table") {
    const [first, second] = axes.length === 2 ? axes : [undefined, axes[0]];
    const height = first === undefined ? 1 : (sizes[first] ?? 1);
    const width = second === undefined ? 1 : (sizes[second] ?? 1);
    if (rows === height && columns === width) return "";
    const [row = 0, column = 0] = start;
    const part = (from: number, count: number, of: number) =>
      `${from}–${from + count - 1} of ${of.toLocaleString("en")}`;
    if (first === undefined) return `Elements ${part(column, columns, width)}.`;
    return `Rows ${part(row, rows, height)}, columns ${part(column, columns, width)}.`;
  }
  if (view === "text" && rows < (sizes[axes[0] ?? 0] ?? rows))
    return `${start[0] ?? 0}–${(start[0] ?? 0) + rows - 1} of ${sizes[axes[0] ?? 0]}.`;
  return "";
}

/** Another role for an axis: the one that had it takes this one's. */
export function withRole(shown: ValueWindow, axis: number, role: number | "at"): WindowChoice {
  const axes = [...shown.axes];
  const own = axes.indexOf(axis);
  if (role === "at") {
    const free = shown.sizes.findIndex((_, i) => !axes.includes(i));
    if (own >= 0 && free >= 0) axes[own] = free;
  } else {
    const before = axes[role];
    axes[role] = axis;
    if (own >= 0 && before !== undefined) axes[own] = before;
  }
  return { axes, at: [...shown.at], start: [] };
}
