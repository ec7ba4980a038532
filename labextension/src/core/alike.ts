/** Groups that hold the same: operators, attributes, sizes and wiring, whatever things are called. */
import { at, type Box, type Scene } from "./scene";

/** For each group all groups beside it that are like it, itself included; empty where it is alone. */
export function alikeGroups(scene: Scene): (readonly number[])[] {
  const reader = new Reader(scene);
  const alike: (readonly number[])[] = scene.groups.map(() => []);
  for (const siblings of families(scene)) {
    const bySignature = new Map<number, number[]>();
    for (const group of siblings) {
      const signature = reader.signature(group);
      bySignature.set(signature, [...(bySignature.get(signature) ?? []), group]);
    }
    for (const same of bySignature.values())
      if (same.length > 1) for (const group of same) alike[group] = same;
  }
  return alike;
}

/** Groups of one parent whose names differ in their numbers only: others are not looked into. */
function families(scene: Scene): number[][] {
  const found = new Map<string, number[]>();
  scene.groups.forEach(({ parent, owner, label }, group) => {
    if (parent < 0 || owner >= 0) return;
    const key = `${parent} ${label.replace(/\d+/g, "#")}`;
    const known = found.get(key);
    if (known) known.push(group);
    else found.set(key, [group]);
  });
  return [...found.values()].filter((family) => family.length > 1);
}

class Reader {
  readonly #scene: Scene;
  readonly #boxes: number[][];
  readonly #children: number[][];
  /** Texts as numbers, so that signatures stay short. */
  readonly #numbers = new Map<string, number>();
  /** What each box says of itself, read when it is first asked for. */
  readonly #own: (number | undefined)[];

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#boxes = scene.groups.map(() => []);
    this.#children = scene.groups.map(() => []);
    this.#own = new Array<number | undefined>(scene.boxes.length);
    scene.boxes.forEach(({ group }, box) => {
      this.#boxes[group]?.push(box);
    });
    scene.groups.forEach(({ parent }, group) => {
      this.#children[parent]?.push(group);
    });
  }

  signature(group: number): number {
    const members: number[] = [];
    const shape = this.#collect(group, members);
    members.sort((a, b) => a - b);
    const place = new Map(members.map((box, i) => [box, i]));
    let text = shape;
    for (const box of members) {
      text += `;${this.#ownNumber(box)}`;
      for (const edge of at(this.#scene.edgesInto, box))
        text += ` ${place.get(at(this.#scene.edges, edge).source) ?? "-"}`;
    }
    return this.#number(text);
  }

  /** All boxes below a group; tells how the groups below it are nested. */
  #collect(group: number, members: number[]): string {
    const own = at(this.#boxes, group);
    for (const box of own) members.push(box);
    let shape = `(${own.length}`;
    for (const child of at(this.#children, group)) shape += this.#collect(child, members);
    return `${shape})`;
  }

  #ownNumber(index: number): number {
    const known = this.#own[index];
    if (known !== undefined) return known;
    const { op, domain, version, attributes, inputs, outputs }: Box = at(this.#scene.boxes, index);
    let text = `${op} ${domain} ${version}`;
    for (const [name, value] of attributes) text += `\n${name}=${value}`;
    for (const [port, , type] of inputs) text += `\n<${port} ${type}`;
    for (const [port, , type] of outputs) text += `\n>${port} ${type}`;
    const number = this.#number(text);
    this.#own[index] = number;
    return number;
  }

  #number(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(text, number);
    }
    return number;
  }
}
