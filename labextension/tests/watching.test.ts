import { describe, expect, it } from "vitest";
import { spark, watchName } from "../src/core/watching";
import { smallCnn } from "./scenes";
import { sceneFrom } from "./setting";

describe("a curve", () => {
  it("goes from the lowest at the bottom to the highest at the top", () => {
    expect(spark([1, 3, 2], 20, 10).lines).toEqual(["M0.0 10.0L10.0 0.0L20.0 5.0"]);
    expect(spark([1, 3, 2], 20, 10).end).toEqual([20, 5]);
  });

  it("is broken where there is no number", () => {
    const { lines, gaps, end } = spark([1, "nan", 2, "inf"], 30, 10);
    expect(lines).toHaveLength(2);
    expect(gaps).toEqual([10, 30]);
    expect(end).toBeUndefined();
  });

  it("lies in the middle where nothing changes", () => {
    expect(spark([5, 5], 10, 8).lines).toEqual(["M0.0 4.0L10.0 4.0"]);
  });
});

describe("the name of what is selected", () => {
  const scene = sceneFrom(smallCnn());

  it("stands in quotes where it is no word", () => {
    expect(watchName(scene, { kind: "value", value: "flat" })).toBe("flat");
    expect(watchName(scene, { kind: "value", value: "fc.weight" })).toBe('"fc.weight"');
  });

  it("of a node is that of its output", () => {
    const box = scene.boxOfId.get("gap") ?? -1;
    const output = scene.boxes[box]?.outputs[0]?.[1];
    expect(JSON.stringify(watchName(scene, { kind: "box", box }))).toContain(output);
  });

  it("is nothing where nothing is", () => {
    expect(watchName(scene, { kind: "none" })).toBe("");
  });
});
