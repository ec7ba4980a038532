import { describe, expect, it } from "vitest";
import { groupContents, likenessText } from "../src/core/card";
import { highlight } from "../src/core/highlight";
import { inspect } from "../src/core/inspection";
import { at } from "../src/core/scene";
import { anchorBox, groupAround, readSelection, writeSelection } from "../src/core/selection";
import { aloneText, MOST_APART, NO_SIBLINGS, oddBoxes, siblingsOf } from "../src/core/siblings";
import { besideTooltip } from "../src/core/tooltip";
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

  it("are said to be missing where there are none", () => {
    const builder = new SceneBuilder("net");
    builder.node("Relu", "act", ["x"], [["y", "?"]], { group: builder.group("head") });
    const single = sceneFrom(builder);
    const told = (group: number | undefined) => aloneText(single, groupContents(single), group);
    expect(told(1)).toBe("No group beside head is like it.");
    expect(told(undefined)).toBe("No group is around what is selected.");
    expect(aloneText(scene, contents, group("layer.0"))).toBe("");
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
    expect(usual?.differences?.map(({ text }) => text)).toEqual(["Relu is added"]);
  });

  it("are none where a group is the only one of its kind", () => {
    const builder = new SceneBuilder("net");
    builder.input("x", "float32[1]");
    const only = builder.group("head");
    builder.node("Relu", "relu", ["x"], [["y", "float32[1]"]], { group: only });
    const alone = sceneFrom(builder);
    expect(siblingsOf(alone, groupContents(alone), only)).toEqual(NO_SIBLINGS);
  });
});

describe("the sign of a group", () => {
  const sign = (label: string) => likenessText(at(contents, group(label)));

  it("counts those that hold the same", () => {
    expect(["layer.0", "layer.2", "layer.3", "layer.4"].map(sign)).toEqual([
      "×2",
      "×2",
      "×2",
      "×2",
    ]);
  });

  it("counts those that hold nearly the same where none is equal: half of the larger one", () => {
    // The second and the last have the Add alone in common, one of three.
    expect(at(contents, group("layer.1")).near).toEqual(
      [0, 1, 2, 3, 4].map((i) => group(`layer.${i}`)),
    );
    expect(sign("layer.1")).toBe("≈5");
    expect(sign("layer.5")).toBe("≈5");
  });

  it("says in what they differ", () => {
    expect(besideTooltip(scene, contents, group("layer.5"))).toBe(
      [
        "4 others hold nearly the same",
        "layer.0 and 1 like it: Relu is added",
        "layer.3 and 1 like it: Dropout is added, Relu is added",
        "Click to open it beside them",
      ].join("\n"),
    );
    expect(besideTooltip(scene, contents, group("layer.0"))).toContain(
      "2 groups hold the same, 4 more",
    );
  });
});

describe("groups that have little in common", () => {
  /** Two groups of so many nodes each, without an operator in common. */
  function strangers(nodes: number) {
    const builder = new SceneBuilder("net");
    builder.input("x", "float32[1]");
    let from = "x";
    for (const [i, op] of ["Relu", "Tanh"].entries()) {
      const own = builder.group(`layer.${i}`);
      for (let j = 0; j < nodes; j++) {
        const to = `${op}${j}`;
        builder.node(op, to, [from], [[to, "float32[1]"]], { group: own });
        from = to;
      }
    }
    builder.output(from);
    return sceneFrom(builder);
  }

  it("have no sign, and are not compared node by node, which is said", () => {
    const large = strangers(MOST_APART);
    const found = groupContents(large);
    const first = large.groups.findIndex(({ label }) => label === "layer.0");
    expect(likenessText(at(found, first))).toBe("");
    expect(siblingsOf(large, found, first).others[0]?.differences).toBeUndefined();
    const { sections } = inspect(large, found, { kind: "group", group: first });
    const told = sections.find(({ title }) => title === "layer.1: another group");
    expect(JSON.stringify(told?.lines)).toContain(`More than ${MOST_APART} nodes`);
  });

  it("are compared where they are small", () => {
    const small = strangers(3);
    const first = small.groups.findIndex(({ label }) => label === "layer.0");
    expect(siblingsOf(small, groupContents(small), first).others[0]?.differences).toHaveLength(3);
  });

  it("are left out where there are too many kinds, and counted", () => {
    const builder = new SceneBuilder("net");
    builder.input("x", "float32[1]");
    let from = "x";
    for (let i = 0; i < 20; i++) {
      const own = builder.group(`layer.${i}`);
      const to = `y${i}`;
      builder.node(`Op${String.fromCharCode(65 + i)}`, to, [from], [[to, "float32[1]"]], {
        group: own,
      });
      from = to;
    }
    builder.output(from);
    const many = sceneFrom(builder);
    const found = groupContents(many);
    const { others, left } = siblingsOf(many, found, 1);
    expect(others.length + left.length).toBe(19);
    expect(left.length).toBeGreaterThan(0);
    const { sections } = inspect(many, found, { kind: "group", group: 1 });
    expect(sections.map(({ title }) => title)).toContain(`Not compared: ${left.length}`);
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
