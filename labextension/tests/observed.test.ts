import { describe, expect, it } from "vitest";
import { farTitle } from "../src/core/card";
import { overlaps } from "../src/core/curve";
import { FAR_SCALES, NEAR_SCALES } from "../src/core/labels";
import { besideObserved, computedValues, NOTHING_OBSERVED } from "../src/core/observed";
import { detailAt } from "../src/core/viewport";
import { smallCnn } from "./scenes";
import { drawn, sceneFrom } from "./setting";

const scene = sceneFrom(smallCnn());
const { picture } = await drawn(scene, new Set(scene.groups.keys()));

describe("an observed type", () => {
  it.each([
    ["float32[batch, 16, 8]", "float32[1, 16, 8]", "float32[batch=1, 16, 8]"],
    ["float32[floor((h - 1)/2) + 1]", "float32[4]", "float32[floor((h - 1)/2) + 1=4]"],
    ["float32[2, 3]", "float32[2, 3]", "float32[2, 3]"],
    ["?", "int64[3]", "? = int64[3]"],
    ["float32[...]", "float32[3]", "float32[...] = float32[3]"],
    ["float32[n]", "float16[3]", "float32[n] = float16[3]"],
    ["seq(float32[n])", "list of 2", "seq(float32[n]) = list of 2"],
  ])("stands beside the inferred one: %s and %s", (inferred, observed, text) =>
    expect(besideObserved(inferred, observed)).toBe(text),
  );

  it("is on the label of its value, and in its hint beside the inferred one", () => {
    const [known] = picture.labels;
    const seen = new Map([[known?.value ?? "", "float32[7]"]]);
    const { labels } = picture.labelling.place(1, seen);
    const told = labels.filter(({ observed }) => observed);
    expect(new Set(told.map(({ value }) => value))).toEqual(new Set([known?.value]));
    expect(told[0]?.tooltip).toContain("observed: float32[7]");
    expect(told[0]?.tooltip).toContain(known?.tooltip);
  });
});

describe("the values that a run has made", () => {
  it("are none before it begins", () =>
    expect(computedValues(scene, picture, { position: 0 })).toEqual([]));

  it("are the graph's inputs and what the nodes made that are done", () => {
    const { id, outputs } = scene.boxes.find(({ op }) => op === "Conv") ?? {};
    const values = computedValues(scene, picture, { position: 1, done: [id ?? ""] });
    expect(values).toEqual(["image", outputs?.[0]?.[1]]);
  });
});

describe("zoomed", () => {
  it.each([...NEAR_SCALES, 1, ...FAR_SCALES])(
    "labels %d times as large hide neither boxes nor each other",
    (scale) => {
      const { labels } = picture.labelling.place(scale, NOTHING_OBSERVED);
      expect(labels.length).toBeGreaterThan(0);
      for (const [i, label] of labels.entries()) {
        expect(label.scale).toBe(scale);
        for (const other of [...picture.cards, ...labels.slice(i + 1)])
          expect(overlaps(label, other)).toBe(false);
      }
    },
  );

  it("labels grow as far as they have to be to be read", () => {
    expect(detailAt(1, 10)).toMatchObject({ labels: 1 });
    expect(detailAt(0.5, 10)).toMatchObject({ labels: 1.5 });
    expect(detailAt(0.3, 10)).toMatchObject({ labels: 2.25 });
    expect(detailAt(0.1, 10)).toMatchObject({ labels: undefined });
  });

  it("near labels leave room for more, and are no smaller than at zoom 1", () => {
    for (const k of [1.65, 2, 2.5, 4]) {
      const { labels = 0 } = detailAt(k, 10);
      expect(labels).toBeLessThan(1);
      expect(labels * k).toBeGreaterThanOrEqual(1);
    }
  });

  it("a title fills its box and stays inside", () => {
    for (const { card } of picture.cards) {
      const title = card.lines.find(({ role }) => role === "title");
      const far = farTitle(card);
      if (!title || !far) throw new Error("a card without title");
      expect(far.scale).toBeGreaterThanOrEqual(1);
      if (far.scale > 1) expect(title.x + title.width * far.scale).toBeLessThan(card.width);
      expect(far.y).toBeLessThan(card.height);
    }
  });
});
