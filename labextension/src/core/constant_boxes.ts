/** Constants as boxes of their own, in place of parts of the nodes that read them. Python does the same for pictures. */
import type { PortRow } from "../protocol/scene";
import type { FoldedEdge } from "./fold";
import {
  adjacency,
  at,
  type Box,
  type Edge,
  type Group,
  type Initializer,
  type Scene,
} from "./scene";

/** What is asked for: all of them, or those that these boxes read. */
export type ShownConstants = "all" | ReadonlySet<number>;

export const NO_CONSTANTS: ShownConstants = new Set();

/** What finding their place needs of a scene; the shared cases hold exactly this. */
export interface Holding {
  readonly groups: readonly Pick<Group, "parent" | "owner">[];
  readonly boxes: readonly Pick<Box, "group">[];
}

/**
 * Each constant that is asked for as a box behind all others, with an edge to every box that reads it. What nothing
 * reads has none. The boxes that were there keep their places.
 */
export function withConstants(scene: Scene, shown: ShownConstants): Scene {
  if (shown !== "all" && shown.size === 0) return scene;
  const boxes: Box[] = [...scene.boxes];
  const edges: Edge[] = [...scene.edges];
  for (const [name, constant] of scene.initializers) {
    const wanted = shown === "all" || constant.boxes.some((box) => shown.has(box));
    if (constant.boxes.length === 0 || !wanted) continue;
    const source = boxes.length;
    boxes.push(boxOf(name, constant, homeOf(scene, constant)));
    constant.boxes.forEach((target, i) => {
      const note = constant.notes[i] ?? "";
      edges.push({
        value: name,
        source,
        target,
        label: constant.type,
        mark: note ? "mismatch" : "known",
        note,
        declared: "",
        fromFile: false,
      });
    });
  }
  if (boxes.length === scene.boxes.length) return scene;
  return {
    ...scene,
    boxes,
    edges,
    boxOfId: new Map(boxes.map(({ id }, i) => [id, i])),
    ...adjacency(boxes.length, edges),
  };
}

const PARTS = new WeakMap<Scene, Scene>();

/**
 * What is no box of its own: constants that are parts of the nodes that read them, and those that nothing reads. Each
 * is a box of the scene that comes back, with nothing around it but the groups.
 */
export function foldedConstants(scene: Scene): Scene {
  let parts = PARTS.get(scene);
  if (!parts) {
    const boxes: Box[] = [];
    for (const [name, constant] of scene.initializers)
      if (!scene.boxOfId.has(idOf(name)))
        boxes.push(boxOf(name, constant, homeOf(scene, constant)));
    parts = {
      ...scene,
      boxes,
      edges: [],
      boxOfId: new Map(boxes.map(({ id }, i) => [id, i])),
      ...adjacency(boxes.length, []),
    };
    PARTS.set(scene, parts);
  }
  return parts;
}

const idOf = (name: string) => `const:${name}`;

function boxOf(name: string, { type, text }: Initializer, group: number): Box {
  const output: PortRow = ["", name, type];
  return {
    group,
    kind: "initializer",
    id: idOf(name),
    op: "",
    domain: "",
    version: 0,
    name,
    detail: text || type,
    category: "tensor",
    attributes: [],
    inputs: [],
    outputs: [output],
    doc: "",
    metadata: [],
    problems: [],
    bytes: "",
    macs: "",
    flops: "",
  };
}

/** The innermost group of the constant's own graph that holds all who read it, be it in bodies of nodes there. */
export function homeOf(
  scene: Holding,
  { group, boxes }: Pick<Initializer, "group" | "boxes">,
): number {
  const [first = [], ...others] = boxes.map((box) => around(scene, group, box));
  return first.find((inner) => others.every((other) => other.includes(inner))) ?? group;
}

/** The groups of a graph around a box, the innermost first. */
function around(scene: Holding, graph: number, box: number): number[] {
  let found: number[] = [];
  for (let group = at(scene.boxes, box).group; group !== graph && group > 0; ) {
    const { owner, parent } = at(scene.groups, group);
    // Of a body only the node that it belongs to stands in the graph.
    found = owner >= 0 ? [] : [...found, group];
    group = parent;
  }
  return found;
}

/** Whether a box stands for a constant. */
export function isConstant(scene: Scene, box: number | undefined): boolean {
  return box !== undefined && scene.boxes[box]?.kind === "initializer";
}

/** Whether an edge needs no label: it begins at the box of a constant, which says its type itself. */
export function saysItsType(scene: Scene, { source }: Pick<FoldedEdge, "source">): boolean {
  return source.startsWith("b") && isConstant(scene, Number(source.slice(1)));
}

/** The constants that a box reads, whether they are boxes or not. */
export function constantsOf(scene: Scene, box: number): string[] {
  return at(scene.boxes, box).inputs.flatMap(([, value]) =>
    scene.initializers.has(value) ? [value] : [],
  );
}
