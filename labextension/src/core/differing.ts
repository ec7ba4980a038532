/** Two values side by side, as a table and a sentence. */
import type { Difference, Statistics } from "../protocol/messages";
import { numberText } from "./stepping";

const ROWS: readonly [label: string, key: keyof Statistics][] = [
  ["min", "min"],
  ["max", "max"],
  ["mean", "mean"],
  ["std", "std"],
  ["NaN", "nan"],
  ["infinite", "infinite"],
];

/** Rows of label, ours, theirs and their difference; what neither has any of is left out. */
export function sideBySide({ ours, theirs, difference }: Difference): string[][] {
  return ROWS.flatMap(([label, key]) => {
    const [a, b, gap] = [ours, theirs, difference].map((one) => one[key]);
    const counted = key === "nan" || key === "infinite";
    if (counted && !a && !b) return [];
    const text = (value: unknown) => numberText(value as number | string | undefined);
    return [[label, text(a), text(b), counted ? "" : text(gap)]];
  });
}

export function equalText({ equal, elements, mean_apart }: Difference): string {
  if (equal === elements)
    return elements === 1 ? "Both are the same." : `All ${elements} elements are the same.`;
  const some = equal === 0 ? "No element is" : `${equal} of ${elements} elements are`;
  return `${some} the same; they are ${numberText(mean_apart)} apart on average.`;
}
