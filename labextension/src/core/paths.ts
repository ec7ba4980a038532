/** What feeds a box and what it feeds. */
import type { Scene } from "./scene";

export interface Trace {
  readonly upstream: ReadonlySet<number>;
  readonly downstream: ReadonlySet<number>;
}

export function trace(scene: Scene, box: number): Trace {
  return {
    upstream: reach(box, (b) => (scene.edgesInto[b] ?? []).map((e) => scene.edges[e]?.source)),
    downstream: reach(box, (b) => (scene.edgesOutOf[b] ?? []).map((e) => scene.edges[e]?.target)),
  };
}

/** All that lies between two boxes, both of them included, and one shortest way; from and to as the edges lead. */
export interface Between {
  readonly from: number;
  readonly to: number;
  readonly boxes: ReadonlySet<number>;
  readonly shortest: readonly number[];
}

/** Undefined where no path leads from one to the other. */
export function between(scene: Scene, a: number, b: number): Between | undefined {
  const after = trace(scene, a);
  if (!after.downstream.has(b) && !after.upstream.has(b)) return undefined;
  const [from, to] = after.downstream.has(b) ? [a, b] : [b, a];
  const { downstream } = trace(scene, from);
  const { upstream } = trace(scene, to);
  const boxes = new Set([from, ...[...downstream].filter((box) => upstream.has(box)), to]);
  return { from, to, boxes, shortest: shortest(scene, from, to, boxes) };
}

function shortest(scene: Scene, from: number, to: number, within: ReadonlySet<number>): number[] {
  const before = new Map<number, number>();
  let front = [from];
  while (!before.has(to) && front.length > 0) {
    const next: number[] = [];
    for (const box of front)
      for (const edge of scene.edgesOutOf[box] ?? []) {
        const target = scene.edges[edge]?.target;
        if (target === undefined || !within.has(target) || before.has(target)) continue;
        before.set(target, box);
        next.push(target);
      }
    front = next;
  }
  const way = [to];
  for (
    let box = before.get(to);
    box !== undefined && way.length <= within.size;
    box = before.get(box)
  ) {
    way.unshift(box);
    if (box === from) break;
  }
  return way;
}

function reach(start: number, next: (box: number) => (number | undefined)[]): Set<number> {
  const seen = new Set<number>();
  const open = [start];
  for (let box = open.pop(); box !== undefined; box = open.pop())
    for (const other of next(box)) {
      if (other === undefined || other === start || seen.has(other)) continue;
      seen.add(other);
      open.push(other);
    }
  return seen;
}

export type Step = "up" | "down" | "left" | "right";

/** The box that an arrow key leads to: along the first edge, or to a sibling that shares a producer or consumer. */
export function neighbour(scene: Scene, box: number, step: Step): number | undefined {
  const sources = (b: number) =>
    distinct((scene.edgesInto[b] ?? []).map((e) => scene.edges[e]?.source));
  const targets = (b: number) =>
    distinct((scene.edgesOutOf[b] ?? []).map((e) => scene.edges[e]?.target));
  if (step === "up") return sources(box)[0];
  if (step === "down") return targets(box)[0];
  const siblings = distinct([
    ...sources(box).flatMap(targets),
    ...targets(box).flatMap(sources),
    box,
  ]).sort((a, b) => a - b);
  return siblings[siblings.indexOf(box) + (step === "left" ? -1 : 1)];
}

function distinct(boxes: (number | undefined)[]): number[] {
  return [...new Set(boxes)].filter((box) => box !== undefined);
}
