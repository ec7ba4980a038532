/** From a level to the graph that is laid out: sizes, ports, and long arcs cut into named stubs. */
import type { LayoutArc, LayoutGraph, LayoutNode } from "./geometry";
import type { Arc, End, Item, Level } from "./levels";
import type { PortOrder } from "./ports";
import { arcsToCut, CUT_LIMITS, type CutLimits } from "./ranks";

export type PlanNode =
  | { readonly kind: "item"; readonly item: Item }
  | { readonly kind: "in" | "out"; readonly wire: string }
  /** One end of a tunnel; `side` tells which end of its edges it stands near. */
  | { readonly kind: "stub"; readonly side: "source" | "target"; readonly stub: StubText };

export interface StubText {
  readonly text: string;
  readonly width: number;
  /** The folded edges that go through the tunnel here. */
  readonly edges: readonly number[];
}

export interface PlanArc {
  readonly edges: readonly number[];
  readonly arrow: boolean;
}

export interface Plan {
  readonly graph: LayoutGraph;
  readonly nodes: readonly PlanNode[];
  readonly arcs: readonly PlanArc[];
}

export interface ItemSize {
  readonly width: number;
  readonly height: number;
  /** Of a frame: where its ports lie, in the order of the level's `ins` and `outs`. */
  readonly ins?: ReadonlyMap<string, number>;
  readonly outs?: ReadonlyMap<string, number>;
}

export interface Planner {
  readonly sizeOf: (item: Item) => ItemSize;
  /** The name of the far ends, and its width. */
  readonly stubText: (edges: readonly number[], side: "source" | "target") => StubText;
}

const NO_ORDER: PortOrder = { ins: [], outs: [] };

export const STUB_HEIGHT = 16;
const PORT: LayoutNode = { width: 2, height: 2 };

export function planLevel(
  level: Level,
  planner: Planner,
  limits: CutLimits = CUT_LIMITS,
  order: PortOrder = NO_ORDER,
): Plan {
  return new LevelPlanner(level, planner).plan(limits, order);
}

class LevelPlanner {
  readonly #level: Level;
  readonly #planner: Planner;
  readonly #nodes: PlanNode[] = [];
  readonly #layout: LayoutNode[] = [];
  readonly #indexOf = new Map<Item | string, number>();
  readonly #ports = new Map<Item, { tops: Map<string, number>; bottoms: Map<string, number> }>();

  constructor(level: Level, planner: Planner) {
    this.#level = level;
    this.#planner = planner;
  }

  plan(limits: CutLimits, order: PortOrder): Plan {
    const { frame, ins, outs, arcs } = this.#level;
    for (const wire of ins) this.#add(`in ${wire}`, { kind: "in", wire }, { ...PORT, pin: "top" });
    for (const item of frame.children) this.#addItem(item);
    for (const wire of outs)
      this.#add(`out ${wire}`, { kind: "out", wire }, { ...PORT, pin: "bottom" });
    const ends = arcs.map((arc) => ({
      from: this.#indexAt(arc.from),
      to: this.#indexAt(arc.to),
      wire: arc.wire,
    }));
    const cut = arcsToCut(this.#nodes.length, ends, limits);
    const layoutArcs: LayoutArc[] = [];
    const planArcs: PlanArc[] = [];
    const push = (layout: LayoutArc, edges: readonly number[], arrow: boolean) => {
      layoutArcs.push(layout);
      planArcs.push({ edges, arrow });
    };
    arcs.forEach((arc, i) => {
      if (cut.has(i)) return;
      const from = this.#attach(arc.from, "bottoms");
      const to = this.#attach(arc.to, "tops");
      const ends = { ...sourceEnd(from), ...targetEnd(to) };
      push(arc.loose ? { ...ends, loose: true } : ends, arc.edges, endsInItem(arc));
    });
    this.#cutArcs(
      arcs.filter((_, i) => cut.has(i)),
      push,
    );
    const chains = [
      order.ins.flatMap((wire) => this.#indexOf.get(`in ${wire}`) ?? []),
      order.outs.flatMap((wire) => this.#indexOf.get(`out ${wire}`) ?? []),
    ].filter((chain) => chain.length > 1);
    return {
      graph: { nodes: this.#layout, arcs: layoutArcs, chains },
      nodes: this.#nodes,
      arcs: planArcs,
    };
  }

  #cutArcs(
    arcs: readonly Arc[],
    push: (layout: LayoutArc, edges: readonly number[], arrow: boolean) => void,
  ): void {
    const leaving = new Map<string, { from: End; edges: number[] }>();
    for (const arc of arcs) {
      // An arc that only keeps things in place leads nowhere worth naming.
      if (arc.edges.length === 0) continue;
      const name = `${this.#indexAt(arc.from)} ${arc.wire}`;
      const known = leaving.get(name);
      if (known) known.edges.push(...arc.edges);
      else leaving.set(name, { from: arc.from, edges: [...arc.edges] });
      const stub = this.#addStub("target", arc.edges);
      push(
        { from: stub, ...targetEnd(this.#attach(arc.to, "tops")), weight: 4 },
        arc.edges,
        endsInItem(arc),
      );
    }
    for (const { from, edges } of leaving.values()) {
      const stub = this.#addStub("source", edges);
      push({ ...sourceEnd(this.#attach(from, "bottoms")), to: stub, weight: 4 }, edges, true);
    }
  }

  #addStub(side: "source" | "target", edges: readonly number[]): number {
    const stub = this.#planner.stubText(edges, side);
    return this.#add(
      undefined,
      { kind: "stub", side, stub },
      { width: stub.width, height: STUB_HEIGHT },
    );
  }

  #addItem(item: Item): void {
    const { width, height, ins, outs } = this.#planner.sizeOf(item);
    const tops = [...(ins ?? [])];
    const bottoms = [...(outs ?? [])];
    if (item.kind === "frame")
      this.#ports.set(item, {
        tops: new Map(tops.map(([wire], i) => [wire, i])),
        bottoms: new Map(bottoms.map(([wire], i) => [wire, i])),
      });
    this.#add(
      item,
      { kind: "item", item },
      { width, height, tops: tops.map(([, x]) => x), bottoms: bottoms.map(([, x]) => x) },
    );
  }

  #add(name: Item | string | undefined, node: PlanNode, layout: LayoutNode): number {
    const index = this.#nodes.length;
    this.#nodes.push(node);
    this.#layout.push(layout);
    if (name !== undefined) this.#indexOf.set(name, index);
    return index;
  }

  #indexAt(end: End): number {
    const index = this.#indexOf.get(end.kind === "item" ? end.item : `${end.kind} ${end.wire}`);
    if (index === undefined) throw new RangeError("an arc ends outside its level");
    return index;
  }

  #attach(end: End, side: "tops" | "bottoms"): { node: number; port: number | undefined } {
    const node = this.#indexAt(end);
    if (end.kind !== "item") return { node, port: undefined };
    return { node, port: this.#ports.get(end.item)?.[side].get(end.wire) };
  }
}

interface Attached {
  readonly node: number;
  readonly port: number | undefined;
}

function sourceEnd({ node, port }: Attached) {
  return port === undefined ? { from: node } : { from: node, fromPort: port };
}

function targetEnd({ node, port }: Attached) {
  return port === undefined ? { to: node } : { to: node, toPort: port };
}

function endsInItem(arc: Arc): boolean {
  return arc.to.kind === "item" && arc.to.item.kind !== "frame";
}
