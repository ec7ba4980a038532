/** Folding: which boxes, groups and joined edges are visible when a set of groups is expanded. */
import type { Mark } from "../protocol/scene";

/** What folding needs of a scene; the shared cases hold exactly this. */
export interface Foldable {
  readonly groups: readonly { readonly parent: number; readonly owner: number }[];
  readonly boxes: readonly { readonly group: number }[];
  readonly edges: readonly {
    readonly value: string;
    readonly source: number;
    readonly target: number;
    readonly label: string;
    readonly mark: Mark;
  }[];
}

/** `b3` is box 3, `g2` the collapsed group 2. */
export type Key = `b${number}` | `g${number}`;

export interface FoldedEdge {
  readonly source: Key;
  readonly target: Key;
  /** The scene's edges that are drawn as this one. */
  readonly edges: readonly number[];
  /** What they carry, in order of appearance. */
  readonly values: readonly string[];
  /** The label that all of them share, else nothing. */
  readonly label: string;
  /** The worst mark among them. */
  readonly mark: Mark;
}

export interface Folding {
  /** Visible boxes, ascending. */
  readonly boxes: readonly number[];
  /** Collapsed groups that are visible as boxes, ascending. */
  readonly groups: readonly number[];
  /** Sorted by source, then target, both as text. */
  readonly edges: readonly FoldedEdge[];
  /** For each box of the scene the key that stands for it. */
  readonly standIn: readonly Key[];
}

const WORSE: Record<Mark, number> = { known: 0, unknown: 1, mismatch: 2 };

/**
 * The root is always expanded, and a group is visible only when all its ancestors are.
 * A collapsed group that a box owns is drawn as that box.
 */
export function fold(scene: Foldable, expanded: ReadonlySet<number>): Folding {
  const hiding = new Int32Array(scene.groups.length);
  for (let i = 0; i < hiding.length; i++) hiding[i] = hidingGroup(scene, expanded, i);
  const { standIn, boxes } = standIns(scene, hiding);
  const groups: number[] = [];
  scene.groups.forEach(({ owner }, i) => {
    if (hiding[i] === i && owner === -1) groups.push(i);
  });
  return { boxes, groups, edges: joinEdges(scene, hiding, standIn), standIn };
}

/** Groups of all boxes, and of both ends of all edges. */
interface Grouped {
  readonly boxes: Int32Array;
  readonly sources: Int32Array;
  readonly targets: Int32Array;
}

/** Once for a scene: whenever a group opens, all of them are looked at. */
const GROUPED = new WeakMap<Foldable, Grouped>();

function grouped(scene: Foldable): Grouped {
  let known = GROUPED.get(scene);
  if (!known) {
    // Filled in loops: `from` with a function takes ten times as long.
    const boxes = new Int32Array(scene.boxes.length);
    const sources = new Int32Array(scene.edges.length);
    const targets = new Int32Array(scene.edges.length);
    scene.boxes.forEach(({ group }, i) => {
      boxes[i] = group;
    });
    scene.edges.forEach(({ source, target }, i) => {
      sources[i] = boxes[source] ?? 0;
      targets[i] = boxes[target] ?? 0;
    });
    known = { boxes, sources, targets };
    GROUPED.set(scene, known);
  }
  return known;
}

/** The outermost collapsed group that a group lies in (or is), -1 when it stands open. */
function hidingGroup(scene: Foldable, expanded: ReadonlySet<number>, group: number): number {
  let hiding = -1;
  for (let g = group; g > 0; g = scene.groups[g]?.parent ?? -1) if (!expanded.has(g)) hiding = g;
  return hiding;
}

function keyOf(scene: Foldable, hiding: Int32Array, box: number): Key {
  let shown = box;
  // An owner may itself lie in a collapsed group of another owner; it never lies inside its own body.
  for (let steps = 0; steps <= scene.groups.length; steps++) {
    const hider = hiding[scene.boxes[shown]?.group ?? 0] ?? -1;
    if (hider === -1) break;
    const owner = scene.groups[hider]?.owner ?? -1;
    if (owner === -1) return `g${hider}`;
    shown = owner;
  }
  return `b${shown}`;
}

/** All boxes of a closed group have the same: one text for each, since there may be very many of them. */
function standIns(scene: Foldable, hiding: Int32Array): { standIn: Key[]; boxes: number[] } {
  const ofGroup: (Key | undefined)[] = [];
  const boxes: number[] = [];
  const standIn: Key[] = [];
  grouped(scene).boxes.forEach((group, i) => {
    if (hiding[group] === -1) {
      boxes.push(i);
      standIn.push(`b${i}`);
      return;
    }
    ofGroup[group] ??= keyOf(scene, hiding, i);
    standIn.push(ofGroup[group]);
  });
  return { standIn, boxes };
}

function joinEdges(scene: Foldable, hiding: Int32Array, standIn: readonly Key[]): FoldedEdge[] {
  const joined = new Map<Key, Map<Key, number[]>>();
  const { sources, targets } = grouped(scene);
  sources.forEach((sourceGroup, i) => {
    // Most edges run inside of one closed group.
    const hidden = hiding[sourceGroup] ?? -1;
    if (hidden >= 0 && hidden === hiding[targets[i] ?? -1]) return;
    const edge = scene.edges[i];
    const source = edge && standIn[edge.source];
    const target = edge && standIn[edge.target];
    if (source === undefined || target === undefined || source === target) return;
    let leaving = joined.get(source);
    if (!leaving) {
      leaving = new Map();
      joined.set(source, leaving);
    }
    const known = leaving.get(target);
    if (known) known.push(i);
    else leaving.set(target, [i]);
  });
  const folded: FoldedEdge[] = [];
  for (const [source, leaving] of joined)
    for (const [target, edges] of leaving) {
      const values = new Set<string>();
      let last: string | undefined;
      let label: string | undefined;
      let mark: Mark = "known";
      for (const i of edges) {
        const edge = scene.edges[i];
        if (!edge) continue;
        if (edge.value !== last) values.add(edge.value);
        last = edge.value;
        label = label === undefined || label === edge.label ? edge.label : "";
        if (WORSE[edge.mark] > WORSE[mark]) mark = edge.mark;
      }
      folded.push({ source, target, edges, values: [...values], label: label ?? "", mark });
    }
  return folded.sort((a, b) => byText(a.source, b.source) || byText(a.target, b.target));
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
