/** What tells nearly equal groups apart: operators, attributes, types. */
import { families } from "./alike";
import type { GroupContent } from "./card";
import { at, type Box, type Scene } from "./scene";

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

/** Groups beside equal ones that have as many nodes, and are not quite like them. */
export function oddGroups(scene: Scene, contents: readonly GroupContent[]): readonly OddGroup[] {
  let found = FOUND.get(contents);
  if (!found) {
    found = look(scene, contents);
    FOUND.set(contents, found);
  }
  return found;
}

function look(scene: Scene, contents: readonly GroupContent[]): OddGroup[] {
  const found: OddGroup[] = [];
  const members = new Members(scene);
  const equalsOf = (group: number) => Math.max(1, at(contents, group).alike.length);
  for (const family of families(scene)) {
    const [like, ...others] = [...family].sort((a, b) => equalsOf(b) - equalsOf(a) || a - b);
    // Where no two are equal, none is the odd one.
    if (like === undefined || equalsOf(like) < 2) continue;
    const same = new Set(at(contents, like).alike);
    for (const group of others) {
      if (found.length >= MOST_GROUPS) return found;
      if (same.has(group) || at(contents, group).nodes !== at(contents, like).nodes) continue;
      const all = differences(scene, members.of(like), members.of(group));
      const odd = new Set(all.map(({ box }) => box)).size;
      // Groups of which more than that is different are others, not nearly equal.
      if (odd > Math.max(FEW, at(contents, group).nodes / 2)) continue;
      const more = Math.max(0, all.length - MOST);
      const told = all.slice(0, MOST);
      if (all.length > 0)
        found.push({ group, like, equals: equalsOf(like), differences: told, more });
    }
  }
  return found;
}

/** The nodes of groups with all that lies in them, in the file's order. */
class Members {
  readonly #own: number[][];
  readonly #children: number[][];

  constructor(scene: Scene) {
    this.#own = scene.groups.map(() => []);
    this.#children = scene.groups.map(() => []);
    scene.boxes.forEach(({ op, group }, box) => {
      if (op !== "") this.#own[group]?.push(box);
    });
    scene.groups.forEach(({ parent, kind }, group) => {
      if (kind !== "operator") this.#children[parent]?.push(group);
    });
  }

  of(group: number): number[] {
    const found: number[] = [];
    const waiting = [group];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const box of this.#own[next] ?? []) found.push(box);
      waiting.push(...(this.#children[next] ?? []));
    }
    return found.sort((a, b) => a - b);
  }
}

/** Node by node, in the file's order. */
function differences(scene: Scene, usual: readonly number[], odd: readonly number[]): Difference[] {
  return odd.flatMap((box, i) => {
    const before = usual[i];
    if (before === undefined) return [];
    return between(at(scene.boxes, before), at(scene.boxes, box)).map((text) => ({ box, text }));
  });
}

function between(usual: Box, odd: Box): string[] {
  if (usual.op !== odd.op) return [`${usual.op} → ${odd.op}`];
  const texts: string[] = [];
  const known = new Map(usual.attributes.map(([name, text]) => [name, text]));
  for (const [name, text] of odd.attributes) {
    const before = known.get(name);
    known.delete(name);
    if (before !== text) texts.push(`${name} ${before ?? "not set"} → ${text}`);
  }
  for (const [name, text] of known) texts.push(`${name} ${text} → not set`);
  for (const side of ["inputs", "outputs"] as const) {
    const [a, b] = [usual[side], odd[side]];
    if (a.length !== b.length) texts.push(`${a.length} ${side} → ${b.length}`);
    else
      b.forEach(([port, , type], i) => {
        const before = a[i]?.[2];
        if (before !== undefined && before !== type)
          texts.push(`${port || side.slice(0, -1)} ${before} → ${type}`);
      });
  }
  return texts;
}
