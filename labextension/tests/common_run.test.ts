import { describe, expect, it } from "vitest";
import { commonRun } from "../src/core/common_run";

/** The length of the longest common run by the textbook's table. */
function longest(a: readonly number[], b: readonly number[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const item of a) {
    const next = [0];
    b.forEach((other, j) => {
      next.push(item === other ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}

function listOf(length: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor(state / 65536) % 3;
  });
}

describe("the longest common run", () => {
  it("is as long as there is one, in order, and pairs equal items", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const a = listOf(seed % 17, seed);
      const b = listOf((seed * 7) % 13, seed + 1000);
      const run = commonRun(a, b, 40) ?? [];
      expect(run.length).toBe(longest(a, b));
      for (const [i, j] of run) expect(a[i]).toBe(b[j]);
      for (const side of [0, 1] as const) {
        const places = run.map((pair) => pair[side]);
        expect(places).toEqual([...new Set(places)].sort((x, y) => x - y));
      }
    }
  });

  it("is not looked for where more items than allowed are in one list alone", () => {
    expect(commonRun([1, 2, 3], [1, 3], 1)).toEqual([
      [0, 0],
      [2, 1],
    ]);
    expect(commonRun([1, 2, 3], [1, 3], 0)).toBeUndefined();
    expect(commonRun([1], [2], 1)).toBeUndefined();
  });

  it("takes no time to speak of for long lists that have nothing in common", () => {
    const [a, b] = [1, 2].map((item) => Array.from({ length: 30_000 }, () => item));
    const began = performance.now();
    expect(commonRun(a ?? [], b ?? [], 400)).toBeUndefined();
    // A table of them would have 900 million cells.
    expect(performance.now() - began).toBeLessThan(200);
  });
});
