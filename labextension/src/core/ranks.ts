/** Ranks of a level, and which arcs are cut into tunnels before it is laid out. */

export interface RankArc {
  readonly from: number;
  readonly to: number;
  /** Arcs of one wire fan out from the same place. */
  readonly wire?: string;
}

export interface Ranking {
  readonly rank: readonly number[];
  /** Arcs that close a cycle. */
  readonly back: ReadonlySet<number>;
}

/** Longest-path ranks; nodes are visited in index order, so that of a cycle's arcs the one against the file's order is back. */
export function rankNodes(nodes: number, arcs: readonly RankArc[]): Ranking {
  const out: number[][] = Array.from({ length: nodes }, () => []);
  arcs.forEach((arc, i) => {
    out[arc.from]?.push(i);
  });
  const back = new Set<number>();
  const state = new Uint8Array(nodes);
  const order: number[] = [];
  // Without recursion: a chain of ten thousand nodes is as deep as it is long.
  for (let start = 0; start < nodes; start++) {
    if (state[start] !== 0) continue;
    const stack: [node: number, next: number][] = [[start, 0]];
    state[start] = 1;
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const [node, next] = top;
      const i = out[node]?.[next];
      if (i === undefined) {
        state[node] = 2;
        order.push(node);
        stack.pop();
        continue;
      }
      top[1]++;
      const to = arcs[i]?.to ?? node;
      if (state[to] === 1) back.add(i);
      else if (state[to] === 0) {
        state[to] = 1;
        stack.push([to, 0]);
      }
    }
  }
  const rank = new Array<number>(nodes).fill(0);
  for (const node of order.reverse())
    for (const i of out[node] ?? []) {
      const arc = arcs[i];
      if (!arc || back.has(i)) continue;
      rank[arc.to] = Math.max(rank[arc.to] ?? 0, (rank[node] ?? 0) + 1);
    }
  return { rank, back };
}

export interface CutLimits {
  /** Arcs up to this span are never cut. */
  readonly span: number;
  /** Longer ones stay while their spans add up to no more than this: a few skip connections are worth seeing. */
  readonly allowance: number;
  /** A wire that has at least so many arcs across more than `fanSpan` ranks loses them: it feeds everything. */
  readonly fanOut: number;
  readonly fanSpan: number;
}

export const CUT_LIMITS: CutLimits = { span: 20, allowance: 160, fanOut: 4, fanSpan: 2 };

/** The arcs to cut into two named stubs: those that close a cycle, cross too many ranks, or make a curtain of lines. */
export function arcsToCut(
  nodes: number,
  arcs: readonly RankArc[],
  limits: CutLimits = CUT_LIMITS,
): Set<number> {
  const { rank, back } = rankNodes(nodes, arcs);
  const cut = new Set(back);
  const spanOf = (arc: RankArc) => (rank[arc.to] ?? 0) - (rank[arc.from] ?? 0);
  for (const i of curtains(arcs, spanOf, limits)) cut.add(i);
  const long = arcs
    .map((arc, i) => ({ i, span: spanOf(arc) }))
    .filter(({ i, span }) => span > limits.span && !cut.has(i))
    .sort((a, b) => a.span - b.span || a.i - b.i);
  let left = limits.allowance;
  for (const { i, span } of long) {
    left -= span;
    if (left < 0) cut.add(i);
  }
  return cut;
}

function curtains(
  arcs: readonly RankArc[],
  spanOf: (arc: RankArc) => number,
  { fanOut, fanSpan }: CutLimits,
): number[] {
  const fans = new Map<string, number[]>();
  arcs.forEach((arc, i) => {
    if (arc.wire === undefined || spanOf(arc) <= fanSpan) return;
    const name = `${arc.from} ${arc.wire}`;
    const fan = fans.get(name);
    if (fan) fan.push(i);
    else fans.set(name, [i]);
  });
  return [...fans.values()].filter((fan) => fan.length >= fanOut).flat();
}
