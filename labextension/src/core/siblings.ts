/** The groups beside one that are like it, or nearly: in what they differ from it, place by place. */
import { families } from "./alike";
import type { GroupContent } from "./card";
import { commonRun } from "./common_run";
import { between, Members } from "./differences";
import { groupTitle } from "./naming";
import { at, type Scene } from "./scene";
import type { Selection } from "./selection";

export interface Contrasted {
  /** What it is here, and what it is there. */
  readonly text: string;
  /** The node of the group itself, where it has one here. */
  readonly here: number | undefined;
  /** The node of the other group, or the one behind which something is missing. */
  readonly there: number;
}

/** Groups that are like each other, and differ from the one that is looked at. */
export interface Contrast {
  readonly groups: readonly number[];
  /** Of the first of them; undefined where so much is different that nodes do not stand for each other. */
  readonly differences: readonly Contrasted[] | undefined;
}

export interface Siblings {
  readonly same: readonly number[];
  /** Those that differ least come first. */
  readonly others: readonly Contrast[];
  /** Those that were not looked into: it would take too long. */
  readonly left: readonly number[];
}

export const NO_SIBLINGS: Siblings = { same: [], others: [], left: [] };

/** So many kinds of groups are looked into. */
const MOST_KINDS = 12;
/** And so many nodes, in all of them. */
const MOST_NODES = 20_000;
/** Of two groups that are compared so many nodes may be in one of them alone. */
export const MOST_APART = 400;

const FOUND = new WeakMap<readonly GroupContent[], Map<number, Siblings>>();

/** Groups of one parent whose names differ in numbers only. */
export function siblingsOf(
  scene: Scene,
  contents: readonly GroupContent[],
  group: number,
): Siblings {
  const known = FOUND.get(contents) ?? new Map<number, Siblings>();
  FOUND.set(contents, known);
  let found = known.get(group);
  if (!found) {
    found = look(scene, contents, group);
    known.set(group, found);
  }
  return found;
}

/** What is said of a group, or of nothing that is in one, when there is none like it; else nothing. */
export function aloneText(
  scene: Scene,
  contents: readonly GroupContent[],
  group: number | undefined,
): string {
  if (group === undefined) return "No group is around what is selected.";
  const { same, others, left } = siblingsOf(scene, contents, group);
  if (same.length + others.length + left.length > 0) return "";
  return `No group beside ${groupTitle(scene, group)} is like it.`;
}

/** What every look at a scene needs: a large one takes too long to be gone through for each group. */
interface Census {
  readonly members: Members;
  readonly familyOf: ReadonlyMap<number, readonly number[]>;
}

const CENSUS = new WeakMap<Scene, Census>();

function censusOf(scene: Scene): Census {
  let census = CENSUS.get(scene);
  if (!census) {
    const familyOf = new Map(
      families(scene).flatMap((family) => family.map((group) => [group, family] as const)),
    );
    census = { members: new Members(scene), familyOf };
    CENSUS.set(scene, census);
  }
  return census;
}

function look(scene: Scene, contents: readonly GroupContent[], group: number): Siblings {
  const { members, familyOf } = censusOf(scene);
  const family = familyOf.get(group);
  if (!family) return NO_SIBLINGS;
  const alike = new Set(at(contents, group).alike);
  const own = members.of(group);
  const kinds = new Map<number, number[]>();
  for (const other of family) {
    if (other === group || alike.has(other)) continue;
    const first = at(contents, other).alike[0] ?? other;
    kinds.set(first, [...(kinds.get(first) ?? []), other]);
  }
  const others: Contrast[] = [];
  const left: number[] = [];
  let nodes = 0;
  for (const groups of kinds.values()) {
    const there = members.of(at(groups, 0));
    nodes += own.length + there.length;
    // The first is looked into however large it is.
    if (others.length > 0 && (others.length >= MOST_KINDS || nodes > MOST_NODES))
      left.push(...groups);
    else others.push({ groups, differences: contrast(scene, own, there) });
  }
  const apart = ({ differences }: Contrast) => differences?.length ?? Number.POSITIVE_INFINITY;
  return {
    same: [...alike].filter((other) => other !== group),
    others: others.sort((a, b) => (apart(a) < apart(b) ? -1 : apart(a) > apart(b) ? 1 : 0)),
    left,
  };
}

/** The nodes of the selected group that some group beside it has otherwise. */
export function oddBoxes(
  scene: Scene,
  contents: readonly GroupContent[],
  selection: Selection,
): Set<number> {
  if (selection.kind !== "group") return new Set();
  const { others } = siblingsOf(scene, contents, selection.group);
  return new Set(
    others.flatMap(({ differences = [] }) => differences.flatMap(({ here }) => here ?? [])),
  );
}

function contrast(
  scene: Scene,
  own: readonly number[],
  other: readonly number[],
): Contrasted[] | undefined {
  const pairs = aligned(scene, own, other);
  if (!pairs) return undefined;
  const found: Contrasted[] = [];
  let last = other[0] ?? -1;
  for (const [here, there] of pairs) {
    if (there !== undefined) last = there;
    if (here === undefined && there !== undefined)
      found.push({ text: `${at(scene.boxes, there).op} is added`, here, there });
    else if (here !== undefined && there === undefined)
      found.push({ text: `${at(scene.boxes, here).op} is missing`, here, there: last });
    else if (here !== undefined && there !== undefined)
      for (const text of between(at(scene.boxes, here), at(scene.boxes, there)))
        found.push({ text, here, there });
  }
  return found;
}

type Pair = readonly [here: number | undefined, there: number | undefined];

/** Nodes that stand for each other: along the longest common run of operators, and in the gaps one by one. */
function aligned(
  scene: Scene,
  own: readonly number[],
  other: readonly number[],
): Pair[] | undefined {
  const operator = (box: number) => {
    const { op, domain } = at(scene.boxes, box);
    return `${domain} ${op}`;
  };
  const run = commonRun(own.map(operator), other.map(operator), MOST_APART);
  if (!run) return undefined;
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  const gap = (toI: number, toJ: number) => {
    while (i < toI || j < toJ)
      pairs.push([i < toI ? own[i++] : undefined, j < toJ ? other[j++] : undefined]);
  };
  for (const [a, b] of run) {
    gap(a, b);
    pairs.push([own[i++], other[j++]]);
  }
  gap(own.length, other.length);
  return pairs;
}
