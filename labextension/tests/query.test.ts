import { describe, expect, it } from "vitest";
import { asksForNan, FIELD_HELP, parts, tellNan } from "../src/core/query";
import { type Hit, search } from "../src/core/search";
import { writeSelection } from "../src/core/selection";
import { flat } from "./flat";
import { smallCnn, transformer } from "./scenes";
import { sceneFrom } from "./setting";

const scene = sceneFrom(smallCnn());
const found = (query: string) =>
  search(scene, query).flatMap(({ box }) => scene.boxes[box ?? -1] ?? []);
const operators = (query: string) => [...new Set(found(query).map((box) => box?.op))];

describe("a query", () => {
  it("is split at spaces outside of brackets and quotes", () => {
    expect(parts('shape:[*, 768] op:Conv "two words"')).toEqual([
      "shape:[*, 768]",
      "op:conv",
      "two words",
    ]);
    expect(parts("shape:[*, 7")).toEqual(["shape:[*, 7"]);
    expect(parts("  ")).toEqual([]);
  });

  it("by operator finds operators alone, not names", () => {
    expect(operators("bn")).toContain("BatchNormalization");
    expect(found("op:bn")).toEqual([]);
    expect(operators("op:conv")).toEqual(["Conv"]);
  });

  it("by group finds what lies in it, however deep", () => {
    const inside = found("in:stage1");
    expect(inside.length).toBeGreaterThan(1);
    expect(inside.every((box) => box?.id.includes("stage1"))).toBe(true);
  });

  it("by size and shape finds what goes in or out", () => {
    const sized = found("dim:32");
    expect(sized.length).toBeGreaterThan(0);
    for (const box of sized)
      expect([...(box?.inputs ?? []), ...(box?.outputs ?? [])].join()).toMatch(/\b32\b/);
    expect(found("shape:[n,10]").map((box) => box?.op)).toContain("Softmax");
    expect(found("shape:[n,*]").length).toBeGreaterThanOrEqual(found("shape:[n,10]").length);
    expect(found("shape:[...,10]").length).toBeGreaterThanOrEqual(found("shape:[n,10]").length);
    expect(found("shape:[10]")).not.toContain(found("shape:[n,10]")[0]);
  });

  it("by element type takes its beginning too", () => {
    expect(found("dtype:float32")).toEqual(found("dtype:float"));
    expect(found("dtype:float32").length).toBeGreaterThan(0);
    expect(found("dtype:complex64")).toEqual([]);
  });

  it("by attribute asks for its name, and for its value where one is given", () => {
    const padded = found("attr:pads=[1,1,1,1]");
    expect(padded.length).toBeGreaterThan(0);
    expect(found("attr:pads")).toEqual(padded);
    expect(found("attr:pads=[0,0,0,0]")).toEqual([]);
    for (const box of padded) expect(box?.attributes.join()).toContain("pads,[1, 1, 1, 1]");
  });

  it("by trouble finds the nodes that have it and those at its edges", () => {
    expect(operators("has:error")).toEqual(["Gemm"]);
    expect(operators("has:mismatch")).toContain("Gemm");
  });

  it("of several parts means all of them", () => {
    expect(found("op:conv in:stage1").length).toBeLessThan(found("op:conv").length);
    expect(found("op:conv op:relu")).toEqual([]);
  });

  it("with a field that is not known searches for the word", () =>
    expect(found("nothing:here")).toEqual([]));

  it("that is still being typed finds nothing by itself, and leaves out nothing that the rest finds", () => {
    expect(["op:", "has: dim:", "attr:pads="].flatMap(found)).toEqual([]);
    expect(found("conv dim:")).toEqual(found("conv"));
  });

  it("of every field that the help names finds no fault with it", () => {
    for (const { example } of FIELD_HELP) expect(() => search(scene, example)).not.toThrow();
  });
});

describe("a group", () => {
  const layers = sceneFrom(transformer(3));
  const titles = (query: string) => search(layers, query).map(({ title }) => title);
  const isGroup = ({ selection }: Hit) => selection.kind === "group";

  it("is found by the words of its title, as they stand on the drawing", () => {
    const [first, ...more] = search(layers, "layer.1");
    expect(first).toMatchObject({ title: "layer.1", text: "group" });
    expect(first && writeSelection(layers, first.selection)).toMatch(/^group:.*layer\.1$/);
    expect(more.every((hit) => !isGroup(hit))).toBe(true);
    expect(titles("name:layer.1")[0]).toBe("layer.1");
    expect(search(layers, "attention").filter(isGroup)).toHaveLength(3);
  });

  it("is none of what another field asks for, and not of one that is being typed", () => {
    expect(search(layers, "layer.1 op:MatMul").some(isGroup)).toBe(false);
    expect(search(layers, "in:layer.1").some(isGroup)).toBe(false);
    expect(search(layers, "name:").some(isGroup)).toBe(false);
  });
});

it("searches 50,000 nodes while a person types", () => {
  const part = sceneFrom(flat(1000));
  const large = { ...part, boxes: Array.from({ length: 50 }, () => part.boxes).flat() };
  const times = Array.from({ length: 8 }, () => {
    const started = performance.now();
    search(large, "op:conv attention");
    return performance.now() - started;
  });
  // 50 ms are asked for; the margin is for machines that do other things too.
  expect(Math.min(...times)).toBeLessThan(200);
});

it("finds NaN where the kernel says that it is", () => {
  const scene = sceneFrom(smallCnn());
  const first = scene.boxes.findIndex(({ kind }) => kind === "node");
  expect(search(scene, "has:nan")).toEqual([]);
  tellNan(scene, [scene.boxes[first]?.id ?? "", "no such node"]);
  expect(search(scene, "has:nan").map(({ box }) => box)).toEqual([first]);
  expect(asksForNan("op:Conv has:NaN")).toBe(true);
  expect(asksForNan("has:nanny")).toBe(false);
});
