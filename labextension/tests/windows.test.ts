import { describe, expect, it } from "vitest";
import {
  cellText,
  colourOf,
  heatColours,
  imagePixels,
  placeOf,
  placeOfZero,
  signCounts,
  windowText,
  withRole,
} from "../src/core/windows";
import type { ValueWindow } from "../src/protocol/messages";

const shown = (part: Partial<ValueWindow>): ValueWindow => ({
  view: "heat",
  views: ["heat"],
  type: "float32[2, 1, 9]",
  sizes: [2, 1, 9],
  at: [1, 0, 0],
  axes: [1, 2],
  start: [0, 0],
  every: [1, 3],
  rows: 1,
  columns: 3,
  ...part,
});

describe("the numbers under a heat map's colours", () => {
  it("have 0 where it is", () => {
    expect(placeOfZero({ low: -1, high: 1 }, 2, 1)).toBe(50);
    expect(placeOfZero({ low: 0, high: 1 }, 1, 1)).toBeUndefined();
    expect(placeOfZero({ low: -Infinity, high: 1 }, 4, 1)).toBeUndefined();
  });

  it("have none where it would touch one of the ends", () => {
    // A fifth of the way: 34 pixels, where -0.20988 takes 56.
    expect(placeOfZero({ low: -0.20988, high: 0.83952 }, 8, 7)).toBeUndefined();
    expect(placeOfZero({ low: -0.2, high: 0.8 }, 2, 3)).toBe(20);
  });
});

describe("the colours of a heat map", () => {
  it("are white at 0, blue below and orange above", () => {
    const range = { low: -1, high: 1 };
    const [below, above] = [colourOf(-1, range), colourOf(1, range)];
    expect(below[2]).toBeGreaterThan(below[0]);
    expect(colourOf(0, range)).toEqual([247, 247, 247]);
    expect(above[0]).toBeGreaterThan(above[2]);
  });

  it("are half as strong for what is half as far from 0", () => {
    const range = { low: -1, high: 2 };
    const distance = (value: number) => 247 - colourOf(value, range)[1];
    expect(distance(-1)).toBeLessThan(distance(2));
  });

  it("begin white next to 0 where there is one sign", () => {
    expect(colourOf(2, { low: 2, high: 5 })).toEqual([247, 247, 247]);
    expect(colourOf(-2, { low: -5, high: -2 })).toEqual([247, 247, 247]);
  });

  it("keep apart what is no number", () => {
    const numbers = ["nan", "inf", "-inf", 0];
    const colours = heatColours(shown({ numbers, low: 0, high: 1 })).map(String);
    expect(new Set(colours).size).toBe(4);
    expect(signCounts(shown({ numbers: ["nan", 1, "nan"] }))).toEqual([["nan", 2]]);
  });
});

describe("an image", () => {
  it("spans its range from black to white in every channel", () => {
    const image = shown({ rows: 1, columns: 2, numbers: [0, 5, 10, 10, 10, 10], low: 0, high: 10 });
    expect(imagePixels(image).map(({ colour }) => colour)).toEqual([
      [0, 128, 255],
      [255, 255, 255],
    ]);
  });

  it("marks a pixel with NaN in any channel", () => {
    const image = shown({ rows: 1, columns: 1, numbers: [0, "nan", 1], low: 0, high: 1 });
    expect(imagePixels(image)[0]?.sign).toBe("nan");
  });
});

describe("a window", () => {
  it("names the element under the pointer by its own indices", () => {
    const window = shown({ numbers: [0, 0.25, "nan"] });
    expect(cellText(window, 0, 1)).toBe("[1, 0, 3] 0.25");
    expect(cellText(window, 0, 2)).toBe("[1, 0, 6] nan");
    expect(cellText(window, 0, 5)).toBe("");
  });

  it("finds places along axes in any order", () => {
    expect(placeOf(shown({ axes: [2, 0], every: [3, 1] }), 2, 1)).toEqual([1, 0, 6]);
    expect(placeOf(shown({ axes: [0], at: [0, 0, 7], every: [1, 1] }), 0, 1)).toEqual([1, 0, 7]);
  });

  it("says what it leaves out", () => {
    expect(windowText(shown({}))).toBe("Shows all rows and 1 of 3 columns.");
    expect(windowText(shown({ scanned: false }))).toContain("NaN");
    expect(windowText(shown({ every: [1, 1], columns: 9 }))).toBe("");
    const table = shown({ view: "table", sizes: [1000, 9], axes: [0, 1], every: [1, 1] });
    expect(windowText({ ...table, rows: 32, columns: 9, start: [64, 0] })).toBe(
      "Rows 64–95 of 1,000, columns 0–8 of 9.",
    );
    const line = shown({ view: "table", sizes: [200], axes: [0], every: [1, 1] });
    expect(windowText({ ...line, rows: 1, columns: 16, start: [0, 32] })).toBe(
      "Elements 32–47 of 200.",
    );
  });
});

describe("the role of an axis", () => {
  it("is swapped with the one that had it", () => {
    expect(withRole(shown({ axes: [1, 2] }), 2, 0).axes).toEqual([2, 1]);
    expect(withRole(shown({ axes: [1, 2] }), 0, 1).axes).toEqual([1, 0]);
  });

  it("goes to one that is free when it is given up", () => {
    expect(withRole(shown({ axes: [1, 2] }), 1, "at").axes).toEqual([0, 2]);
  });
});
