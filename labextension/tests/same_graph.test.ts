import { describe, expect, it } from "vitest";
import { groupContents } from "../src/core/card";
import { firstExpansion } from "../src/core/expansion";
import { NodeTable } from "../src/core/node_table";
import { groupIn, groupsIn, isSameGraph, selectionIn } from "../src/core/same_graph";
import { weightsByOperator } from "../src/core/weights";
import { SceneBuilder } from "./scenes";
import { sceneFrom } from "./setting";

/** Two equal layers of a norm and an activation; operators that were gone into have a body. */
function scene(...gone: string[]) {
  const builder = new SceneBuilder("net");
  builder.input("x", "float32[4]");
  let last = "x";
  const norms = new Map<string, [box: number, group: number]>();
  for (const layer of ["layer 1", "layer 2"]) {
    const group = builder.group(layer);
    const norm = `${layer} norm`;
    const box = builder.node("LayerNormalization", norm, [last], [[norm, "float32[4]"]], { group });
    norms.set(norm, [box, group]);
    const act = `${layer} act`;
    builder.node("Gelu", act, [norm], [[act, "float32[4]"]], { group });
    last = act;
  }
  builder.output(last);
  for (const norm of gone) {
    const [owner, around] = norms.get(norm) ?? [0, 0];
    const group = builder.group("body", around, "operator", owner);
    builder.node("Pow", `${norm}/body/pow`, [], [[`${norm}/body/s`, "float32[4]"]], {
      group,
      weights: [["Y", `${norm}/body/two`, "float32[]"]],
    });
  }
  return sceneFrom(builder);
}

describe("a scene with more inside of operators", () => {
  const before = scene("layer 2 norm");
  // What was gone into first is drawn anew behind the other.
  const after = scene("layer 1 norm", "layer 2 norm");

  it("is one of the same graph, also the other way round", () => {
    expect(isSameGraph(before, after)).toBe(true);
    expect(isSameGraph(after, before)).toBe(true);
    const other = new SceneBuilder("other");
    other.input("x", "float32[4]");
    other.output("x");
    expect(isSameGraph(before, sceneFrom(other))).toBe(false);
  });

  it("knows groups and boxes by their names, wherever they stand now", () => {
    const body = before.groups.length - 1;
    const now = after.groups.length - 1;
    expect(groupIn(before, after, body)).toBe(now);
    expect([...groupsIn(before, after, new Set([0, 1, body]))]).toEqual([0, 1, now]);
    const pow = before.boxes.length - 1;
    expect(selectionIn(before, after, { kind: "box", box: pow })).toEqual({
      kind: "box",
      box: after.boxes.length - 1,
    });
    expect(groupIn(after, before, groupIn(before, after, 0))).toBe(0);
  });

  it("has the nodes and the equal groups that the model has", () => {
    const plain = groupContents(scene());
    const contents = groupContents(before);
    expect(contents.map(({ nodes }) => nodes)).toEqual([4, 2, 2, 1]);
    expect(contents[1]?.alike).toEqual(plain[1]?.alike);
    expect(contents[1]?.alike).toHaveLength(2);
    expect(new NodeTable(after, undefined, new Map()).size).toBe(4);
    expect(after.initializers.size).toBe(2);
    expect(weightsByOperator(after)).toEqual([]);
  });

  it("shows operators closed at first", () => {
    expect(firstExpansion(after)).toEqual(new Set([0, 1, 2]));
  });
});
