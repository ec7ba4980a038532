/** Where a type or a size comes from: steps that follow from each other, with branches where several causes meet. */
import type { DerivationRow } from "../protocol/messages";

export interface DerivationStep {
  readonly what: string;
  readonly fact: string;
  readonly reason: string;
  /** "" where it is about no value of the scene. */
  readonly value: string;
}

/** Each step follows from the next one; the last one from all branches together. */
export interface Chain {
  readonly steps: readonly DerivationStep[];
  readonly branches: readonly Chain[];
}

export function chainsOf(rows: readonly DerivationRow[]): Chain[] {
  const read = (from: number, to: number): Chain[] => {
    const depth = rows[from]?.[0];
    const starts: number[] = [];
    for (let i = from; i < to; i++) if (rows[i]?.[0] === depth) starts.push(i);
    return starts.map((start, i) => chain(start, starts[i + 1] ?? to));
  };
  const chain = (start: number, end: number): Chain => {
    const [, what = "", fact = "", reason = "", value = ""] = rows[start] ?? [];
    const step: DerivationStep = { what, fact, reason, value };
    const causes = start + 1 < end ? read(start + 1, end) : [];
    const [only, ...more] = causes;
    if (!only || more.length > 0) return { steps: [step], branches: causes };
    return { steps: [step, ...only.steps], branches: only.branches };
  };
  return rows.length === 0 ? [] : read(0, rows.length);
}
