/** A layout without an engine: rows by rank. Plain, but it always stands. */

import { NODE_GAP, RANK_GAP } from "./dot";
import { type Geometry, headOf, type LayoutGraph, type Point, straight, tailOf } from "./geometry";
import { rankNodes } from "./ranks";

export function layoutInRows(graph: LayoutGraph): Geometry {
  const { rank } = rankNodes(graph.nodes.length, graph.arcs);
  const last = Math.max(0, ...rank.values()) + 1;
  const rowOf = graph.nodes.map((node, i) =>
    node.pin === "top" ? 0 : node.pin === "bottom" ? last + 1 : (rank[i] ?? 0) + 1,
  );
  const rows: number[][] = Array.from({ length: last + 2 }, () => []);
  rowOf.forEach((row, i) => {
    rows[row]?.push(i);
  });
  const widthOf = (row: readonly number[]) =>
    row.reduce((sum, i) => sum + (graph.nodes[i]?.width ?? 0) + NODE_GAP, -NODE_GAP);
  const width = Math.max(1, ...rows.map(widthOf));
  const nodes: Point[] = graph.nodes.map(() => ({ x: 0, y: 0 }));
  let y = 0;
  for (const row of rows) {
    if (row.length === 0) continue;
    const height = Math.max(...row.map((i) => graph.nodes[i]?.height ?? 0));
    let x = (width - widthOf(row)) / 2;
    for (const i of row) {
      const node = graph.nodes[i];
      if (!node) continue;
      nodes[i] = { x: x + node.width / 2, y: y + height / 2 };
      x += node.width + NODE_GAP;
    }
    y += height + RANK_GAP;
  }
  return {
    width,
    height: Math.max(1, y - RANK_GAP),
    nodes,
    arcs: graph.arcs.map((arc) => straight(tailOf(graph, arc, nodes), headOf(graph, arc, nodes))),
  };
}
