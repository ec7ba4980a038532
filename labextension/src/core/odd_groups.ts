/** Which groups of a model are the odd ones beside equal ones, and why. */
import { families } from "./alike";
import type { GroupContent } from "./card";
import { at, type Scene } from "./scene";
import { siblingsOf } from "./siblings";

export interface Difference {
  /** Of the group that is the odd one. */
  readonly box: number;
  /** What it is in most, and what it is here. */
  readonly text: string;
}

export interface OddGroup {
  readonly group: number;
  /** One of those that are equal, and how many there are. */
  readonly like: number;
  readonly equals: number;
  readonly differences: readonly Difference[];
  /** Differences beyond those that are listed. */
  readonly more: number;
}

/** A longer list is no help. */
const MOST = 8;
const MOST_GROUPS = 12;
const FEW = 4;

const FOUND = new WeakMap<readonly GroupContent[], readonly OddGroup[]>();

/** Groups beside equal ones that are not quite like them; of those that are odd in the same way the first. */
export function oddGroups(scene: Scene, contents: readonly GroupContent[]): readonly OddGroup[] {
  let found = FOUND.get(contents);
  if (!found) {
    const odd: OddGroup[] = [];
    for (const family of families(scene)) {
      // Each family takes its time: no more are looked into than are told of.
      if (odd.length >= MOST_GROUPS) break;
      odd.push(...oddOnes(scene, contents, family));
    }
    found = odd.slice(0, MOST_GROUPS);
    FOUND.set(contents, found);
  }
  return found;
}

function oddOnes(
  scene: Scene,
  contents: readonly GroupContent[],
  family: readonly number[],
): OddGroup[] {
  const equalsOf = (group: number) => Math.max(1, at(contents, group).alike.length);
  const [like] = [...family].sort((a, b) => equalsOf(b) - equalsOf(a) || a - b);
  // Where no two are equal, none is the odd one.
  if (like === undefined || equalsOf(like) < 2) return [];
  return siblingsOf(scene, contents, like).others.flatMap(({ groups, differences: all = [] }) => {
    const group = at(groups, 0);
    const odd = new Set(all.map(({ here, there }) => here ?? there)).size;
    // Groups of which more than that is different are others, not nearly equal.
    if (odd === 0 || odd > Math.max(FEW, at(contents, group).nodes / 2)) return [];
    const differences = all.slice(0, MOST).map(({ text, there }) => ({ text, box: there }));
    return [
      { group, like, equals: equalsOf(like), differences, more: all.length - differences.length },
    ];
  });
}
