/** Search by operator, name and value, over the whole model, folded away or not. */
import { at, type Scene } from "./scene";

export interface Hit {
  readonly box: number;
  /** What is shown in the list. */
  readonly title: string;
  readonly text: string;
  readonly path: string;
}

/** Better kinds of match come first; ties keep the file's order. */
function score(fields: readonly [text: string, weight: number][], word: string): number {
  let best = 0;
  for (const [text, weight] of fields) {
    const lower = text.toLowerCase();
    const place = lower.indexOf(word);
    if (place < 0) continue;
    const quality = lower === word ? 3 : place === 0 ? 2 : 1;
    best = Math.max(best, quality * 10 + weight);
  }
  return best;
}

/** Every word of the query must be found somewhere in the box's operator, name, id or outputs. */
export function search(scene: Scene, query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const hits: { box: number; score: number }[] = [];
  scene.boxes.forEach((box, i) => {
    const fields: [string, number][] = [
      [box.op, 3],
      [box.name, 2],
      [box.id, 1],
      ...box.outputs.map(([, value]): [string, number] => [value, 1]),
    ];
    let total = 0;
    for (const word of words) {
      const found = score(fields, word);
      if (found === 0) return;
      total += found;
    }
    hits.push({ box: i, score: total });
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
