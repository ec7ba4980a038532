import { describe, expect, it } from "vitest";
import { chunked } from "../src/core/chunk";
import { pathText, sample } from "../src/core/curve";
import type { LayoutGraph, LayoutNode, Point } from "../src/core/geometry";
import { headOf, tailOf } from "../src/core/geometry";
import { routeArcs, routesItself } from "../src/core/routes";
import { flat } from "./flat";
import { drawn, sceneFrom } from "./setting";

const WIDE = 1200;

/** Rows of boxes of different heights, and arcs across one to eight rows. */
function grid(rows: number, columns: number): { graph: LayoutGraph; nodes: Point[] } {
  const sizes: LayoutNode[] = [];
  const nodes: Point[] = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      sizes.push({ width: 70 + 20 * ((row + column) % 3), height: 30 + 14 * ((row * column) % 2) });
      nodes.push({ x: 90 + column * 150 + 25 * (row % 3), y: 40 + row * 100 });
    }
  const arcs = sizes.flatMap((_, from) =>
    [1, 2, 5, 8].flatMap((span, i) => {
      const to = (Math.floor(from / columns) + span) * columns + ((from + 2 * i) % columns);
      return to < sizes.length ? [{ from, to }] : [];
    }),
  );
  return { graph: { nodes: sizes, arcs }, nodes };
}

describe("ways between nodes that have their places", () => {
  const { graph, nodes } = grid(14, 6);
  const ways = routeArcs(graph, nodes, WIDE);

  it("begin and end where their arcs do", () => {
    expect(ways.length).toBe(graph.arcs.length);
    for (const [i, arc] of graph.arcs.entries()) {
      expect(ways[i]?.[0]).toEqual(tailOf(graph, arc, nodes));
      expect(ways[i]?.at(-1)).toEqual(headOf(graph, arc, nodes));
      expect(((ways[i]?.length ?? 0) - 1) % 3).toBe(0);
      expect(pathText(ways[i] ?? [])).not.toContain("NaN");
    }
  });

  it("pass through no node", () => {
    const hits: string[] = [];
    for (const [i, way] of ways.entries())
      for (const { x, y } of sample(way, 12).points)
        for (const [n, { width, height }] of graph.nodes.entries()) {
          const centre = nodes[n] ?? { x: 0, y: 0 };
          if (Math.abs(x - centre.x) < width / 2 - 1 && Math.abs(y - centre.y) < height / 2 - 1)
            hits.push(`arc ${i} at ${x}, ${y} in node ${n}`);
        }
    expect(hits).toEqual([]);
  });

  it("lead down all the way", () => {
    for (const way of ways) {
      const { points } = sample(way, 12);
      for (const [i, { y }] of points.entries())
        expect(y).toBeGreaterThanOrEqual((points[i - 1]?.y ?? y) - 1e-6);
    }
  });

  it("keep apart in one gap, except those from one node", () => {
    const node = { width: 60, height: 30 };
    const three: LayoutGraph = {
      nodes: [node, node, { width: 270, height: 30 }, node, node],
      arcs: [
        { from: 0, to: 3 },
        { from: 0, to: 4 },
        { from: 1, to: 4 },
      ],
    };
    const places = [
      { x: 100, y: 20 },
      { x: 180, y: 20 },
      { x: 140, y: 120 },
      { x: 100, y: 220 },
      { x: 180, y: 220 },
    ];
    // Left of the wide node there is no room, so that all pass on its right.
    const through = routeArcs(three, places, 300)
      .map((way) => sample(way, 24).points.find(({ y }) => y >= 120)?.x ?? 0)
      .map(Math.round);
    const [first = 0, second = 0, third = 0] = through;
    for (const x of through) expect(x).toBeGreaterThan(275);
    expect(first).toBe(second);
    expect(Math.abs(third - first)).toBeGreaterThanOrEqual(7);
  });

  it("go straight where nothing stands between", () => {
    const two: LayoutGraph = {
      nodes: [
        { width: 60, height: 30 },
        { width: 60, height: 30 },
      ],
      arcs: [{ from: 0, to: 1 }],
    };
    const [way = []] = routeArcs(
      two,
      [
        { x: 50, y: 20 },
        { x: 50, y: 120 },
      ],
      100,
    );
    expect(new Set(sample(way).points.map(({ x }) => x))).toEqual(new Set([50]));
  });
});

it("a large level takes its ways from here, and its wires still end at its cards", async () => {
  const scene = chunked(sceneFrom(flat(90)));
  const { arrangement, picture } = await drawn(scene, new Set(scene.groups.keys()));
  const [level] = arrangement.levels.values();
  expect(level && routesItself(level.plan.graph)).toBe(true);
  expect(arrangement.warnings).toEqual([]);
  const tops = picture.cards.map(
    ({ x, y, width }) => `${Math.round(x + width / 2)} ${Math.round(y)}`,
  );
  for (const { curve, arrow } of picture.wires) {
    const end = curve.at(-1);
    if (arrow && end && picture.stubs.length === 0)
      expect(tops).toContain(`${Math.round(end.x)} ${Math.round(end.y)}`);
  }
});
