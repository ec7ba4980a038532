import { describe, expect, it } from "vitest";
import { initializerField, modelFields, nodeFields, outcomeText } from "../src/core/what_if";
import type { Manual } from "../src/protocol/messages";
import { SceneBuilder, smallCnn } from "./scenes";
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

  it("offers all attributes of the operator's version, those that are left out with what holds then", () => {
    const scene = sceneFrom(smallCnn());
    const box = scene.boxes.findIndex(
      ({ op, attributes }) => op === "Conv" && attributes.length > 0,
    );
    const own = scene.boxes[box]?.attributes ?? [];
    const selection = { kind: "box", box } as const;
    const fields = (manual?: Manual) => nodeFields(scene, selection, () => manual)?.fields ?? [];
    expect(fields().map(({ change }) => change.name)).toEqual(own.map(([name]) => name));
    const attribute = (name: string, type: string, otherwise: string) => ({
      name,
      type,
      default: otherwise,
      required: false,
      doc: "",
    });
    const known = own.map(([name]) => attribute(name, "ints", ""));
    const more = [
      attribute("mode", "string", "NOTSET"),
      attribute("weights", "ints", ""),
      attribute("body", "graph", ""),
    ];
    const manual = { attributes: [...known, ...more] } as unknown as Manual;
    const added = fields(manual).slice(own.length);
    expect(added.map(({ label, text, placeholder }) => [label, text, placeholder])).toEqual([
      ["mode", "", "NOTSET (default)"],
      ["weights", "", "not set"],
    ]);
    expect(nodeFields(scene, { kind: "none" }, () => undefined)).toBeUndefined();
  });

  it("shows a default that the node leaves as it is as what holds, not as what was said", () => {
    const builder = new SceneBuilder("net");
    builder.input("x", "float32[4]");
    builder.node("Softmax", "soft", ["x"], [["y", "float32[4]"]], {
      attributes: [["axis", "-1", 1]],
    });
    const scene = sceneFrom(builder);
    const found = nodeFields(scene, { kind: "box", box: 1 }, () => undefined);
    expect(found?.fields).toMatchObject([{ label: "axis", text: "", placeholder: "-1 (default)" }]);
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
