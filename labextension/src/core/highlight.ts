/** What stands out in the picture: selection, hits, a trace, the stepper's marks. */
import { isConstant } from "./constant_boxes";
import type { FoldedEdge, Key } from "./fold";
import { between, trace } from "./paths";
import type { Picture } from "./picture";
import type { Scene } from "./scene";
import { anchorBox, boxesOf, type Selection } from "./selection";
import type { NodeMark } from "./stepping";

/** What is lit around the selection: all that feeds it, all that it feeds, or both. */
export type Tracing = "off" | "ancestors" | "descendants" | "both";

/** By keys of cards, names of values, indices of folded edges. */
export interface Highlight {
  readonly cards: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly hits: ReadonlySet<string>;
  /** While a trace is on: all that belongs to it; the rest steps back. */
  readonly traced:
    | { readonly cards: ReadonlySet<string>; readonly edges: ReadonlySet<number> }
    | undefined;
  readonly marks: ReadonlyMap<string, NodeMark>;
  /** Marked from Python, in a colour. */
  readonly marked: ReadonlySet<string>;
  /** The group that is selected, where it stands open. */
  readonly group: number | undefined;
  /** What groups beside the selected one have otherwise. */
  readonly odd: ReadonlySet<string>;
}

export const NO_HIGHLIGHT: Highlight = {
  cards: new Set(),
  values: new Set(),
  hits: new Set(),
  traced: undefined,
  marks: new Map(),
  marked: new Set(),
  group: undefined,
  odd: new Set(),
};

/** Later marks win where several boxes are folded into one card. */
const STRENGTH: Record<NodeMark, number> = { done: 0, current: 1, failed: 2 };

export function highlight(
  scene: Scene,
  picture: Picture,
  selection: Selection,
  hits: readonly number[],
  marks: ReadonlyMap<number, NodeMark>,
  tracing: Tracing,
  marked: readonly number[] = [],
  odd: Iterable<number> = [],
): Highlight {
  const keyOf = (box: number) => picture.standIn[box] ?? "";
  // The box of a constant is its value's.
  const constant = selection.kind === "value" ? anchorBox(scene, selection) : undefined;
  const own = constant !== undefined && isConstant(scene, constant) ? [constant] : [];
  const group = selection.kind === "group" ? selection.group : undefined;
  const cards = [...boxesOf(selection), ...own].map(keyOf);
  if (group !== undefined) cards.push(`g${group}`);
  const values = selection.kind === "value" ? [selection.value] : [];
  const shown = new Map<string, NodeMark>();
  for (const [box, mark] of marks) {
    const key = keyOf(box);
    const known = shown.get(key);
    if (known === undefined || STRENGTH[mark] > STRENGTH[known]) shown.set(key, mark);
  }
  for (const key of unfinished(scene, picture, marks))
    if (shown.get(key) === "done") shown.delete(key);
  return {
    cards: new Set(cards),
    values: new Set(values),
    hits: new Set(hits.map(keyOf)),
    traced:
      selection.kind === "pair"
        ? tracedBetween(scene, picture, selection)
        : group !== undefined
          ? undefined
          : traced(scene, picture, anchorBox(scene, selection), tracing),
    marks: shown,
    marked: new Set(marked.map(keyOf)),
    group,
    odd: new Set([...odd].map(keyOf)),
  };
}

/** How many nodes are folded into each collapsed group. */
const FOLDED = new WeakMap<Picture, ReadonlyMap<Key, number>>();

function foldedNodes(scene: Scene, picture: Picture): ReadonlyMap<Key, number> {
  const known = FOLDED.get(picture);
  if (known) return known;
  const counts = new Map<Key, number>();
  scene.boxes.forEach(({ kind }, box) => {
    const key = picture.standIn[box];
    if (kind === "node" && key?.startsWith("g")) counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  FOLDED.set(picture, counts);
  return counts;
}

/** Collapsed groups of which some node has not run: they are not done. */
function unfinished(
  scene: Scene,
  picture: Picture,
  marks: ReadonlyMap<number, NodeMark>,
): Set<Key> {
  if (marks.size === 0) return new Set();
  const left = new Map(foldedNodes(scene, picture));
  for (const box of marks.keys()) {
    const key = picture.standIn[box];
    const count = key === undefined ? undefined : left.get(key);
    if (key !== undefined && count !== undefined && scene.boxes[box]?.kind === "node")
      left.set(key, count - 1);
  }
  return new Set([...left].flatMap(([key, count]) => (count > 0 ? [key] : [])));
}

function tracedBetween(
  scene: Scene,
  picture: Picture,
  { from, to }: { from: number; to: number },
): Highlight["traced"] {
  const found = between(scene, from, to);
  const keys = new Set<string>(
    [...(found?.boxes ?? [from, to])].map((b) => picture.standIn[b] ?? ""),
  );
  const edges = picture.folded.flatMap(({ source, target }, i) =>
    found && keys.has(source) && keys.has(target) ? [i] : [],
  );
  return { cards: keys, edges: new Set(edges) };
}

function traced(
  scene: Scene,
  picture: Picture,
  box: number | undefined,
  tracing: Tracing,
): Highlight["traced"] {
  if (box === undefined || tracing === "off") return undefined;
  const { upstream, downstream } = trace(scene, box);
  const keys = (boxes: Iterable<number>) =>
    new Set<string>([...boxes, box].map((b) => picture.standIn[b] ?? ""));
  const above = keys(tracing === "descendants" ? [] : upstream);
  const below = keys(tracing === "ancestors" ? [] : downstream);
  const inside = ({ source, target }: FoldedEdge, side: ReadonlySet<string>) =>
    side.has(source) && side.has(target);
  const edges = picture.folded.flatMap((edge, i) =>
    inside(edge, above) || inside(edge, below) ? [i] : [],
  );
  return { cards: new Set([...above, ...below]), edges: new Set(edges) };
}
