/** Two values side by side, as a table and a sentence. */
import type { Difference, Partner, Statistics } from "../protocol/messages";
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

export interface PartnerChoice {
  /** What it is called among the choices: a step is a value like one that is named. */
  readonly choice: string;
  readonly text: string;
  /** Nothing for a value that a person names. */
  readonly partner?: Partner;
}

/** What a value can be compared with. */
export function partnerChoices(partners: readonly Partner[]): PartnerChoice[] {
  const given = partners.map((partner): PartnerChoice => {
    if (partner.steps) return { choice: "step", text: "another step", partner };
    if (partner.against === "iteration")
      return { choice: "iteration", text: "another round", partner };
    return { choice: partner.against, text: partner.label, partner };
  });
  return [...given, { choice: "value", text: "another value…" }];
}
