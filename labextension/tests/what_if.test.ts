import { describe, expect, it } from "vitest";
import { initializerField, modelFields, nodeFields, outcomeText } from "../src/core/what_if";
import { smallCnn } from "./scenes";
import { sceneFrom } from "./setting";

const state = {
  sizes: ["batch"],
  inputs: [["image", "float32[4, 3]"] as [string, string]],
  changes: [{ what: "size" as const, place: "batch", name: "", text: "4", told: "batch = 4" }],
  changed: 3,
  gone: [],
  new: [],
};

describe("the what-if panel", () => {
  it("shows what a size was changed to, and an input's type as it is now", () => {
    expect(modelFields(state).map(({ label, text }) => [label, text])).toEqual([
      ["batch", "4"],
      ["image", "float32[4, 3]"],
    ]);
  });

  it("offers the attributes of the selected node of the main graph", () => {
    const scene = sceneFrom(smallCnn());
    const box = scene.boxes.findIndex(
      ({ op, attributes }) => op === "Conv" && attributes.length > 0,
    );
    const found = nodeFields(scene, { kind: "box", box });
    expect(found?.fields.map(({ change }) => change.name)).toEqual(
      scene.boxes[box]?.attributes.map(([name]) => name),
    );
    expect(nodeFields(scene, { kind: "none" })).toBeUndefined();
  });

  it("writes a scalar as a number and a tensor as a list", () => {
    expect(initializerField("s", { type: "int64[]", head: ["3"] }).text).toBe("3");
    expect(initializerField("s", { type: "int64[2]", head: ["3", "-1"] }).text).toBe("[3, -1]");
  });

  it("counts the values whose type changes", () => {
    expect(outcomeText(state)).toBe("The types of 3 values change.");
    expect(outcomeText({ ...state, changed: 1 })).toBe("The type of 1 value changes.");
    expect(outcomeText({ ...state, changes: [], changed: 0 })).toContain("Change something");
  });
});
