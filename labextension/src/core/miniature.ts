/** A value in miniature at the end of its label. */
import type { Miniature } from "../protocol/messages";
import { numberText } from "./stepping";

/** How wide it is in a label, with its distance to the text. */
export const MINIATURE_ROOM = 40;
export const MINIATURE = { width: 35, height: 10 } as const;
/** From this zoom on, times the label's own scale, it can be read. */
export const MINIATURE_FROM = 0.75;

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The bars of a histogram; whatever occurs at all can be seen. */
export function bars({ counts = [] }: Miniature): Bar[] {
  const most = Math.max(1, ...counts);
  const width = MINIATURE.width / Math.max(1, counts.length);
  return counts.flatMap((count, i) => {
    if (count === 0) return [];
    const height = Math.max(1, (MINIATURE.height * count) / most);
    return [{ x: i * width, y: MINIATURE.height - height, width: width * 0.86, height }];
  });
}

/** What a hint says of it. */
export function miniatureText({ text, low, high, nan, infinite, sampled }: Miniature): string {
  const about = sampled ? "about " : "";
  const range = low === undefined ? "" : `${about}${numberText(low)} to ${numberText(high)}`;
  const value = text?.replace(/^=/, "all ") ?? range;
  const bad = [
    ...(nan > 0 ? [`${nan} NaN`] : []),
    ...(infinite > 0 ? [`${infinite} infinite`] : []),
  ];
  return [value, ...bad].filter(Boolean).join(", ");
}
