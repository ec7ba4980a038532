import { describe, expect, it } from "vitest";
import { completions } from "../src/core/completion";
import { FIELD_NAMES, tellNan } from "../src/core/query";
import { search } from "../src/core/search";
import type { AttributeRow } from "../src/protocol/scene";
import { SceneBuilder } from "./scenes";
import { sceneFrom } from "./setting";

/** Two convolutions in a block of the encoder, and a Relu behind it. */
function small() {
  const builder = new SceneBuilder("net");
  builder.input("x", "float32[n, 8]");
  const block = builder.group("block 1", builder.group("encoder"));
  const pads: AttributeRow[] = [["pads", "[1, 1]", 0]];
  builder.node("Conv", "a", ["x"], [["p", "float32[n, 8]"]], { group: block, attributes: pads });
  builder.node("Conv", "b", ["p"], [["q", "float32[n, 16]"]], { group: block });
  builder.node("Relu", "c", ["q"], [["r", "float16[n, 2*n]"]]);
  builder.output("r");
  return sceneFrom(builder);
}

describe("what can follow a field", () => {
  const scene = small();
  const told = (query: string) => completions(scene, query)?.told;
  const values = (query: string) =>
    completions(scene, query)?.choices.map(({ value, note }) => [value, note]);

  it("are the operators of the model, the most frequent first, with the nodes of each", () => {
    expect(told("op:")).toBe("2 operators");
    expect(values("op:")).toEqual([
      ["Conv", "2 nodes"],
      ["Relu", "1 node"],
    ]);
  });

  it("are sizes, element types and shapes of what goes in or out", () => {
    // x and p, p and q, q and r.
    expect(values("dim:")).toEqual([
      ["n", "3 nodes"],
      ["8", "2 nodes"],
      ["16", "2 nodes"],
      ["2*n", "1 node"],
    ]);
    expect(values("dtype:")).toEqual([
      ["float32", "3 nodes"],
      ["float16", "1 node"],
    ]);
    expect(values("shape:")?.[0]).toEqual(["[n, 8]", "2 nodes"]);
  });

  it("are groups however far around, and attributes with their values", () => {
    expect(values("in:")).toEqual([
      ["block 1", "2 nodes"],
      ["encoder", "2 nodes"],
    ]);
    expect(values("attr:")).toEqual([["pads", "1 node"]]);
    expect(values("attr:pads=")).toEqual([["[1, 1]", "1 node"]]);
  });

  it("are names in the file's order", () =>
    expect(values("name:")).toEqual([
      ["a", ""],
      ["b", ""],
      ["c", ""],
    ]));

  it("are of the nodes that the rest of the query finds", () => {
    expect(values("in:encoder op:")).toEqual([["Conv", "2 nodes"]]);
    expect(told("op:softmax dim:")).toBe("0 sizes");
  });

  it("are no numbers of NaN before somebody has asked for them", () => {
    const fresh = small();
    expect(completions(fresh, "has:")?.choices.map(({ value }) => value)).toEqual(["nan"]);
    tellNan(fresh, ["a"]);
    expect(completions(fresh, "has:")?.choices).toEqual([]);
  });

  it("are nothing where a value stands, or no field", () =>
    expect(["", "op", "op:Conv", "op: ", "attr:pads", "layer:"].map(told)).toEqual(
      Array(6).fill(undefined),
    ));

  it("are found with the query that each of them makes", () => {
    for (const field of [...FIELD_NAMES, "attr:pads"]) {
      const asked = field === "attr:pads" ? "attr:pads=" : `${field}:`;
      for (const { query } of completions(scene, asked)?.choices ?? [])
        if (query !== "has:nan")
          expect([query, search(scene, query).length > 0]).toEqual([query, true]);
    }
  });
});
