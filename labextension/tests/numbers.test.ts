import { describe, expect, it } from "vitest";
import { chainsOf } from "../src/core/derivation";
import { cellText, colours, numberFacts, sampleText } from "../src/core/statistics";
import type { DerivationRow, SlicePicture } from "../src/protocol/messages";

const row = (depth: number, what: string): DerivationRow => [depth, what, "1", "rule", what];
const names = (steps: readonly { what: string }[]) => steps.map(({ what }) => what);

describe("a derivation", () => {
  it("goes on below while there is one cause, and branches where there are several", () => {
    const [whole] = chainsOf([row(0, "a"), row(1, "b"), row(2, "c"), row(3, "d"), row(2, "e")]);
    expect(names(whole?.steps ?? [])).toEqual(["a", "b"]);
    expect(whole?.branches.map(({ steps }) => names(steps))).toEqual([["c", "d"], ["e"]]);
  });

  it("of one step has no branches, and of none is empty", () => {
    expect(chainsOf([row(0, "a")])).toMatchObject([{ branches: [] }]);
    expect(chainsOf([])).toEqual([]);
  });
});

describe("the numbers of a tensor", () => {
  it("are written with shares of what was looked at", () => {
    const facts = numberFacts({
      type: "",
      elements: 4000,
      looked_at: 400,
      zeros: 100,
      bytes: 8000,
    });
    expect(facts).toEqual([
      { label: "elements", text: "4,000" },
      { label: "bytes", text: "8.00 kB" },
      { label: "zeros", text: "100 (25 %)" },
    ]);
  });

  it("say when they are a sample's", () => {
    expect(sampleText({ type: "", elements: 4000, looked_at: 400 })).toContain("400");
    expect(sampleText({ type: "", elements: 400, looked_at: 400 })).toBe("");
  });
});

describe("a heat map", () => {
  const slice = (low: number, high: number, shades: number[]): SlicePicture => ({
    sizes: [2, 1, shades.length * 3],
    at: [1],
    rows: 1,
    columns: shades.length,
    every: [1, 3],
    low,
    high,
    shades,
  });

  it("is white at 0, blue below and orange above", () => {
    const [below, zero, above] = colours(slice(-1, 1, [0, 127.5, 255]));
    expect(below?.[2]).toBeGreaterThan(below?.[0] ?? 255);
    expect(zero).toEqual([247, 247, 247]);
    expect(above?.[0]).toBeGreaterThan(above?.[2] ?? 255);
  });

  it("shows half as strong what is half as far from 0", () => {
    const [weak, strong] = colours(slice(-1, 2, [0, 255]));
    const distance = (colour?: readonly number[]) => 247 - (colour?.[1] ?? 0);
    expect(distance(weak)).toBeLessThan(distance(strong));
  });

  it("of numbers of one sign begins white at the one next to 0", () => {
    expect(colours(slice(2, 5, [0]))[0]).toEqual([247, 247, 247]);
    expect(colours(slice(-5, -2, [255]))[0]).toEqual([247, 247, 247]);
  });

  it("names the element under the pointer by its own indices", () => {
    expect(cellText(slice(0, 10, [0, 255]), 0, 1)).toBe("[1, 0, 3] ≈ 10");
    expect(cellText(slice(0, 10, [-1]), 0, 0)).toBe("[1, 0, 0] nan");
    expect(cellText(slice(0, 10, [0]), 0, 5)).toBe("");
  });
});
