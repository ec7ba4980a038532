/** Places type labels on routed wires: beside what is already there, else not at all. */
import type { Mark } from "../protocol/scene";
import type { Measure } from "./card";
import { overlaps, pointAlong, type Rect, type Sampled } from "./curve";
import type { Point } from "./geometry";

export const LABEL_LINE = 12;
/** Room for the sign of an unknown or mismatching edge before its label. */
export const SIGN_ROOM = 15;
/** How much larger labels are drawn when the drawing is far away, and how much smaller when it is near. */
export const FAR_SCALES: readonly number[] = [1.5, 2.25];
export const NEAR_SCALES: readonly number[] = [0.4, 0.62];

/** The zoom from which a label of full size can be read. */
const READABLE_LABEL = 0.55;

/**
 * The scale of all labels at a zoom; none where they could not be read. Near labels are no smaller on the screen than
 * those at zoom 1, but there is more room for them between the boxes.
 */
export function labelScale(k: number): number | undefined {
  const near = NEAR_SCALES.find((scale) => scale * k >= 1);
  return near ?? [1, ...FAR_SCALES].find((scale) => scale * k >= READABLE_LABEL);
}

/** Widths at which a long type is broken; the next one is taken where more than three lines would come out. */
const WRAP_AT: readonly number[] = [210, 290, 400, Number.POSITIVE_INFINITY];
const MOST_LINES = 3;

/** The lines of a label, and the width of the longest one. */
interface Lettering {
  readonly lines: readonly string[];
  readonly widest: number;
}

/** By text: a drawing has many edges and few types, and each is asked for whenever it is laid out. */
const LETTERINGS = new WeakMap<Measure, Map<string, Lettering>>();
const MOST_LETTERINGS = 5000;

/** Breaks a long type after commas. Joined, the lines are the text again. */
export function labelLines(text: string, measure: Measure): readonly string[] {
  return letteringOf(text, measure).lines;
}

function letteringOf(text: string, measure: Measure): Lettering {
  let known = LETTERINGS.get(measure);
  if (!known || known.size > MOST_LETTERINGS) {
    known = new Map();
    LETTERINGS.set(measure, known);
  }
  let lettering = known.get(text);
  if (!lettering) {
    const lines = brokenLines(text, measure);
    const widths = lines.map((line) => measure(line.trimEnd(), "label"));
    lettering = { lines, widest: Math.max(0, ...widths) };
    known.set(text, lettering);
  }
  return lettering;
}

function brokenLines(text: string, measure: Measure): string[] {
  const parts = text.split(/(?<=, )/);
  for (const limit of WRAP_AT) {
    const lines: string[] = [];
    for (const part of parts) {
      const last = lines.at(-1);
      if (last !== undefined && measure(last + part.trimEnd(), "label") <= limit)
        lines[lines.length - 1] = last + part;
      else lines.push(part);
    }
    if (lines.length <= MOST_LINES) return lines;
  }
  return [text];
}

/** Mismatches are set in bold. */
const BOLDER = 1.12;

export interface LabelSize {
  readonly width: number;
  readonly height: number;
}

export function labelSize(text: string, mark: Mark, measure: Measure): LabelSize {
  const { lines, widest } = letteringOf(text, measure);
  const sign = mark === "known" ? 0 : SIGN_ROOM;
  const wide = mark === "mismatch" ? widest * BOLDER : widest;
  return { width: Math.ceil(wide) + 6 + sign, height: LABEL_LINE * lines.length + 1 };
}

/** Things in a grid of square cells, to be found by their place. */
export class Grid<T> {
  readonly #cells = new Map<number, T[]>();
  readonly #side: number;

  constructor(side: number) {
    this.#side = side;
  }

  put({ x, y, width, height }: Rect, one: T): void {
    const side = this.#side;
    const [right, bottom] = [Math.floor((x + width) / side), Math.floor((y + height) / side)];
    for (let i = Math.floor(x / side); i <= right; i++)
      for (let j = Math.floor(y / side); j <= bottom; j++) {
        const known = this.#cells.get(numberOf(i, j));
        if (known) known.push(one);
        else this.#cells.set(numberOf(i, j), [one]);
      }
  }

  /** One that lies in the cells of the rectangle and is so. */
  find({ x, y, width, height }: Rect, isSo: (one: T) => boolean): T | undefined {
    const side = this.#side;
    const [right, bottom] = [Math.floor((x + width) / side), Math.floor((y + height) / side)];
    for (let i = Math.floor(x / side); i <= right; i++)
      for (let j = Math.floor(y / side); j <= bottom; j++) {
        const found = this.#cells.get(numberOf(i, j))?.find(isSo);
        if (found !== undefined) return found;
      }
    return undefined;
  }
}

/** Far cells may have the same number: what lies in them is looked at itself. */
function numberOf(i: number, j: number): number {
  return i * 65_537 + j;
}

/** A cell in which a few boxes and labels have room. */
export const WIDE_CELL = 160;

/** Rectangles that are taken. */
export class Occupied {
  readonly #grid = new Grid<Rect>(WIDE_CELL);

  add(rect: Rect): void {
    this.#grid.put(rect, rect);
  }

  isFree(rect: Rect): boolean {
    return this.#grid.find(rect, (taken) => overlaps(rect, taken)) === undefined;
  }
}

interface Piece {
  readonly from: Point;
  readonly to: Point;
  readonly around: Rect;
  readonly wire: number;
}

/** Longer wires run across so much that no label can heed them. */
const LONGEST = 3000;

/** Where wires pass. */
export class Passages {
  /** Pieces are short, and many lie close together. */
  readonly #grid = new Grid<Piece>(40);

  add(wire: number, { points, lengths }: Sampled): void {
    if ((lengths.at(-1) ?? 0) > LONGEST) return;
    let [from, to] = points;
    for (const next of points.slice(2)) {
      if (!from || !to) return;
      if (!isStraightOn(from, to, next)) {
        this.#put(from, to, wire);
        from = to;
      }
      to = next;
    }
    if (from && to) this.#put(from, to, wire);
  }

  #put(from: Point, to: Point, wire: number): void {
    const around = between(from, to);
    this.#grid.put(around, { from, to, around, wire });
  }

  /** Whether none passes there but those that may. */
  isFree(rect: Rect, mayPass: (wire: number) => boolean): boolean {
    const isAnother = (piece: Piece) => crosses(piece, rect) && !mayPass(piece.wire);
    return this.#grid.find(rect, isAnother) === undefined;
  }
}

/** Whether the way goes on as before: most wires are straight for long. */
function isStraightOn(from: Point, to: Point, next: Point): boolean {
  const [dx, dy] = [next.x - from.x, next.y - from.y];
  const aside = Math.abs(dx * (to.y - from.y) - dy * (to.x - from.x));
  return aside < 0.1 * (Math.abs(dx) + Math.abs(dy));
}

function between(a: Point, b: Point): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, width: Math.max(a.x, b.x) - x, height: Math.max(a.y, b.y) - y };
}

function crosses({ from, to, around }: Piece, rect: Rect): boolean {
  const { x, y, width, height } = rect;
  if (around.x >= x + width || around.x + around.width <= x) return false;
  if (around.y >= y + height || around.y + around.height <= y) return false;
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const side = (px: number, py: number) => dx * (py - from.y) - dy * (px - from.x) > 0;
  const one = side(x, y);
  return (
    side(x + width, y) !== one || side(x, y + height) !== one || side(x + width, y + height) !== one
  );
}

const ALONG = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.14];

/** Where on a label its wire passes: in the middle, nearer to an end, or just beside it. */
const ON_WIRE = [0.5, 0.3, 0.7, 0.2, 0.8];
const AT_WIRE = [0.5, 0, 1];

/** The first free place near the middle of the wire, centred on it or just beside it: a place that is better before others. */
export function placeLabel(
  wire: Sampled,
  { width, height }: LabelSize,
  isFree: (rect: Rect) => boolean,
  ...better: readonly ((rect: Rect) => boolean)[]
): Rect | undefined {
  const points = ALONG.map((fraction) => pointAlong(wire, fraction));
  let best: Rect | undefined;
  let rank = better.length;
  for (const align of ON_WIRE)
    for (const point of points) {
      const rect = labelRect(point, width, height, align);
      if (!isFree(rect)) continue;
      // What is as good as one before it is not asked for.
      const good = better.findIndex((isBetter, i) => i < rank && isBetter(rect));
      if (good === 0) return rect;
      if (good > 0) [best, rank] = [rect, good];
    }
  if (best) return best;
  for (const align of AT_WIRE)
    for (const point of points) {
      const rect = labelRect(point, width, height, align);
      if (isFree(rect)) return rect;
    }
  return undefined;
}

function labelRect(point: Point, width: number, height: number, align: number): Rect {
  const aside = align === 0 ? 4 : align === 1 ? -4 : 0;
  return { x: point.x - width * align + aside, y: point.y - height / 2, width, height };
}
