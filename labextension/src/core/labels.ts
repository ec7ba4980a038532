/** Places type labels on routed wires: beside what is already there, smaller where it is crowded, else not at all. */
import type { Mark } from "../protocol/scene";
import type { Measure } from "./card";
import { overlaps, pointAlong, type Rect, type Sampled } from "./curve";
import type { Point } from "./geometry";

export const LABEL_LINE = 12;
/** Room for the sign of an unknown or mismatching edge before its label. */
export const SIGN_ROOM = 15;
/** Crowded labels are drawn smaller, and only from the zoom on at which they can be read. */
export const LABEL_SCALES: readonly number[] = [1, 0.55, 0.35];
/** Zoomed out, labels are drawn larger where there is room for them. */
export const FAR_SCALES: readonly number[] = [1.5, 2.25];

export interface PlacedLabel {
  readonly rect: Rect;
  readonly scale: number;
}

/** Widths at which a long type is broken; the next one is taken where more than three lines would come out. */
const WRAP_AT: readonly number[] = [210, 290, 400, Number.POSITIVE_INFINITY];
const MOST_LINES = 3;

/** Breaks a long type after commas. Joined, the lines are the text again. */
export function labelLines(text: string, measure: Measure): string[] {
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

export function labelSize(lines: readonly string[], mark: Mark, measure: Measure): LabelSize {
  const widest = Math.max(0, ...lines.map((line) => measure(line.trimEnd(), "label")));
  const sign = mark === "known" ? 0 : SIGN_ROOM;
  const wide = mark === "mismatch" ? widest * BOLDER : widest;
  return { width: Math.ceil(wide) + 6 + sign, height: LABEL_LINE * lines.length + 1 };
}

/** Rectangles that are taken, in a grid of buckets. */
export class Occupied {
  readonly #cell = 160;
  readonly #buckets = new Map<string, Rect[]>();

  add(rect: Rect): void {
    for (const key of this.#cells(rect)) {
      const bucket = this.#buckets.get(key);
      if (bucket) bucket.push(rect);
      else this.#buckets.set(key, [rect]);
    }
  }

  isFree(rect: Rect): boolean {
    for (const key of this.#cells(rect))
      for (const taken of this.#buckets.get(key) ?? []) if (overlaps(rect, taken)) return false;
    return true;
  }

  *#cells({ x, y, width, height }: Rect): Generator<string> {
    const size = this.#cell;
    for (let i = Math.floor(x / size); i <= Math.floor((x + width) / size); i++)
      for (let j = Math.floor(y / size); j <= Math.floor((y + height) / size); j++)
        yield `${i} ${j}`;
  }
}

const ALONG = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.14];

/** Where on a label its wire passes: in the middle, nearer to an end, or just beside it. */
const ON_WIRE = [0.5, 0.3, 0.7, 0.2, 0.8];
const AT_WIRE = [0.5, 0, 1];

/**
 * The first free place near the middle of the wire, centred on it or just beside it; where there is one on it that
 * covers nothing of what is better kept clear, that.
 */
export function placeLabel(
  wire: Sampled,
  { width, height }: LabelSize,
  taken: Occupied,
  scales: readonly number[] = LABEL_SCALES,
  clear?: Occupied,
): PlacedLabel | undefined {
  for (const scale of scales) {
    const rects = function* (aligns: readonly number[]) {
      for (const align of aligns)
        for (const fraction of ALONG)
          yield labelRect(pointAlong(wire, fraction), width * scale, height * scale, align);
    };
    const first = (aligns: readonly number[], isFree: (rect: Rect) => boolean) => {
      for (const rect of rects(aligns)) if (isFree(rect)) return rect;
      return undefined;
    };
    const rect =
      (clear && first(ON_WIRE, (place) => taken.isFree(place) && clear.isFree(place))) ??
      first(AT_WIRE, (place) => taken.isFree(place));
    if (!rect) continue;
    taken.add(rect);
    return { rect, scale };
  }
  return undefined;
}

function labelRect(point: Point, width: number, height: number, align: number): Rect {
  const aside = align === 0 ? 4 : align === 1 ? -4 : 0;
  return { x: point.x - width * align + aside, y: point.y - height / 2, width, height };
}
