/**
 * Ways of arcs between nodes that already have their places, row by row through the gaps between them. The engine's own
 * ways are a little rounder, but now and then it needs twenty times as long for them as for all the places.
 */
import { joinCurves, straightPiece } from "./curve";
import { headOf, type LayoutArc, type LayoutGraph, type Point, straight, tailOf } from "./geometry";

/** Levels of so many nodes take their ways from here. */
export const MANY_NODES = 60;

/** Whether the ways are made here, so that the engine need not. */
export function routesItself({ nodes }: LayoutGraph): boolean {
  return nodes.length >= MANY_NODES;
}

/** Of a way from a node, and from another way. */
const NODE_CLEARANCE = 6;
const WAY_CLEARANCE = 7;
/** Gaps that are tried in each row, the nearest first. */
const TRIED = 5;

type Span = readonly [left: number, right: number];

interface Row {
  readonly top: number;
  readonly bottom: number;
  /** Where no node is, from left to right. */
  readonly gaps: readonly Span[];
  /** Ways that pass through already, with what they come from. */
  readonly ways: { readonly x: number; readonly source: string }[];
}

export function routeArcs(
  graph: LayoutGraph,
  nodes: readonly Point[],
  width: number,
): readonly (readonly Point[])[] {
  const { rows, rowOf } = rowsOf(graph, nodes, width);
  // Short ways first: long ones have more room to give way in.
  const order = graph.arcs
    .map((arc, i) => ({ i, arc, from: rowOf[arc.from] ?? 0, to: rowOf[arc.to] ?? 0 }))
    .sort((a, b) => a.to - a.from - (b.to - b.from) || a.i - b.i);
  const routed: (readonly Point[])[] = [];
  for (const { i, arc, from, to } of order) {
    const ends = [tailOf(graph, arc, nodes), headOf(graph, arc, nodes)] as const;
    routed[i] = route(rows, arc, from, to, ends);
  }
  return routed;
}

/** Nodes of one rank have their centres at one height. */
function rowsOf(graph: LayoutGraph, nodes: readonly Point[], width: number) {
  const heights = [...new Set(nodes.map(({ y }) => Math.round(y)))].sort((a, b) => a - b);
  const index = new Map(heights.map((y, i) => [y, i]));
  const rowOf = nodes.map(({ y }) => index.get(Math.round(y)) ?? 0);
  const members: number[][] = heights.map(() => []);
  rowOf.forEach((row, node) => {
    members[row]?.push(node);
  });
  const rows = members.map((inside): Row => {
    let [top, bottom] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const taken: Span[] = [];
    for (const i of inside) {
      const { x, y } = nodes[i] ?? { x: 0, y: 0 };
      const { width: wide, height } = graph.nodes[i] ?? { width: 0, height: 0 };
      top = Math.min(top, y - height / 2);
      bottom = Math.max(bottom, y + height / 2);
      taken.push([x - wide / 2 - NODE_CLEARANCE, x + wide / 2 + NODE_CLEARANCE]);
    }
    return { top, bottom, gaps: gapsBetween(taken, width), ways: [] };
  });
  return { rows, rowOf };
}

function gapsBetween(taken: readonly Span[], width: number): Span[] {
  const gaps: Span[] = [];
  let left = 0;
  for (const [from, to] of [...taken].sort((a, b) => a[0] - b[0])) {
    if (from > left) gaps.push([left, from]);
    left = Math.max(left, to);
  }
  // Where nodes fill the row, beside it.
  if (left < width || gaps.length === 0) gaps.push([left, Math.max(left, width)]);
  return gaps;
}

function route(
  rows: readonly Row[],
  arc: LayoutArc,
  from: number,
  to: number,
  [tail, head]: readonly [Point, Point],
): Point[] {
  const [first, last] = [rows[from], rows[to]];
  if (!first || !last || to <= from) return straight(tail, head);
  const source = `${arc.from} ${arc.fromPort ?? ""}`;
  const between = rows.slice(from + 1, to);
  const places = cheapest(between, tail.x, head.x, source);
  between.forEach((row, i) => {
    row.ways.push({ x: places[i] ?? tail.x, source });
  });
  // Straight down past higher neighbours, then from gap to gap.
  let curve: Point[] = [tail];
  let at: Point = tail;
  const down = (y: number) => {
    if (y - at.y < 0.5) return;
    const next = { x: at.x, y };
    curve = joinCurves(curve, straightPiece(at, next));
    at = next;
  };
  const over = (x: number, y: number) => {
    if (Math.abs(x - at.x) < 0.5) return;
    const next = { x, y };
    curve = joinCurves(curve, straight(at, next));
    at = next;
  };
  const turn = (x: number, above: number, below: number) => {
    if (Math.abs(x - at.x) < 0.5) return;
    down(above);
    over(x, below);
  };
  let above = first.bottom;
  between.forEach((row, i) => {
    turn(places[i] ?? at.x, above, row.top);
    above = row.bottom;
  });
  turn(head.x, above, last.top);
  down(head.y);
  return [...curve.slice(0, -1), head];
}

interface Step {
  readonly x: number;
  readonly cost: number;
  readonly before: Step | undefined;
}

/** One place in each row, so that the way turns little and stays near the straight line. */
function cheapest(rows: readonly Row[], start: number, end: number, source: string): number[] {
  let steps: readonly Step[] = [{ x: start, cost: 0, before: undefined }];
  rows.forEach((row, i) => {
    const wanted = start + ((end - start) * (i + 1)) / (rows.length + 1);
    const places = [...new Set(steps.slice(0, 2).map(({ x }) => x)), wanted].flatMap((x) =>
      placesNear(row, x, source),
    );
    steps = [...new Set(places)]
      .map((x) => {
        let best: Step | undefined;
        for (const before of steps) {
          const turn = Math.abs(x - before.x);
          const cost = before.cost + turn + (turn > 0.5 ? 12 : 0) + Math.abs(x - wanted) * 0.15;
          if (!best || cost < best.cost) best = { x, cost, before };
        }
        return best;
      })
      .filter((step) => step !== undefined)
      .sort((a, b) => a.cost - b.cost)
      .slice(0, TRIED);
  });
  const cost = ({ x, cost: so }: Step) => so + Math.abs(x - end);
  let best = steps.reduce((a, b) => (cost(b) < cost(a) ? b : a));
  const places: number[] = [];
  while (best.before) {
    places.unshift(best.x);
    best = best.before;
  }
  return places;
}

/** Where a way may pass a row, in the nearest gaps. */
function placesNear({ gaps, ways }: Row, x: number, source: string): number[] {
  const found: number[] = [];
  // Gaps stand from left to right: from the first that does not end before it, to both sides.
  let right = gaps.findIndex(([, end]) => end >= x);
  if (right < 0) right = gaps.length;
  let left = right - 1;
  while (found.length < 3) {
    const [before, behind] = [gaps[left], gaps[right]];
    if (!before && !behind) break;
    const nearer = !behind || (before && x - before[1] < behind[0] - x) ? before : behind;
    if (!nearer) break;
    if (nearer === before) left--;
    else right++;
    found.push(free(Math.min(Math.max(x, nearer[0]), nearer[1]), nearer, ways, source));
  }
  return found;
}

/** Beside the ways that are there; those from the same source run together. */
function free(x: number, [left, right]: Span, ways: Row["ways"], source: string): number {
  const clear = (at: number) =>
    ways.every((way) => way.source === source || Math.abs(way.x - at) >= WAY_CLEARANCE);
  for (let aside = 0; aside <= right - left; aside += WAY_CLEARANCE)
    for (const at of [x + aside, x - aside]) if (at >= left && at <= right && clear(at)) return at;
  return x;
}
