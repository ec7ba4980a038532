/**
 * The nesting of what is visible. Each expanded group is a level that is laid out by itself; a value that crosses a
 * level's border passes through a port, so that the inside and the outside can be laid out apart and still meet.
 */
import { saysItsType } from "./constant_boxes";
import { firstBoxIn } from "./expansion";
import { type FoldedEdge, type Folding, fold, type Key } from "./fold";
import { finish, SOME, type Steps } from "./pace";
import { at, type Scene } from "./scene";

export interface BoxItem {
  readonly kind: "box";
  readonly key: Key;
  readonly box: number;
}

export interface GroupItem {
  readonly kind: "group";
  readonly key: Key;
  readonly group: number;
}

export interface FrameItem {
  readonly kind: "frame";
  readonly key: string;
  /** The groups that stand open in this frame; closing the frame closes them. */
  readonly groups: readonly number[];
  /** The node whose bodies these are, else -1. */
  readonly owner: number;
  readonly children: readonly Item[];
}

export type Item = BoxItem | GroupItem | FrameItem;

export type End =
  | {
      readonly kind: "item";
      readonly item: Item /** Where the item is a frame. */;
      readonly wire: string;
    }
  /** A port of the level's own border. */
  | { readonly kind: "in" | "out"; readonly wire: string };

export interface Arc {
  readonly from: End;
  readonly to: End;
  readonly wire: string;
  /** Folded edges that run along here; none: the arc only keeps things in place. */
  readonly edges: number[];
  /** Whether it leads from a constant. */
  readonly loose: boolean;
}

export interface Level {
  readonly frame: FrameItem;
  readonly ins: readonly string[];
  readonly outs: readonly string[];
  readonly arcs: readonly Arc[];
}

export interface Nesting {
  readonly folding: Folding;
  readonly root: FrameItem;
  /** Where a group is the whole view: what lies around it and is joined to it by edges. */
  readonly outside: ReadonlySet<Key>;
  readonly levels: ReadonlyMap<FrameItem, Level>;
}

/** What is visible, of the whole graph or of the group that has been entered. */
export function nest(scene: Scene, expanded: ReadonlySet<number>, entered = 0): Nesting {
  return finish(nestSteps(scene, expanded, entered));
}

export function* nestSteps(
  scene: Scene,
  expanded: ReadonlySet<number>,
  entered = 0,
): Steps<Nesting> {
  const open = new Set(expanded);
  for (let g = entered; g > 0; g = at(scene.groups, g).parent) open.add(g);
  const folding = fold(scene, open);
  yield;
  const inner = frames(scene, open, folding, entered);
  yield;
  const outside = entered > 0 ? neighbours(inner, folding.edges) : new Set<Key>();
  const root = { ...inner, children: [...inner.children, ...[...outside].map(itemOf)] };
  const levels = yield* new LevelBuilder(root).build(scene, folding.edges);
  return { folding, root, outside, levels };
}

/** The far ends of the edges that lead into the frame or out of it. */
function neighbours(frame: FrameItem, edges: readonly FoldedEdge[]): Set<Key> {
  const inside = new Set<string>();
  const collect = ({ children }: FrameItem) => {
    for (const child of children) {
      inside.add(child.key);
      if (child.kind === "frame") collect(child);
    }
  };
  collect(frame);
  const found = new Set<Key>();
  for (const { source, target } of edges)
    if (inside.has(source) !== inside.has(target)) found.add(inside.has(source) ? target : source);
  return found;
}

function itemOf(key: Key): Item {
  const index = Number(key.slice(1));
  return key.startsWith("g")
    ? { kind: "group", key, group: index }
    : { kind: "box", key, box: index };
}

function frames(
  scene: Scene,
  expanded: ReadonlySet<number>,
  folding: Folding,
  entered: number,
): FrameItem {
  const boxesIn: number[][] = scene.groups.map(() => []);
  for (const box of folding.boxes) boxesIn[at(scene.boxes, box).group]?.push(box);
  const collapsed = new Set(folding.groups);
  const openIn: number[][] = scene.groups.map(() => []);
  const closedIn: number[][] = scene.groups.map(() => []);
  scene.groups.forEach(({ parent, owner }, i) => {
    if (owner >= 0 || parent < 0) return;
    if (collapsed.has(i)) closedIn[parent]?.push(i);
    else if (expanded.has(i)) openIn[parent]?.push(i);
  });

  const content = (group: number): Item[] => {
    const items: [number, Item][] = [];
    for (const box of at(boxesIn, group)) items.push([box, boxOrOwner(box)]);
    for (const g of at(closedIn, group))
      items.push([placeOf(scene, g), { kind: "group", key: `g${g}`, group: g }]);
    for (const g of at(openIn, group)) items.push([placeOf(scene, g), frame(g)]);
    return items.sort((a, b) => a[0] - b[0]).map(([, item]) => item);
  };
  const frame = (group: number): FrameItem => ({
    kind: "frame",
    key: `f${group}`,
    groups: [group],
    owner: -1,
    children: content(group),
  });
  const boxOrOwner = (box: number): Item => {
    const header: BoxItem = { kind: "box", key: `b${box}`, box };
    const open = (scene.ownedBy.get(box) ?? []).filter((group) => expanded.has(group));
    const [only, ...more] = open;
    if (only === undefined) return header;
    const bodies = more.length === 0 ? content(only) : open.map(frame);
    return {
      kind: "frame",
      key: `o${box}`,
      groups: open,
      owner: box,
      children: [header, ...bodies],
    };
  };
  return frame(entered);
}

/** The place of a group in the file's order. */
function placeOf(scene: Scene, group: number): number {
  return firstBoxIn(scene, group) ?? Number.POSITIVE_INFINITY;
}

interface Draft {
  readonly ins: Set<string>;
  readonly outs: Set<string>;
  readonly arcs: Map<string, Arc>;
}

class LevelBuilder {
  readonly #parent = new Map<Item, FrameItem>();
  readonly #item = new Map<string, Item>();
  readonly #drafts = new Map<FrameItem, Draft>();

  constructor(root: FrameItem) {
    this.#register(root);
  }

  *build(scene: Scene, edges: readonly FoldedEdge[]): Steps<Map<FrameItem, Level>> {
    for (const [i, edge] of edges.entries()) {
      if (i % SOME === 0) yield;
      this.#route(edge, i, wireOf(edge), saysItsType(scene, edge));
    }
    const levels = new Map<FrameItem, Level>();
    for (const [frame, draft] of this.#drafts) {
      this.#holdHeaderOnTop(frame, draft);
      levels.set(frame, {
        frame,
        ins: [...draft.ins],
        outs: [...draft.outs],
        arcs: [...draft.arcs.values()],
      });
    }
    return levels;
  }

  #register(frame: FrameItem): void {
    this.#drafts.set(frame, { ins: new Set(), outs: new Set(), arcs: new Map() });
    for (const child of frame.children) {
      this.#parent.set(child, frame);
      this.#item.set(child.key, child);
      if (child.kind === "frame") this.#register(child);
    }
  }

  #route(edge: FoldedEdge, index: number, wire: string, loose: boolean): void {
    const source = this.#item.get(edge.source);
    const target = this.#item.get(edge.target);
    if (!source || !target) return;
    const up = this.#pathOf(source);
    const down = this.#pathOf(target);
    while (up.length > 1 && down.length > 1 && up[1] === down[1]) {
      up.shift();
      down.shift();
    }
    // Both paths now begin with the innermost frame that holds both ends.
    for (let i = up.length - 1; i >= 2; i--)
      this.#add(up[i - 1], end(up[i], wire), { kind: "out", wire }, wire, index, loose);
    this.#add(up[0], end(up[1], wire), end(down[1], wire), wire, index, loose);
    for (let i = 2; i < down.length; i++)
      this.#add(down[i - 1], { kind: "in", wire }, end(down[i], wire), wire, index, loose);
  }

  /** From the root down to the item itself. */
  #pathOf(item: Item): Item[] {
    const path: Item[] = [item];
    for (let frame = this.#parent.get(item); frame; frame = this.#parent.get(frame))
      path.unshift(frame);
    return path;
  }

  #add(
    frame: Item | undefined,
    from: End,
    to: End,
    wire: string,
    edge: number,
    loose: boolean,
  ): void {
    const draft = frame?.kind === "frame" ? this.#drafts.get(frame) : undefined;
    if (!draft) return;
    if (from.kind === "in") draft.ins.add(wire);
    if (to.kind === "out") draft.outs.add(wire);
    const name = `${endName(from)} ${endName(to)}`;
    const known = draft.arcs.get(name);
    if (known) known.edges.push(edge);
    else draft.arcs.set(name, { from, to, wire, edges: [edge], loose });
  }

  #holdHeaderOnTop(frame: FrameItem, draft: Draft): void {
    const header = frame.owner >= 0 ? frame.children[0] : undefined;
    if (!header) return;
    const fed = new Set<Item>();
    for (const { from, to } of draft.arcs.values())
      if (from.kind === "item" && to.kind === "item") fed.add(to.item);
    for (const child of frame.children) {
      if (child === header || fed.has(child)) continue;
      const [from, to] = [end(header, ""), end(child, "")];
      const arc: Arc = { from, to, wire: "", edges: [], loose: false };
      draft.arcs.set(`hold ${child.key}`, arc);
    }
  }
}

function end(item: Item | undefined, wire: string): End {
  if (!item) throw new RangeError("a route ends outside the nesting");
  return { kind: "item", item, wire };
}

function endName(end: End): string {
  if (end.kind !== "item") return `${end.kind} ${end.wire}`;
  return end.item.kind === "frame" ? `${end.item.key}:${end.wire}` : end.item.key;
}

/** What may share a port: the same values from the same source. */
function wireOf({ source, values }: FoldedEdge): string {
  return JSON.stringify([source, ...values]);
}
