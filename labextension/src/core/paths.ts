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
