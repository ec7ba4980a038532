import { describe, expect, it } from "vitest";
import { groupContents } from "../src/core/card";
import { highlight } from "../src/core/highlight";
import { inspect } from "../src/core/inspection";
import { at } from "../src/core/scene";
import { anchorBox, groupAround, readSelection, writeSelection } from "../src/core/selection";
import { oddBoxes, siblingsOf } from "../src/core/siblings";
import type { AttributeRow } from "../src/protocol/scene";
import { SceneBuilder } from "./scenes";
import { drawn, sceneFrom } from "./setting";

/** Six layers: the second has another kernel and a wider weight, the fourth and fifth a Dropout more, the last no Relu. */
function layers() {
  const builder = new SceneBuilder("net");
  const type = "float32[1, 8]";
  builder.input("x", type);
  let from = "x";
  for (let i = 0; i < 6; i++) {
    const group = builder.group(`layer.${i}`);
    const add = (op: string, attributes: AttributeRow[] = [], weight = "") => {
      const to = `${op}${i}`;
      builder.node(op, to, [from], [[to, type]], {
        group,
        attributes,
        weights: weight ? [["W", `w${i}`, weight]] : [],
      });
      from = to;
    };
    const odd = i === 1;
    add(
      "Conv",
      [["kernel_shape", odd ? "[1, 1]" : "[3, 3]", 0]],
      odd ? "float32[8, 8, 1, 1]" : "float32[8, 8, 3, 3]",
    );
    if (i === 3 || i === 4) add("Dropout");
    if (i !== 5) add("Relu");
    add("Add");
  }
  builder.output(from);
  return sceneFrom(builder);
}

const scene = layers();
const contents = groupContents(scene);
const group = (label: string) => scene.groups.findIndex((each) => each.label === label);
const box = (id: string) => scene.boxOfId.get(id) ?? -1;
const { same, others } = siblingsOf(scene, contents, group("layer.0"));
const told = (label: string) =>
  others.find(({ groups }) => groups.includes(group(label)))?.differences ?? [];

describe("groups beside one", () => {
  it("that hold the same are listed without it", () => {
    expect(same).toEqual([group("layer.2")]);
  });

  it("differ in attributes and in the shapes of weights", () => {
    expect(told("layer.1")).toEqual([
      { text: "kernel_shape [3, 3] → [1, 1]", here: box("Conv0"), there: box("Conv1") },
      {
        text: "W float32[8, 8, 3, 3] → float32[8, 8, 1, 1]",
        here: box("Conv0"),
        there: box("Conv1"),
      },
    ]);
  });

  it("differ in an operator more, which is told once for those that are alike", () => {
    expect(others.map(({ groups }) => groups.length).sort()).toEqual([1, 1, 2]);
    expect(told("layer.3")).toEqual([
      { text: "Dropout is added", here: undefined, there: box("Dropout3") },
    ]);
    expect(told("layer.4")).toBe(told("layer.3"));
  });

  it("differ in an operator less, which leads to the place behind which it is missing", () => {
    expect(told("layer.5")).toEqual([
      { text: "Relu is missing", here: box("Relu0"), there: box("Conv5") },
    ]);
  });

  it("are told the other way round from the other side", () => {
    const back = siblingsOf(scene, contents, group("layer.5")).others;
    const usual = back.find(({ groups }) => groups.includes(group("layer.0")));
    expect(usual?.groups).toEqual([group("layer.0"), group("layer.2")]);
    expect(usual?.differences.map(({ text }) => text)).toEqual(["Relu is added"]);
  });

  it("are none where a group is the only one of its kind", () => {
    const builder = new SceneBuilder("net");
    builder.input("x", "float32[1]");
    const only = builder.group("head");
    builder.node("Relu", "relu", ["x"], [["y", "float32[1]"]], { group: only });
    const alone = sceneFrom(builder);
    expect(siblingsOf(alone, groupContents(alone), only)).toEqual({ same: [], others: [] });
  });
});

describe("a selected group", () => {
  const selection = { kind: "group", group: group("layer.0") } as const;

  it("is spelled by its path", () => {
    expect(writeSelection(scene, selection)).toBe("group:layer.0");
    expect(readSelection(scene, "group:layer.0")).toEqual(selection);
    expect(readSelection(scene, "group:nowhere")).toEqual({ kind: "none" });
    expect(anchorBox(scene, selection)).toBe(box("Conv0"));
  });

  it("is found around a node, and none around an outermost one", () => {
    expect(groupAround(scene, { kind: "box", box: box("Relu0") })).toBe(selection.group);
    expect(groupAround(scene, selection)).toBeUndefined();
  });

  it("has signs on what others have otherwise", async () => {
    const odd = oddBoxes(scene, contents, selection);
    expect([...odd].map((each) => at(scene.boxes, each).id).sort()).toEqual(["Conv0", "Relu0"]);
    const { picture } = await drawn(scene, new Set([0, selection.group]));
    const shown = highlight(scene, picture, selection, [], new Map(), "off", [], odd);
    expect([...shown.odd].sort()).toEqual([`b${box("Conv0")}`, `b${box("Relu0")}`].sort());
    expect(shown.group).toBe(selection.group);
  });

  it("is inspected: those that differ least first, each difference a way into the other group", () => {
    const { title, subtitle, sections } = inspect(scene, contents, selection);
    expect([title, subtitle]).toEqual(["layer.0", "group · 3 nodes"]);
    expect(sections.map((each) => each.title)).toEqual([
      "Group",
      "layer.3 and 1 like it: 1 difference",
      "layer.5: 1 difference",
      "layer.1: 2 differences",
      "The same inside: 1",
      "Operators",
    ]);
    expect(sections[2]?.lines).toEqual([
      { kind: "box", label: "Relu is missing", box: box("Conv5") },
      { kind: "groups", groups: [group("layer.5")] },
    ]);
    // 8 × 8 × 3 × 3 elements.
    expect(sections[0]?.lines).toContainEqual({
      kind: "fact",
      label: "Parameters",
      text: "576 in 4 B",
    });
  });

  it("a node in it says what it is in groups beside", () => {
    const { sections } = inspect(scene, contents, { kind: "box", box: box("Relu0") });
    const beside = sections.find((each) => each.title === "Otherwise in groups beside");
    expect(beside?.lines).toEqual([
      { kind: "box", label: "layer.5: Relu is missing", box: box("Conv5") },
    ]);
  });
});
