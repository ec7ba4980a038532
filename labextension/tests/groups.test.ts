import { describe, expect, it } from "vitest";
import { groupCard, groupContents } from "../src/core/card";
import { chunked, cutIntoRuns } from "../src/core/chunk";
import {
  FIRST_SIGHT,
  firstExpansion,
  groupsAround,
  oneLevelLess,
  oneLevelMore,
  toggled,
} from "../src/core/expansion";
import { fold } from "../src/core/fold";
import { boxName, groupTitle } from "../src/core/naming";
import type { Scene } from "../src/core/scene";
import { flat } from "./flat";
import { SceneBuilder, smallCnn, transformer } from "./scenes";
import { measure, sceneFrom } from "./setting";

const visible = (scene: Scene, expanded: ReadonlySet<number>) => {
  const { boxes, groups } = fold(scene, expanded);
  return boxes.length + groups.length;
};

describe("the first sight", () => {
  it("shows a small model whole", () => {
    const scene = sceneFrom(smallCnn());
    expect(firstExpansion(scene).size).toBe(scene.groups.length);
  });

  it.each([4, 12, 24, 80])("of %i layers holds no more boxes than can be looked at", (layers) => {
    const scene = sceneFrom(transformer(layers));
    const seen = visible(scene, firstExpansion(scene));
    expect(seen).toBeLessThanOrEqual(FIRST_SIGHT);
    expect(seen).toBeGreaterThan(5);
  });

  it("opens siblings alike", () => {
    const scene = sceneFrom(transformer(12));
    const expanded = firstExpansion(scene);
    const layers = scene.groups.flatMap(({ label }, i) =>
      /^encoder\/layer\.\d+$/.test(label) ? [expanded.has(i)] : [],
    );
    expect(new Set(layers).size).toBe(1);
  });
});

describe("opening and closing", () => {
  const scene = sceneFrom(transformer(2));

  it("toggling twice changes nothing, and the root never closes", () => {
    const start = new Set([0, 1]);
    expect(toggled(toggled(start, 3), 3)).toEqual(start);
    expect(toggled(start, 0)).toEqual(start);
  });

  it("level by level reaches everything, and back leads to the root alone", () => {
    let open: Set<number> = new Set([0]);
    for (let i = 0; i < 10; i++) open = oneLevelMore(scene, open);
    expect(open.size).toBe(scene.groups.length);
    for (let i = 0; i < 10; i++) open = oneLevelLess(scene, open);
    expect([...open]).toEqual([0]);
  });

  it("with the groups around a box open, the box is visible", () => {
    scene.boxes.forEach((_, box) => {
      const open = new Set([0, ...groupsAround(scene, box)]);
      expect(fold(scene, open).boxes).toContain(box);
    });
  });
});

describe("a flat graph", () => {
  const scene = sceneFrom(flat(1000));
  const cut = chunked(scene);

  it("is cut into runs of bounded length that leave no node out", () => {
    const sizes = new Map<number, number>();
    for (const { kind, group } of cut.boxes)
      if (kind === "node") sizes.set(group, (sizes.get(group) ?? 0) + 1);
    expect(sizes.has(0)).toBe(false);
    expect(Math.max(...sizes.values())).toBeLessThanOrEqual(150);
    expect([...sizes.values()].reduce((a, b) => a + b)).toBe(1000);
  });

  it("is cut so that no run feeds an earlier one", () => {
    for (const { source, target } of cut.edges) {
      const [from, to] = [cut.boxes[source]?.group ?? 0, cut.boxes[target]?.group ?? 0];
      if (from > 0 && to > 0) expect(from).toBeLessThanOrEqual(to);
    }
  });

  it("of moderate size stays as it is", () => {
    const small = sceneFrom(flat(300));
    expect(chunked(small)).toBe(small);
  });

  it("is cut where the fewest values cross", () => {
    // Two bundles of three parallel edges, joined by a single edge between 4 and 5.
    const pairs = [0, 1, 2, 3].flatMap((i) => [0, 1, 2].map(() => [i, i + 1]));
    const more = [5, 6, 7, 8].flatMap((i) => [0, 1, 2].map(() => [i, i + 1]));
    const edges = [...pairs, [4, 5], ...more].map(([source = 0, target = 0]) => ({
      value: "",
      source,
      target,
      label: "",
      mark: "known" as const,
      note: "",
      declared: "",
      fromFile: false,
    }));
    const boxes = [...Array(10).keys()];
    expect(cutIntoRuns(boxes, edges, 6)).toEqual([boxes.slice(0, 5), boxes.slice(5)]);
  });

  it("moves a body along with the node that owns it", () => {
    const builder = flat(500);
    const owner = 450;
    const body = builder.group("body", 0, "subgraph", owner);
    builder.node("Add", "inner", [], [["y", "float32[]"]], { group: body });
    const moved = chunked(sceneFrom(builder));
    expect(moved.groups[body]?.parent).toBe(moved.boxes[owner]?.group);
    expect(moved.groups[body]?.parent).not.toBe(0);
  });
});

describe("names inside a group leave out what the group says", () => {
  const builder = new SceneBuilder("m");
  const whole = builder.group("encoder/layer.0");
  const inner = builder.group("encoder/layer.0/attention", whole);
  const parts = builder.group("encoder", 0);
  const part = builder.group("layer.0", parts);
  const nodes = [
    builder.node("MatMul", "/encoder/layer.0/attention/query/MatMul", [], [], { group: inner }),
    builder.node("MatMul", "/encoder/layer.0/mlp/MatMul", [], [], { group: part }),
    builder.node("MatMul", "/a/b/c/d", [], []),
    builder.node("Add", "/model/encoder/layer.0/norm/Add", [], [], { group: part }),
    builder.node("Add", "encoder/layer.01/Add", [], [], { group: part }),
  ];
  const scene = sceneFrom(builder);

  it("for groups whose labels are whole paths or last parts", () => {
    expect([whole, inner, part].map((group) => groupTitle(scene, group))).toEqual([
      "encoder/layer.0",
      "attention",
      "layer.0",
    ]);
  });

  it("for nodes", () => {
    expect(nodes.map((box) => boxName(scene, box))).toEqual([
      "query/MatMul",
      "mlp/MatMul",
      "c/d",
      "norm/Add",
      "layer.01/Add",
    ]);
  });
});

it("a collapsed group tells how much it holds, with everything inside it", () => {
  const scene = sceneFrom(smallCnn());
  const features = scene.groups.findIndex(({ label }) => label === "features");
  const content = groupContents(scene)[features];
  expect(content?.nodes).toBe(12);
  expect(content?.operators[0]).toEqual(["Conv", 4]);
  if (!content) return;
  const texts = groupCard(scene, features, content, measure).lines.map(({ text }) => text);
  expect(texts).toContain("features");
  expect(texts.some((text) => text.startsWith("12 nodes: 4 Conv"))).toBe(true);
});
