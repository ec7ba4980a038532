/** Places type labels on routed wires: beside what is already there, smaller where it is crowded, else not at all. */
import type { Mark } from "../protocol/scene";
import type { Measure } from "./card";
import { overlaps, pointAlong, type Rect, type Sampled } from "./curve";
import type { Point } from "./geometry";

export const LABEL_HEIGHT = 13;
/** Room for the sign of an unknown or mismatching edge before its label. */
export const SIGN_ROOM = 15;
/** Crowded labels are drawn smaller, and only from the zoom on at which they can be read. */
export const LABEL_SCALES: readonly number[] = [1, 0.55, 0.35];

export interface LabelWish {
  readonly text: string;
  readonly mark: Mark;
}

export interface PlacedLabel {
  readonly rect: Rect;
  readonly scale: number;
}

export function labelWidth(text: string, mark: Mark, measure: Measure): number {
  return Math.ceil(measure(text, "label")) + 6 + (mark === "known" ? 0 : SIGN_ROOM);
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

/** The first free place near the middle of the wire, centred on it or just beside it. */
export function placeLabel(
  wire: Sampled,
  width: number,
  height: number,
  taken: Occupied,
): PlacedLabel | undefined {
  for (const scale of LABEL_SCALES)
    for (const align of [0.5, 0, 1])
      for (const fraction of ALONG) {
        const rect = labelRect(pointAlong(wire, fraction), width * scale, height * scale, align);
        if (!taken.isFree(rect)) continue;
        taken.add(rect);
        return { rect, scale };
      }
  return undefined;
}

function labelRect(point: Point, width: number, height: number, align: number): Rect {
  const aside = align === 0.5 ? 0 : align === 0 ? 4 : -4;
  return { x: point.x - width * align + aside, y: point.y - height / 2, width, height };
}
