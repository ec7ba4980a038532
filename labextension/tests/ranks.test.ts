import { describe, expect, it } from "vitest";
import { arcsToCut, CUT_LIMITS, rankNodes } from "../src/core/ranks";

const chain = (length: number) =>
  Array.from({ length: length - 1 }, (_, i) => ({ from: i, to: i + 1 }));

describe("ranks", () => {
  it("are longest paths", () => {
    const arcs = [
      { from: 0, to: 1 },
      { from: 1, to: 2 },
      { from: 0, to: 2 },
      { from: 2, to: 3 },
    ];
    expect(rankNodes(4, arcs).rank).toEqual([0, 1, 2, 3]);
  });

  it("of a cycle leave out the arc against the file's order", () => {
    const arcs = [...chain(3), { from: 2, to: 0 }];
    const { rank, back } = rankNodes(3, arcs);
    expect(rank).toEqual([0, 1, 2]);
    expect([...back]).toEqual([2]);
  });

  it("of a very long chain need no deep stack", () => {
    expect(rankNodes(200_000, chain(200_000)).rank.at(-1)).toBe(199_999);
  });
});

describe("tunnels", () => {
  it("leave short arcs and a single long skip connection alone", () => {
    const arcs = [...chain(60), { from: 2, to: 50 }, { from: 10, to: 13 }];
    expect(arcsToCut(60, arcs).size).toBe(0);
  });

  it("cut the longest arcs once there are too many long ones", () => {
    const skips = Array.from({ length: 20 }, (_, i) => ({ from: i, to: 99 - i }));
    const arcs = [...chain(100), ...skips];
    const cut = arcsToCut(100, arcs);
    const spans = skips.map(({ from, to }) => to - from);
    const kept = skips.filter((_, i) => !cut.has(99 + i)).map(({ from, to }) => to - from);
    expect(kept.length).toBeGreaterThan(0);
    expect(cut.size).toBe(20 - kept.length);
    expect(kept.reduce((a, b) => a + b)).toBeLessThanOrEqual(CUT_LIMITS.allowance);
    expect(Math.max(...kept)).toBeLessThanOrEqual(Math.max(...spans));
  });

  it("cut what one value feeds all over the level, but not what branches at once", () => {
    const feeds = [2, 5, 8, 11, 14].map((to) => ({ from: 0, to, wire: "mask" }));
    const branches = [1, 2, 3, 4].map((to) => ({ from: 0, to, wire: "x" }));
    expect(arcsToCut(15, [...chain(15), ...feeds]).size).toBe(4);
    expect(arcsToCut(5, branches).size).toBe(0);
  });

  it("always cut what closes a cycle", () => {
    expect([...arcsToCut(3, [...chain(3), { from: 2, to: 1 }])]).toEqual([2]);
  });
});
