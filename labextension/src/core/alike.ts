/** Groups that hold the same: operators, attributes, sizes and wiring, whatever things are called. */
import { finish, MANY, type Steps } from "./pace";
import { at, type Scene } from "./scene";

/** By group. */
export interface Likeness {
  /** All groups beside it that hold the same, itself included; empty where it is alone. */
  readonly alike: readonly (readonly number[])[];
  /** Those that hold the same or nearly, itself included; empty where no other is nearly the same. */
  readonly near: readonly (readonly number[])[];
}

/** So many kinds of groups beside each other are held against each other. */
const MOST_KINDS = 32;

export function likenessOf(scene: Scene): Likeness {
  return finish(likenessSteps(scene));
}

export function* likenessSteps(scene: Scene): Steps<Likeness> {
  const reader = new Reader(scene);
  const alike: (readonly number[])[] = scene.groups.map(() => []);
  const near: (readonly number[])[] = scene.groups.map(() => []);
  for (const siblings of families(scene)) {
    const bySignature = new Map<number, number[]>();
    for (const group of siblings) {
      const signature = yield* reader.signature(group);
      bySignature.set(signature, [...(bySignature.get(signature) ?? []), group]);
    }
    const kinds = [...bySignature.values()];
    for (const same of kinds) if (same.length > 1) for (const group of same) alike[group] = same;
    if (kinds.length === 1 || kinds.length > MOST_KINDS) continue;
    const censuses: Census[] = [];
    for (const same of kinds) censuses.push(yield* reader.census(at(same, 0)));
    for (const [i, same] of kinds.entries()) {
      yield;
      const others = kinds.filter((_, j) => j !== i && areNear(at(censuses, i), at(censuses, j)));
      if (others.length === 0) continue;
      const all = [...same, ...others.flat()].sort((a, b) => a - b);
      for (const group of same) near[group] = all;
    }
  }
  return { alike, near };
}

/** How often each box stands in a group, by what it says of itself. */
interface Census {
  readonly boxes: number;
  readonly counts: ReadonlyMap<number, number>;
}

/** Whether at least half of the larger one is in the other too. */
function areNear(a: Census, b: Census): boolean {
  let common = 0;
  for (const [own, count] of a.counts) common += Math.min(count, b.counts.get(own) ?? 0);
  return 2 * common >= Math.max(a.boxes, b.boxes);
}

/** Groups of one parent whose names differ in their numbers only: others are not looked into. */
export function families(scene: Scene): number[][] {
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

/** More than there are texts, lists or places: two numbers below it make one that is still exact. */
const LIMIT = 2 ** 26;

/**
 * Gives equal things equal numbers and others different ones. A list is folded into a number item by item, so that
 * what many groups begin with is kept once.
 */
class Reader {
  readonly #scene: Scene;
  readonly #boxes: number[][];
  readonly #children: number[][];
  readonly #texts = new Map<string, number>();
  readonly #folds = new Map<number, number>();
  /** What each box says of itself, read when it is first asked for. */
  readonly #own: Uint32Array;
  /** Where a box stands among those of the group that is read: meaningful where `#in` names that group. */
  readonly #place: Uint32Array;
  readonly #in: Int32Array;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#boxes = scene.groups.map(() => []);
    this.#children = scene.groups.map(() => []);
    this.#own = new Uint32Array(scene.boxes.length);
    this.#place = new Uint32Array(scene.boxes.length);
    this.#in = new Int32Array(scene.boxes.length).fill(-1);
    scene.boxes.forEach(({ group }, box) => {
      this.#boxes[group]?.push(box);
    });
    scene.groups.forEach(({ parent, kind }, group) => {
      if (kind !== "operator") this.#children[parent]?.push(group);
    });
  }

  *signature(group: number): Steps<number> {
    const members: number[] = [];
    let number = this.#collect(group, members);
    members.sort((a, b) => a - b);
    members.forEach((box, i) => {
      this.#in[box] = group;
      this.#place[box] = i;
    });
    for (let i = 0; i < members.length; i++) {
      if (i % MANY === 0) yield;
      const box = at(members, i);
      number = this.#fold(number, this.#ownNumber(box));
      for (const edge of at(this.#scene.edgesInto, box)) {
        const { source } = at(this.#scene.edges, edge);
        number = this.#fold(
          number,
          this.#in[source] === group ? (this.#place[source] ?? 0) + 1 : 0,
        );
      }
      number = this.#fold(number, LIMIT - 1);
    }
    return number;
  }

  *census(group: number): Steps<Census> {
    const members: number[] = [];
    this.#collect(group, members);
    const counts = new Map<number, number>();
    for (let i = 0; i < members.length; i++) {
      if (i % MANY === 0) yield;
      const own = this.#ownNumber(at(members, i));
      counts.set(own, (counts.get(own) ?? 0) + 1);
    }
    return { boxes: members.length, counts };
  }

  /** All boxes below a group; tells how the groups below it are nested. */
  #collect(group: number, members: number[]): number {
    const own = at(this.#boxes, group);
    for (const box of own) members.push(box);
    let shape = own.length;
    for (const child of at(this.#children, group))
      shape = this.#fold(shape, this.#collect(child, members));
    return this.#fold(shape, LIMIT - 1);
  }

  #ownNumber(index: number): number {
    const known = this.#own[index];
    if (known) return known;
    const { op, domain, version, attributes, inputs, outputs } = at(this.#scene.boxes, index);
    let number = this.#fold(this.#text(op), this.#text(domain));
    number = this.#fold(number, version);
    for (const [name, value] of attributes)
      number = this.#fold(this.#fold(number, this.#text(name)), this.#text(value));
    for (const ports of [inputs, outputs]) {
      number = this.#fold(number, ports.length);
      for (const [port, , type] of ports)
        number = this.#fold(this.#fold(number, this.#text(port)), this.#text(type));
    }
    this.#own[index] = number;
    return number;
  }

  #text(text: string): number {
    let number = this.#texts.get(text);
    if (number === undefined) {
      number = this.#texts.size + 1;
      this.#texts.set(text, number);
    }
    return number;
  }

  /** The number of a list that begins with what has the number `list` and goes on with `item`. */
  #fold(list: number, item: number): number {
    const pair = list * LIMIT + item;
    let number = this.#folds.get(pair);
    if (number === undefined) {
      number = this.#folds.size + 1;
      this.#folds.set(pair, number);
    }
    return number;
  }
}
