/** Search over the whole model, folded away or not. */
import { readQuery } from "./query";
import { at, type Scene } from "./scene";

/** A box that was found, and what a list shows of it: put together when it is shown. */
export class Hit {
  readonly box: number;
  readonly #scene: Scene;

  constructor(scene: Scene, box: number) {
    this.#scene = scene;
    this.box = box;
  }

  get title(): string {
    const { op, name, id } = at(this.#scene.boxes, this.box);
    return op || name || id;
  }

  get text(): string {
    const { name, id, outputs } = at(this.#scene.boxes, this.box);
    return name || outputs[0]?.[1] || id;
  }

  get path(): string {
    return pathOf(this.#scene, this.box);
  }
}

/** Every part of the query must be found; better matches come first, ties keep the file's order. */
export function search(scene: Scene, query: string): Hit[] {
  const tests = readQuery(scene, query);
  if (tests.length === 0) return [];
  const byScore = new Map<number, Hit[]>();
  scene.boxes.forEach((box, i) => {
    let score = 0;
    for (const test of tests) {
      const found = test(box, i);
      if (found === 0) return;
      score += found;
    }
    const equal = byScore.get(score);
    if (equal) equal.push(new Hit(scene, i));
    else byScore.set(score, [new Hit(scene, i)]);
  });
  return [...byScore].sort(([a], [b]) => b - a).flatMap(([, hits]) => hits);
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
