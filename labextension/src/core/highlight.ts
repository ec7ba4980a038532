/** What stands out in the picture: selection, hits, a trace, the stepper's marks. */
import type { FoldedEdge, Key } from "./fold";
import { trace } from "./paths";
import type { Picture } from "./picture";
import type { Scene } from "./scene";
import { anchorBox, type Selection } from "./selection";
import type { NodeMark } from "./stepping";

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
}

export const NO_HIGHLIGHT: Highlight = {
  cards: new Set(),
  values: new Set(),
  hits: new Set(),
  traced: undefined,
  marks: new Map(),
};

/** Later marks win where several boxes are folded into one card. */
const STRENGTH: Record<NodeMark, number> = { done: 0, current: 1, failed: 2 };

export function highlight(
  scene: Scene,
  picture: Picture,
  selection: Selection,
  hits: readonly number[],
  marks: ReadonlyMap<number, NodeMark>,
  tracing: boolean,
): Highlight {
  const keyOf = (box: number) => picture.standIn[box] ?? "";
  const cards = selection.kind === "box" ? [keyOf(selection.box)] : [];
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
    traced: tracing ? traced(scene, picture, anchorBox(scene, selection)) : undefined,
    marks: shown,
  };
}

/** Collapsed groups of which some node has not run: they are not done. */
function unfinished(
  scene: Scene,
  picture: Picture,
  marks: ReadonlyMap<number, NodeMark>,
): Set<Key> {
  const open = new Set<Key>();
  scene.boxes.forEach(({ kind }, box) => {
    const key = picture.standIn[box];
    if (kind === "node" && key?.startsWith("g") && !marks.has(box)) open.add(key);
  });
  return open;
}

function traced(scene: Scene, picture: Picture, box: number | undefined): Highlight["traced"] {
  if (box === undefined) return undefined;
  const { upstream, downstream } = trace(scene, box);
  const keys = (boxes: Iterable<number>) =>
    new Set<string>([...boxes, box].map((b) => picture.standIn[b] ?? ""));
  const above = keys(upstream);
  const below = keys(downstream);
  const inside = ({ source, target }: FoldedEdge, side: ReadonlySet<string>) =>
    side.has(source) && side.has(target);
  const edges = picture.folded.flatMap((edge, i) =>
    inside(edge, above) || inside(edge, below) ? [i] : [],
  );
  return { cards: new Set([...above, ...below]), edges: new Set(edges) };
}
