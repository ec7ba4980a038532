/** Where the weights of a model are: how many elements and bytes its operators and groups read. */
import { groupTitle } from "./naming";
import { at, isInOperator, type Scene } from "./scene";
import { dimsOf } from "./value_inspection";

export interface WeightRow {
  readonly label: string;
  /** What is searched for to see where they are. */
  readonly query: string;
  readonly elements: number;
  readonly bytes: number;
}

interface Sum {
  readonly query: string;
  elements: number;
  bytes: number;
}

/** Each weight counts once, where it is read first. */
export function weightsByOperator(scene: Scene): WeightRow[] {
  return rows(scene, (box) => {
    const { op } = at(scene.boxes, box);
    return { label: op, query: `op:${op}` };
  });
}

/** By the outermost groups that tell anything apart. */
export function weightsByGroup(scene: Scene): WeightRow[] {
  const level = branchingLevel(scene);
  return rows(scene, (box) => {
    const path = pathOf(scene, at(scene.boxes, box).group);
    const group = path[Math.min(level, path.length - 1)];
    if (group === undefined || group === 0) return { label: "outside of groups", query: "" };
    return { label: groupTitle(scene, group), query: `in:"${at(scene.groups, group).label}"` };
  });
}

/** Of all that lies in a group. */
export function weightsIn(scene: Scene, group: number): { elements: number; bytes: number } {
  let [elements, bytes] = [0, 0];
  for (const weight of scene.initializers.values()) {
    const [first] = weight.boxes;
    if (first === undefined || !pathOf(scene, at(scene.boxes, first).group).includes(group))
      continue;
    elements += elementsOf(weight.type);
    bytes += weight.bytes;
  }
  return { elements, bytes };
}

function rows(scene: Scene, home: (box: number) => { label: string; query: string }): WeightRow[] {
  const sums = new Map<string, Sum>();
  for (const { type, bytes, boxes } of scene.initializers.values()) {
    const [first] = boxes;
    if (first === undefined || isInOperator(scene, at(scene.boxes, first).group)) continue;
    const { label, query } = home(first);
    const sum = sums.get(label) ?? { query, elements: 0, bytes: 0 };
    sum.elements += elementsOf(type);
    sum.bytes += bytes;
    sums.set(label, sum);
  }
  return [...sums]
    .map(([label, sum]) => ({ label, ...sum }))
    .sort((a, b) => b.bytes - a.bytes || a.label.localeCompare(b.label, "en", { numeric: true }));
}

export function elementsOf(type: string): number {
  return dimsOf(type).reduce((product, dim) => product * Number(dim), 1);
}

/** The groups around a place from the root inwards. */
function pathOf(scene: Scene, group: number): number[] {
  const path: number[] = [];
  for (let g = group; g >= 0; g = at(scene.groups, g).parent) path.unshift(g);
  return path;
}

/** The first depth at which there is more than one group. */
function branchingLevel(scene: Scene): number {
  const counts: number[] = [];
  scene.groups.forEach(({ owner }, group) => {
    if (owner >= 0) return;
    const depth = pathOf(scene, group).length - 1;
    counts[depth] = (counts[depth] ?? 0) + 1;
  });
  const found = counts.findIndex((count, depth) => depth > 0 && count > 1);
  return Math.max(0, found);
}
