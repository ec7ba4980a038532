import { describe, expect, it } from "vitest";
import { likenessOf } from "../src/core/alike";
import { arrange, LayoutCache } from "../src/core/arrange";
import { groupCard, groupContents } from "../src/core/card";
import { nest } from "../src/core/levels";
import { draw } from "../src/core/picture";
import { smallCnn, transformer } from "./scenes";
import { graphviz, measure, sceneFrom } from "./setting";

const scene = sceneFrom(transformer(3));
const contents = groupContents(scene);
const layer = scene.groups.findIndex(({ label }) => label.endsWith("layer.1"));
const inside = (group: number): boolean => {
  for (let g = group; g > 0; g = scene.groups[g]?.parent ?? -1) if (g === layer) return true;
  return false;
};

describe("a group that is the whole view", () => {
  const expanded = new Set(scene.groups.keys());
  const nesting = nest(scene, expanded, layer);

  it("shows all that lies in it, and what is joined to it from outside", async () => {
    const around = {
      scene,
      contents,
      expanded,
      measure,
      layout: graphviz,
      cache: new LayoutCache(),
    };
    const picture = draw(scene, await arrange(nesting, around), contents, measure);
    const within = picture.cards.filter(({ outside }) => !outside);
    const wanted = scene.boxes.flatMap(({ group }, i) => (inside(group) ? [`b${i}`] : []));
    expect(within.map(({ key }) => key).sort()).toEqual(wanted.sort());
    const others = picture.cards.filter(({ outside }) => outside);
    expect(others.length).toBeGreaterThan(0);
    for (const { index } of others) {
      const edges = [...(scene.edgesInto[index] ?? []), ...(scene.edgesOutOf[index] ?? [])];
      const ends = edges.flatMap((edge) => [scene.edges[edge]?.source, scene.edges[edge]?.target]);
      expect(ends.some((box) => inside(scene.boxes[box ?? 0]?.group ?? 0))).toBe(true);
    }
  });

  it("need not have been open, nor any group around it", () => {
    const { root } = nest(scene, new Set([0]), layer);
    expect(root.groups).toEqual([layer]);
    expect(root.children.length).toBeGreaterThan(1);
  });

  it("of the whole graph has no surroundings", () => {
    expect(nest(scene, expanded).outside.size).toBe(0);
  });
});

describe("groups that hold the same", () => {
  it("know each other, whatever they are called", () => {
    const layers = scene.groups.flatMap(({ label }, i) => (/layer\.\d+$/.test(label) ? [i] : []));
    expect(layers).toHaveLength(3);
    for (const group of layers) expect(likenessOf(scene).alike[group]).toEqual(layers);
  });

  it("are told apart by one size or attribute", () => {
    const boxes = scene.boxes.map((box, i) => {
      const changed = box.group === layer && i === scene.boxes.findIndex((b) => b.group === layer);
      return changed ? { ...box, attributes: [["axis", "7", 0] as [string, string, 0]] } : box;
    });
    expect(likenessOf({ ...scene, boxes }).alike[layer]).toEqual([]);
    // The two stages of the small CNN have other numbers of channels.
    const cnn = sceneFrom(smallCnn());
    expect(likenessOf(cnn).alike.flat()).toEqual([]);
  });

  it("are counted on their cards", () => {
    const content = contents[layer];
    if (!content) throw new Error("no content");
    const texts = groupCard(scene, layer, content, measure).lines.map(({ text }) => text);
    expect(texts).toContain("×3");
  });
});
