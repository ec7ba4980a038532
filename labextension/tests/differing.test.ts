import { describe, expect, it } from "vitest";
import { equalText, partnerChoices, sideBySide } from "../src/core/differing";
import type { Difference } from "../src/protocol/messages";

const found: Difference = {
  ours: { type: "float32[2]", min: 1, max: 2, mean: 1.5, std: 0.5, nan: 1, infinite: 0 },
  theirs: { type: "float32[2]", min: 0, max: 2, mean: 1, std: 1, nan: 0, infinite: 0 },
  difference: { type: "float64[2]", min: 0, max: 1, mean: 0.5, std: 0.5, nan: 1, infinite: 0 },
  equal: 1,
  elements: 2,
  largest: [],
  mean_apart: 0.5,
};

describe("two values side by side", () => {
  it("has a row for each number, and none for what neither has any of", () => {
    expect(sideBySide(found)).toEqual([
      ["min", "1", "0", "0"],
      ["max", "2", "2", "1"],
      ["mean", "1.5", "1", "0.5"],
      ["std", "0.5", "1", "0.5"],
      ["NaN", "1", "0", ""],
    ]);
  });

  it("says how many elements are the same", () => {
    expect(equalText(found)).toContain("1 of 2 elements are the same; they are 0.5 apart");
    expect(equalText({ ...found, equal: 2 })).toBe("All 2 elements are the same.");
    expect(equalText({ ...found, equal: 0 })).toContain("No element is the same");
  });
});

describe("what a value can be compared with", () => {
  it("is another step or iteration, what the kernel names, and any value", () => {
    const choices = partnerChoices([
      { against: "iteration", other: 1, label: "of 3 runs", count: 3 },
      {
        against: "value",
        other: "x",
        label: "another step",
        steps: [{ value: "x", node: "input" }],
      },
      { against: "compared", other: "", label: "onnxruntime" },
    ]);
    expect(choices.map(({ choice, text }) => [choice, text])).toEqual([
      ["iteration", "another round"],
      ["step", "another step"],
      ["compared", "onnxruntime"],
      ["value", "another value…"],
    ]);
    // A value that a person names is asked for by its name.
    expect(choices.at(-1)?.partner).toBeUndefined();
  });
});
