/** In what two nodes differ, and the nodes that are compared. */
import type { Box, Scene } from "./scene";

/** The nodes of groups with all that lies in them, in the file's order. */
export class Members {
  readonly #own: number[][];
  readonly #children: number[][];

  constructor(scene: Scene) {
    this.#own = scene.groups.map(() => []);
    this.#children = scene.groups.map(() => []);
    scene.boxes.forEach(({ op, group }, box) => {
      if (op !== "") this.#own[group]?.push(box);
    });
    scene.groups.forEach(({ parent, kind }, group) => {
      if (kind !== "operator") this.#children[parent]?.push(group);
    });
  }

  of(group: number): number[] {
    const found: number[] = [];
    const waiting = [group];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const box of this.#own[next] ?? []) found.push(box);
      waiting.push(...(this.#children[next] ?? []));
    }
    return found.sort((a, b) => a - b);
  }
}

/** In what two nodes differ: their operators, else attributes and types. */
export function between(usual: Box, odd: Box): string[] {
  if (usual.op !== odd.op) return [`${usual.op} → ${odd.op}`];
  const texts: string[] = [];
  const known = new Map(usual.attributes.map(([name, text]) => [name, text]));
  for (const [name, text] of odd.attributes) {
    const before = known.get(name);
    known.delete(name);
    if (before !== text) texts.push(`${name} ${before ?? "not set"} → ${text}`);
  }
  for (const [name, text] of known) texts.push(`${name} ${text} → not set`);
  for (const side of ["inputs", "outputs"] as const) {
    const [a, b] = [usual[side], odd[side]];
    if (a.length !== b.length) texts.push(`${a.length} ${side} → ${b.length}`);
    else
      b.forEach(([port, , type], i) => {
        const before = a[i]?.[2];
        if (before !== undefined && before !== type)
          texts.push(`${port || side.slice(0, -1)} ${before} → ${type}`);
      });
  }
  return texts;
}
