/** The longest run that two lists have in common: Myers' search, which takes long only where they have little of it. */
import { at } from "./scene";

type Pair = readonly [a: number, b: number];

/**
 * Places of the two lists that stand for each other, in order. Undefined where more than `most` items are in one of
 * them alone: then there is no answer in a short time, and no use for one.
 */
export function commonRun<T>(
  a: readonly T[],
  b: readonly T[],
  most: number,
): readonly Pair[] | undefined {
  if (Math.abs(a.length - b.length) > most) return undefined;
  // For each number of items left out: how far into `a` each diagonal has come. Diagonals are counted from -d to d.
  const ways: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    const before = ways[d - 1];
    const reached = new Int32Array(2 * d + 1);
    for (let k = -d; k <= d; k += 2) {
      let i = before ? start(before, d, k) : 0;
      let j = i - k;
      while (i < a.length && j < b.length && a[i] === b[j]) {
        i++;
        j++;
      }
      reached[k + d] = i;
      if (i >= a.length && j >= b.length) return wayBack([...ways, reached], a.length, b.length);
    }
    ways.push(reached);
  }
  return undefined;
}

/** Where a diagonal begins: behind an item of `b` that is left out, or one of `a`, whichever has come further. */
function start(before: Int32Array, d: number, k: number): number {
  return isDown(before, d, k) ? reach(before, d, k + 1) : reach(before, d, k - 1) + 1;
}

function isDown(before: Int32Array, d: number, k: number): boolean {
  return k === -d || (k !== d && reach(before, d, k - 1) < reach(before, d, k + 1));
}

function reach(before: Int32Array, d: number, k: number): number {
  return before[k + d - 1] ?? 0;
}

function wayBack(ways: readonly Int32Array[], endA: number, endB: number): Pair[] {
  const pairs: Pair[] = [];
  let [i, j] = [endA, endB];
  for (let d = ways.length - 1; d >= 0; d--) {
    const before = d > 0 ? at(ways, d - 1) : undefined;
    const k = i - j;
    const from = before ? start(before, d, k) : 0;
    while (i > from) pairs.push([--i, --j]);
    if (!before) break;
    if (isDown(before, d, k)) j--;
    else i--;
  }
  return pairs.reverse();
}
