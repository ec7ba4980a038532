/** A level as the layout engine sees it: sizes and arcs, nothing of the model. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface LayoutNode {
  readonly width: number;
  readonly height: number;
  /** A frame's ports: x from the node's left side, in ascending order of index. */
  readonly tops?: readonly number[];
  readonly bottoms?: readonly number[];
  /** Ports of the level's border are pinned to its first or last rank. */
  readonly pin?: "top" | "bottom";
}

export interface LayoutArc {
  readonly from: number;
  readonly to: number;
  /** Indices of `bottoms` of the source and `tops` of the target. */
  readonly fromPort?: number;
  readonly toPort?: number;
  readonly weight?: number;
  /** Comes from aside: it meets its ends from where it comes, and others go straight before it does. */
  readonly loose?: boolean;
}

export interface LayoutGraph {
  readonly nodes: readonly LayoutNode[];
  readonly arcs: readonly LayoutArc[];
  /** Pinned nodes that have to stand in this order from left to right. */
  readonly chains?: readonly (readonly number[])[];
  /** Between two ranks, where labels need more than usual. */
  readonly rankGap?: number;
}

/** Centres of nodes, and for each arc a chain of cubic Béziers (first point, then three a piece); y grows downwards. */
export interface Geometry {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Point[];
  readonly arcs: readonly (readonly Point[])[];
}

/** Where an arc leaves its source. */
export function tailOf(graph: LayoutGraph, arc: LayoutArc, centres: readonly Point[]): Point {
  return attach(graph.nodes[arc.from], centres[arc.from], arc.fromPort, "bottom");
}

/** Where an arc meets its target. */
export function headOf(graph: LayoutGraph, arc: LayoutArc, centres: readonly Point[]): Point {
  return attach(graph.nodes[arc.to], centres[arc.to], arc.toPort, "top");
}

function attach(
  node: LayoutNode | undefined,
  centre: Point | undefined,
  port: number | undefined,
  side: "top" | "bottom",
): Point {
  if (!node || !centre) throw new RangeError("an arc ends at no node");
  if (node.pin) return centre;
  const ports = side === "top" ? node.tops : node.bottoms;
  const x = port === undefined ? undefined : ports?.[port];
  return {
    x: x === undefined ? centre.x : centre.x - node.width / 2 + x,
    y: centre.y + (side === "top" ? -node.height / 2 : node.height / 2),
  };
}

export function straight(from: Point, to: Point): Point[] {
  const middle = (from.y + to.y) / 2;
  return [from, { x: from.x, y: middle }, { x: to.x, y: middle }, to];
}
