/** The numbers of a tensor as the inspector writes and draws them. */
import type { SlicePicture, Statistics } from "../protocol/messages";
import { numberText } from "./stepping";

export interface NumberFact {
  readonly label: string;
  readonly text: string;
}

export function numberFacts(found: Statistics): NumberFact[] {
  const counted = found.looked_at ?? 0;
  const share = (count: number | null | undefined) =>
    count ? `${count.toLocaleString("en")}${percent(count, counted)}` : "";
  const facts: [string, string][] = [
    ["elements", found.elements === undefined ? "" : found.elements.toLocaleString("en")],
    ["bytes", found.bytes === undefined ? "" : bytesText(found.bytes)],
    ["min", known(found.min)],
    ["max", known(found.max)],
    ["mean", known(found.mean)],
    ["std", known(found.std)],
    ["zeros", share(found.zeros)],
    ["NaN", share(found.nan)],
    ["infinite", share(found.infinite)],
  ];
  return facts.flatMap(([label, text]) => (text === "" ? [] : [{ label, text }]));
}

/** What a person must know of numbers that are a sample's; "" where all elements were looked at. */
export function sampleText({ looked_at, elements }: Statistics): string {
  if (looked_at === undefined || elements === undefined || looked_at >= elements) return "";
  return `From a sample of ${looked_at.toLocaleString("en")} evenly spaced elements.`;
}

function known(value: number | string | null | undefined): string {
  return value === undefined || value === null ? "" : numberText(value);
}

function percent(count: number, of: number): string {
  if (of === 0) return "";
  const share = (100 * count) / of;
  return ` (${share < 0.1 ? "<0.1" : share.toFixed(share < 10 ? 1 : 0)} %)`;
}

export function bytesText(bytes: number): string {
  let amount = bytes;
  for (const unit of ["B", "kB", "MB"]) {
    if (amount < 1000) return `${unit === "B" ? amount : amount.toPrecision(3)} ${unit}`;
    amount /= 1000;
  }
  return `${amount.toPrecision(3)} GB`;
}

export type Colour = readonly [red: number, green: number, blue: number];

/** Blue for what is below 0, orange above: told apart with any kind of colour vision. */
const BELOW: Colour = [0, 90, 181];
const ZERO: Colour = [247, 247, 247];
const ABOVE: Colour = [211, 84, 0];
const NOT_A_NUMBER: Colour = [120, 120, 120];

/** The colours of a slice: white is 0 where both signs occur, else the smallest. */
export function colours({ shades, low, high }: SlicePicture): Colour[] {
  const [from, to] = [Number(low), Number(high)];
  const most = Math.max(Math.abs(from), Math.abs(to)) || 1;
  const mixed = from < 0 && to > 0;
  return shades.map((shade) => {
    if (shade < 0) return NOT_A_NUMBER;
    const part = shade / 255;
    if (!mixed) return to <= 0 && from < 0 ? mix(ZERO, BELOW, 1 - part) : mix(ZERO, ABOVE, part);
    const value = (from + part * (to - from)) / most;
    return value < 0 ? mix(ZERO, BELOW, -value) : mix(ZERO, ABOVE, value);
  });
}

function mix(a: Colour, b: Colour, part: number): Colour {
  const one = (i: 0 | 1 | 2) => Math.round(a[i] + (b[i] - a[i]) * part);
  return [one(0), one(1), one(2)];
}

/** The value that a cell stands for, as exactly as its shade tells. */
export function cellText(slice: SlicePicture, row: number, column: number): string {
  const { at, every, rows, columns, shades, low, high, sizes } = slice;
  if (row < 0 || column < 0 || row >= rows || column >= columns) return "";
  const place = [row * every[0], column * every[1]].slice(2 - Math.min(2, sizes.length));
  const shade = shades[row * columns + column] ?? -1;
  const value = Number(low) + (shade / 255) * (Number(high) - Number(low));
  const about = shade < 0 ? "nan" : `≈ ${numberText(value)}`;
  return `[${[...at, ...place].join(", ")}] ${about}`;
}
