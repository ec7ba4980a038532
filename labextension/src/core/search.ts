/** Search over the whole model, folded away or not. */
import { readQuery } from "./query";
import { at, type Scene } from "./scene";

export interface Hit {
  readonly box: number;
  /** What is shown in the list. */
  readonly title: string;
  readonly text: string;
  readonly path: string;
}

/** Every part of the query must be found; better matches come first, ties keep the file's order. */
export function search(scene: Scene, query: string): Hit[] {
  const tests = readQuery(scene, query);
  if (tests.length === 0) return [];
  const hits: { box: number; score: number }[] = [];
  scene.boxes.forEach((box, i) => {
    let score = 0;
    for (const test of tests) {
      const found = test(box, i);
      if (found === 0) return;
      score += found;
    }
    hits.push({ box: i, score });
  });
  return hits
    .sort((a, b) => b.score - a.score || a.box - b.box)
    .map(({ box }) => {
      const { op, name, id, outputs } = at(scene.boxes, box);
      return {
        box,
        title: op || name || id,
        text: name || outputs[0]?.[1] || id,
        path: pathOf(scene, box),
      };
    });
}

/** The labels of the groups around a box, outermost first. */
export function pathOf(scene: Scene, box: number): string {
  const labels: string[] = [];
  for (let g = at(scene.boxes, box).group; g > 0; g = at(scene.groups, g).parent)
    labels.unshift(at(scene.groups, g).label);
  return labels.join(" / ");
}

/** The next place in a ring of hits. */
export function stepThrough(count: number, current: number, step: 1 | -1): number {
  if (count === 0) return -1;
  return current < 0 ? (step === 1 ? 0 : count - 1) : (current + step + count) % count;
}
