/** Automatic groups for what is too flat to be laid out or looked at: runs of nodes in the file's order. */
import { at, type Box, type Edge, type Group, owners, type Scene } from "./scene";

export interface ChunkLimits {
  /** A group with more boxes than this is cut into runs. */
  readonly most: number;
  /** A run's length; the cut is moved to the narrowest place nearby. */
  readonly run: number;
}

export const CHUNK_LIMITS: ChunkLimits = { most: 400, run: 100 };

/**
 * Cuts over-full groups into runs. ONNX orders nodes topologically, so that a run never feeds an earlier one,
 * and exporters write neighbours side by side, so that few values cross from one run to the next.
 */
export function chunked(scene: Scene, limits: ChunkLimits = CHUNK_LIMITS): Scene {
  const groups: Group[] = [...scene.groups];
  const boxGroup = scene.boxes.map((box) => box.group);
  const members: number[][] = scene.groups.map(() => []);
  scene.boxes.forEach((box, i) => {
    if (box.kind === "node" || box.kind === "constant") members[box.group]?.push(i);
  });
  members.forEach((boxes, parent) => {
    if (boxes.length <= limits.most) return;
    for (const run of cutIntoRuns(boxes, scene.edges, limits.run)) {
      const group = groups.length;
      groups.push({ parent, label: runLabel(run, boxes), kind: "scope", owner: -1 });
      for (const box of run) boxGroup[box] = group;
    }
  });
  if (groups.length === scene.groups.length) return scene;
  // A body stands beside its owner, so it moves with it.
  const moved = groups.map((group) =>
    group.owner >= 0 ? { ...group, parent: at(boxGroup, group.owner) } : group,
  );
  const boxes: Box[] = scene.boxes.map((box, i) => ({ ...box, group: at(boxGroup, i) }));
  return { ...scene, groups: moved, boxes, ownedBy: owners(moved) };
}

function runLabel(run: readonly number[], all: readonly number[]): string {
  const first = all.indexOf(at(run, 0));
  return `nodes ${first + 1} to ${first + run.length}`;
}

export function cutIntoRuns(
  boxes: readonly number[],
  edges: readonly Edge[],
  length: number,
): number[][] {
  const crossing = crossings(boxes, edges);
  const runs: number[][] = [];
  let start = 0;
  while (boxes.length - start > length * 1.5) {
    let cut = start + length;
    for (let at = start + Math.ceil(length / 2); at <= start + Math.floor(length * 1.5); at++)
      if ((crossing[at] ?? 0) < (crossing[cut] ?? 0)) cut = at;
    runs.push(boxes.slice(start, cut));
    start = cut;
  }
  runs.push(boxes.slice(start));
  return runs;
}

/** How many edges cross from before each position to it or behind it. */
function crossings(boxes: readonly number[], edges: readonly Edge[]): number[] {
  const place = new Map(boxes.map((box, i) => [box, i]));
  const change = new Array<number>(boxes.length + 1).fill(0);
  for (const { source, target } of edges) {
    const from = place.get(source);
    const to = place.get(target);
    if (from === undefined || to === undefined || from >= to) continue;
    change[from + 1] = (change[from + 1] ?? 0) + 1;
    change[to + 1] = (change[to + 1] ?? 0) - 1;
  }
  let open = 0;
  return change.map((step) => {
    open += step;
    return open;
  });
}
