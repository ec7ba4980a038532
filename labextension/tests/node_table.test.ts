import { describe, expect, it } from "vitest";
import { NodeTable } from "../src/core/node_table";
import { type Overlay, overlayOf } from "../src/core/overlay";
import { SceneBuilder } from "./scenes";
import { sceneFrom } from "./setting";

const ALL = { query: "", group: 0 };
const SIZES = new Map([["batch", 3]]);

function scene() {
  const builder = new SceneBuilder("net");
  builder.input("x", "float32[batch, 4]");
  const group = builder.group("encoder");
  const inner = builder.group("attention", group);
  builder.node("MatMul", "mul10", ["x"], [["a", "float32[batch, 4]"]], { group, macs: "16*batch" });
  builder.node("MatMul", "mul9", ["a"], [["b", "float32[batch, 8]"]], { group: inner, macs: 100 });
  builder.node("Reshape", "flat", ["b"], [["c", "float32[...]"]]);
  builder.output("c");
  return sceneFrom(builder);
}

const names = (table: NodeTable, rows: readonly number[]) =>
  rows.map((box) => table.cell(box, "name").text);

describe("the table of nodes", () => {
  const known = scene();
  const table = new NodeTable(known, undefined, SIZES);

  it("holds nodes alone, in the file's order", () => {
    expect(names(table, table.rows(ALL, undefined))).toEqual(["mul10", "mul9", "flat"]);
    expect(table.size).toBe(3);
  });

  it("orders numbers in names as numbers", () => {
    const rows = table.rows(ALL, { column: "name", descending: false });
    expect(names(table, rows)).toEqual(["flat", "mul9", "mul10"]);
  });

  it("orders by a number with open sizes, and puts what has none last both ways", () => {
    // 16 x 3 = 48 are fewer than 100.
    const down = table.rows(ALL, { column: "macs", descending: true });
    const up = table.rows(ALL, { column: "macs", descending: false });
    expect(names(table, down)).toEqual(["mul9", "mul10", "flat"]);
    expect(names(table, up)).toEqual(["mul10", "mul9", "flat"]);
  });

  it("shows what a number is made of", () => {
    expect(table.cell(1, "macs")).toEqual({ text: "48", hint: "16*batch" });
    expect(table.cell(3, "macs").text).toBe("");
  });

  it("says names in full, however long: the page cuts them where there is no room", () => {
    const path = `${"encoder/layer/".repeat(9)}attention/query`;
    const builder = new SceneBuilder("net");
    builder.input("x", "float32[4]");
    builder.node("Relu", path, ["x"], [["y", "float32[4]"]]);
    const long = new NodeTable(sceneFrom(builder), undefined, SIZES);
    expect(names(long, long.rows(ALL, undefined))).toEqual([path]);
    const [operator, name, , parameters] = long.columns.map((column) => long.longest(column));
    expect([operator, name, parameters]).toEqual(["Relu".length, path.length, 0]);
  });

  it("is filtered by the language of the search, and by a group with all that lies in it", () => {
    expect(names(table, table.rows({ query: "op:matmul dim:8", group: 0 }, undefined))).toEqual([
      "mul9",
    ]);
    expect(names(table, table.rows({ query: "", group: 1 }, undefined))).toEqual(["mul10", "mul9"]);
    expect(names(table, table.rows({ query: "", group: 2 }, undefined))).toEqual(["mul9"]);
  });

  it("has a column for an overlay that has none yet", () => {
    const values = { mul9: 2, flat: 7 };
    const given = { latency: { unit: "ms", combine: "sum", values } } as const;
    const overlay = overlayOf(known, "latency", given) as Overlay;
    const timed = new NodeTable(known, overlay, SIZES);
    expect(timed.columns.at(-1)).toEqual({ name: "overlay", title: "latency (ms)", numeric: true });
    const rows = timed.rows(ALL, { column: "overlay", descending: true });
    expect(names(timed, rows)).toEqual(["flat", "mul9", "mul10"]);
    const macs = overlayOf(known, "macs", {}) as Overlay;
    expect(new NodeTable(known, macs, SIZES).columns).toHaveLength(6);
    const dtype = overlayOf(known, "dtype", {}) as Overlay;
    expect(new NodeTable(known, dtype, SIZES).columns.at(-1)?.title).toBe("Dtype");
  });
});
