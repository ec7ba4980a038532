import { describe, expect, it } from "vitest";
import { chainsOf } from "../src/core/derivation";
import { headContinues, numberFacts, sampleText } from "../src/core/statistics";
import type { DerivationRow } from "../src/protocol/messages";

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

  it("count a NaN that is found in all elements against all of them", () => {
    const facts = numberFacts({ type: "", elements: 4000, looked_at: 400, nan: 1000 });
    expect(facts).toContainEqual({ label: "NaN", text: "1,000 (25 %)" });
  });

  it("go on where a tensor has more elements, or a list more items, than are shown", () => {
    const two = ["string[3]", "string[3]"];
    expect(headContinues({ type: "list of 2 (string[3], …)", head: two })).toBe(false);
    expect(headContinues({ type: "list of 3 (string[3], …)", head: two })).toBe(true);
    expect(headContinues({ type: "map of 3", head: two })).toBe(true);
    expect(headContinues({ type: "float32[2, 1]", head: ["1", "2"] })).toBe(false);
    expect(headContinues({ type: "float32[2, 2]", head: ["1", "2"] })).toBe(true);
    expect(headContinues({ type: "float32[]", head: ["1"] })).toBe(false);
  });
});
