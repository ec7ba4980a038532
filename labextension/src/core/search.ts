/** Search over the whole model, folded away or not. */
import { foldedConstants, isConstant } from "./constant_boxes";
import { groupTitle } from "./naming";
import type { Steps } from "./pace";
import { asksForName, lowering, namesGroup, readQuery } from "./query";
import { at, type Box, type Group, type Scene } from "./scene";
import { type Selection, selectionOfBox } from "./selection";

/** What is found, and what a list shows of it. */
export interface Hit {
  /** Where it is in the drawing: undefined for a group, and for a constant that nothing reads. */
  readonly box: number | undefined;
  readonly selection: Selection;
  readonly title: string;
  readonly text: string;
  readonly path: string;
}

/** A box, or a constant that is part of one: its texts are put together when they are shown. */
class BoxHit implements Hit {
  readonly #scene: Scene;
  readonly #box: Box;
  readonly box: number | undefined;
  readonly selection: Selection;

  constructor(scene: Scene, box: Box, place: number | undefined, selection: Selection) {
    this.#scene = scene;
    this.#box = box;
    this.box = place;
    this.selection = selection;
  }

  get title(): string {
    const { op, name, id } = this.#box;
    return op || name || id;
  }

  get text(): string {
    const { kind, detail, name, id, outputs } = this.#box;
    return kind === "initializer" ? detail : name || outputs[0]?.[1] || id;
  }

  /** Where it stands; of a constant that is part of a node, the node. */
  get path(): string {
    const { kind, group } = this.#box;
    if (kind !== "initializer") return pathOf(this.#scene, group);
    if (this.box === undefined) return "nothing reads it";
    if (isConstant(this.#scene, this.box)) return pathOf(this.#scene, group);
    const { op, name, id } = at(this.#scene.boxes, this.box);
    return ["in", op, name || id].filter(Boolean).join(" ");
  }
}

/** Every part of the query must be found; better matches come first, ties keep the file's order. */
export function search(scene: Scene, query: string): Hit[] {
  const byScore = new Map<number, Hit[]>();
  const add = (score: number, hit: Hit) => {
    const equal = byScore.get(score);
    if (equal) equal.push(hit);
    else byScore.set(score, [hit]);
  };
  const find = (searched: Scene, hit: (box: Box, index: number) => Hit) => {
    const tests = readQuery(searched, query);
    if (tests.length === 0) return;
    searched.boxes.forEach((box, i) => {
      let score = 0;
      for (const test of tests) {
        const found = test(box, i);
        if (found === 0) return;
        score += found;
      }
      add(score, hit(box, i));
    });
  };
  // Before nodes that fit as well: a group is where they are looked for.
  const named = namesGroup(query);
  scene.groups.forEach((group, i) => {
    const score = group.kind === "scope" ? named(at(titles(scene), i)) : 0;
    if (score > 0) add(score, groupHit(scene, group, i));
  });
  find(scene, (box, i) => new BoxHit(scene, box, i, selectionOfBox(scene, i)));
  // A weight has the type of what its node reads: who asks for a type means the node.
  if (asksForName(query))
    find(foldedConstants(scene), (box) => {
      const { name } = box;
      const reader = scene.initializers.get(name)?.boxes[0];
      return new BoxHit(scene, box, reader, { kind: "value", value: name });
    });
  return [...byScore].sort(([a], [b]) => b - a).flatMap(([, hits]) => hits);
}

function groupHit(scene: Scene, { parent }: Group, group: number): Hit {
  const selection: Selection = { kind: "group", group };
  const title = at(titles(scene), group);
  return { box: undefined, selection, title, text: "group", path: pathOf(scene, parent) };
}

const TITLES = new WeakMap<Scene, readonly string[]>();

/** What stands on the groups. */
function titles(scene: Scene): readonly string[] {
  let known = TITLES.get(scene);
  if (!known) {
    known = scene.groups.map((_, group) => groupTitle(scene, group));
    TITLES.set(scene, known);
  }
  return known;
}

/** Makes ready what the first letter needs. */
export function* readying(scene: Scene): Steps<void> {
  yield* lowering(scene);
  yield;
  yield* lowering(foldedConstants(scene));
  yield;
  titles(scene);
}

/** The labels of the groups around a place, outermost first. */
function pathOf(scene: Scene, group: number): string {
  const labels: string[] = [];
  for (let g = group; g > 0; g = at(scene.groups, g).parent)
    labels.unshift(at(scene.groups, g).label);
  return labels.join(" / ");
}

/** The next place in a ring of hits. */
export function stepThrough(count: number, current: number, step: 1 | -1): number {
  if (count === 0) return -1;
  return current < 0 ? (step === 1 ? 0 : count - 1) : (current + step + count) % count;
}
