import { beforeAll, describe, expect, it } from "vitest";
import { arrange, LayoutCache, type LayoutText } from "../src/core/arrange";
import { fitEnds, groupContents } from "../src/core/card";
import { chunked } from "../src/core/chunk";
import { overlaps, type Rect } from "../src/core/curve";
import { writeDot } from "../src/core/dot";
import { firstExpansion } from "../src/core/expansion";
import type { LayoutGraph } from "../src/core/geometry";
import { GeometryError, readGeometry } from "../src/core/graphviz";
import { labelLines } from "../src/core/labels";
import { type FrameItem, type Item, nest } from "../src/core/levels";
import { layoutInRows } from "../src/core/rows";
import type { Scene } from "../src/core/scene";
import { flat } from "./flat";
import { SceneBuilder, smallCnn, transformer } from "./scenes";
import { type Drawn, drawn, graphviz, measure, sceneFrom } from "./setting";

const inside = (inner: Rect, outer: Rect, slack = 1.5) =>
  inner.x >= outer.x - slack &&
  inner.y >= outer.y - slack &&
  inner.x + inner.width <= outer.x + outer.width + slack &&
  inner.y + inner.height <= outer.y + outer.height + slack;

const everything = (scene: Scene) => new Set(scene.groups.keys());

/** For each frame the keys of all that lies in it, however deep. */
function contents(frame: FrameItem, into = new Map<string, string[]>()): Map<string, string[]> {
  const keys = (item: Item): string[] =>
    item.kind === "frame" ? [item.key, ...item.children.flatMap(keys)] : [item.key];
  into.set(frame.key, frame.children.flatMap(keys));
  for (const child of frame.children) if (child.kind === "frame") contents(child, into);
  return into;
}

const scenes: [string, Scene][] = [
  ["a CNN with scopes and bodies", sceneFrom(smallCnn())],
  ["a transformer whose mask feeds every layer", sceneFrom(transformer(6))],
  ["a flat graph", sceneFrom(flat(120))],
];

describe.each(scenes)("the picture of %s", (_, scene) => {
  let result: Drawn;
  beforeAll(async () => {
    result = await drawn(scene, everything(scene));
  });

  it("has every visible box once and no warning", () => {
    const keys = result.picture.cards.map(({ key }) => key).sort();
    expect(keys).toEqual(scene.boxes.map((_, i) => `b${i}`).sort());
    expect(result.arrangement.warnings).toEqual([]);
  });

  it("has no two boxes on top of each other", () => {
    const { cards } = result.picture;
    for (const [i, a] of cards.entries())
      for (const b of cards.slice(i + 1)) expect(overlaps(a, b), `${a.key} ${b.key}`).toBe(false);
  });

  it("bends no wire where it crosses the border of a frame", () => {
    const { frames, wires } = result.picture;
    let crossings = 0;
    for (const { curve } of wires)
      for (const [end, control] of [
        [curve.at(0), curve.at(1)],
        [curve.at(-1), curve.at(-2)],
      ])
        for (const { x, y, width, height } of frames) {
          if (!end || !control || end.x < x || end.x > x + width) continue;
          if (Math.min(Math.abs(end.y - y), Math.abs(end.y - y - height)) > 0.01) continue;
          crossings++;
          expect(Math.abs(control.x - end.x)).toBeLessThan(0.01);
        }
    expect(crossings > 0).toBe(frames.length > 0);
  });

  it("keeps what belongs to a frame inside it and everything else outside", () => {
    const { cards, frames } = result.picture;
    const members = contents(result.arrangement.nesting.root);
    for (const frame of frames)
      for (const card of [...cards, ...frames.filter((other) => other !== frame)]) {
        const belongs = members.get(frame.key)?.includes(card.key) ?? false;
        if (belongs) expect(inside(card, frame), `${card.key} in ${frame.key}`).toBe(true);
        else if (!members.get(card.key)?.includes(frame.key))
          expect(overlaps(card, frame), `${card.key} on ${frame.key}`).toBe(false);
      }
  });

  it("leads each edge in unbroken pieces from its source's bottom to its target's top", () => {
    const { picture } = result;
    const card = new Map(picture.cards.map((known) => [known.key, known]));
    const stubs = picture.stubs;
    picture.folded.forEach((edge, i) => {
      const pieces = picture.wires.filter(({ edges }) => edges.includes(i));
      const source = card.get(edge.source);
      const target = card.get(edge.target);
      if (!source || !target) throw new Error("an end is not drawn");
      const starts = pieces.map(({ curve }) => curve[0]);
      const ends = pieces.map(({ curve }) => curve.at(-1));
      const touches = (p: { x: number; y: number } | undefined, x: number, y: number) =>
        p !== undefined && Math.hypot(p.x - x, p.y - y) < 2;
      const bottom = [source.x + source.width / 2, source.y + source.height] as const;
      const top = [target.x + target.width / 2, target.y] as const;
      expect(starts.filter((p) => touches(p, ...bottom)).length).toBe(1);
      expect(ends.filter((p) => touches(p, ...top)).length).toBe(1);
      // Every other end meets the next piece at a port, or a stub.
      const stubEnds = stubs
        .filter(({ edges }) => edges.includes(i))
        .map(({ x, y, width, height, side }) =>
          side === "source" ? [x + width / 2, y] : [x + width / 2, y + height],
        );
      for (const end of ends) {
        if (touches(end, ...top)) continue;
        const meets = starts.some((p) => p && touches(end, p.x, p.y));
        const atStub = stubEnds.some(([x = 0, y = 0]) => touches(end, x, y));
        expect(meets || atStub).toBe(true);
      }
    });
  });

  it("labels every edge with its type, on no box and on no other label", () => {
    const { labels, cards, folded } = result.picture;
    const labelled = new Set(labels.map(({ value, lines }) => `${value} ${lines.join("")}`));
    const wanted = folded.flatMap(({ edges }) => edges.map((e) => scene.edges[e]));
    const missing = wanted.filter((edge) => !labelled.has(`${edge?.value} ${edge?.label}`));
    expect(missing).toEqual([]);
    for (const [i, a] of labels.entries()) {
      for (const card of cards) expect(overlaps(a, card), `${a.value} on ${card.key}`).toBe(false);
      for (const b of labels.slice(i + 1))
        expect(overlaps(a, b), `${a.value} on ${b.value}`).toBe(false);
    }
  });
});

describe("labels of one value", () => {
  const fan = new SceneBuilder("fan");
  fan.input("x", "float32[1, 3, 64, 64]");
  fan.node("Conv", "conv", ["x"], [["y", "float32[1, 16, 16, 16]"]]);
  for (let i = 0; i < 3; i++) fan.node("Shape", `shape ${i}`, ["y"], [[`s${i}`, "int64[4]"]]);
  for (let i = 0; i < 3; i++) fan.output(`s${i}`);

  it("are one where its edges run side by side, and that one names all of them", async () => {
    const { labels, folded } = (await drawn(sceneFrom(fan), new Set([0]))).picture;
    const own = labels.filter(({ value }) => value === "y");
    expect(own.length).toBe(1);
    const named = new Set(own.flatMap(({ edges }) => edges));
    const edges = folded.flatMap(({ values }, i) => (values.includes("y") ? [i] : []));
    expect(named).toEqual(new Set(edges));
    expect(edges.length).toBe(3);
  });

  it("lie in the picture that a view is fitted to", async () => {
    const chain = new SceneBuilder("chain");
    chain.input("x", "float32[batch, channels, 64, 64]");
    chain.output("x");
    const { picture } = await drawn(sceneFrom(chain), new Set([0]));
    expect(picture.labels.length).toBe(1);
    for (const { x, width } of picture.labels) {
      expect(x).toBeGreaterThanOrEqual(picture.x);
      expect(x + width).toBeLessThanOrEqual(picture.x + picture.width);
    }
  });
});

describe("a tunnel", () => {
  it("is named by both ends of a long name", () => {
    const text = fitEnds("transformer · GPT2Model", 15 * 6, "name", measure);
    expect(text).toBe("transfo…T2Model");
  });
});

describe("marks are more than colour", () => {
  it("an unknown and a mismatching edge carry their mark on wire and label, or a sign", async () => {
    const scene = sceneFrom(smallCnn());
    const { picture } = await drawn(scene, everything(scene));
    for (const [value, mark] of [
      ["scaled", "unknown"],
      ["logits", "mismatch"],
    ]) {
      const wires = picture.wires.filter(({ values }) => values.includes(value ?? ""));
      expect(wires.length).toBeGreaterThan(0);
      expect(new Set(wires.map((wire) => wire.mark))).toEqual(new Set([mark]));
      const shown = picture.labels.some((label) => label.value === value && label.mark === mark);
      expect(shown || wires.some(({ sign }) => sign !== undefined)).toBe(true);
    }
  });
});

describe("a mask that feeds every layer", () => {
  it("goes through tunnels whose stubs name the other end", async () => {
    const scene = sceneFrom(transformer(12));
    const { picture } = await drawn(scene, firstExpansion(scene));
    const far = picture.stubs.filter(({ values }) => values.includes("bias"));
    expect(far.some(({ side, text }) => side === "source" && /^\d+ places$/.test(text))).toBe(true);
    expect(far.filter(({ side }) => side === "target").length).toBeGreaterThan(4);
  });
});

describe("a long type", () => {
  const type = "float32[batch, 16, floor((height - 1)/2) + 1, floor((width - 1)/2) + 1]";

  it("is broken after commas, and its lines are the type again", () => {
    const lines = labelLines(type, measure);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThanOrEqual(3);
    for (const line of lines.slice(0, -1)) expect(line.endsWith(", ")).toBe(true);
    expect(lines.join("")).toBe(type);
  });

  it("that has nowhere to be broken stays in one line", () => {
    const name = `float32[${"a".repeat(200)}]`;
    expect(labelLines(name, measure)).toEqual([name]);
  });
});

describe("what is laid out", () => {
  it("is not laid out again where nothing changed", async () => {
    const scene = sceneFrom(transformer(4));
    const cache = new LayoutCache();
    let asked = 0;
    const counting = (dot: string) => {
      asked++;
      return graphviz(dot);
    };
    const open = everything(scene);
    await drawn(scene, open, counting, cache);
    const first = asked;
    await drawn(scene, open, counting, cache);
    expect(asked).toBe(first);
    const attention = scene.groups.findIndex(({ label }) => label === "encoder/layer.3/attention");
    open.delete(attention);
    await drawn(scene, open, counting, cache);
    expect(asked - first).toBeLessThanOrEqual(8);
  });

  it("stands in plain rows, with a warning that says why, when the engine fails", async () => {
    const scene = sceneFrom(smallCnn());
    const fails = () => Promise.reject(new Error("Maximum call stack size exceeded"));
    const { picture, arrangement } = await drawn(scene, new Set([0]), fails);
    expect(picture.cards.length).toBeGreaterThan(5);
    expect(arrangement.warnings.join()).toContain("Maximum call stack size exceeded");
    for (const [i, a] of picture.cards.entries())
      for (const b of picture.cards.slice(i + 1)) expect(overlaps(a, b)).toBe(false);
  });

  it("of 5,000 nodes without a scope is laid out at first sight within seconds", async () => {
    const scene = chunked(sceneFrom(flat(5000)));
    const started = performance.now();
    const { picture, arrangement } = await drawn(scene, firstExpansion(scene));
    expect(arrangement.warnings).toEqual([]);
    expect(picture.cards.length).toBeLessThanOrEqual(150);
    expect(performance.now() - started).toBeLessThan(10_000);
  }, 20_000);
});

describe("the DOT text", () => {
  it("holds nothing of the model's words", async () => {
    const evil = 'a"];evil[label="<b>';
    const builder = new SceneBuilder(evil);
    builder.input(evil, evil);
    const group = builder.group(evil);
    builder.node(evil, evil, [evil], [[`${evil}2`, evil]], { group });
    const texts: string[] = [];
    const scene = sceneFrom(builder);
    await drawn(scene, everything(scene), (dot) => {
      texts.push(dot);
      return graphviz(dot);
    });
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) expect(text).not.toMatch(/evil/);
  });

  it("brings edges to the places of a frame's ports", async () => {
    const graph: LayoutGraph = {
      nodes: [
        { width: 60, height: 30 },
        { width: 60, height: 30 },
        { width: 400, height: 200, tops: [50, 350], bottoms: [200] },
        { width: 60, height: 30 },
      ],
      arcs: [
        { from: 0, to: 2, toPort: 0 },
        { from: 1, to: 2, toPort: 1 },
        { from: 2, to: 3, fromPort: 0 },
      ],
    };
    const text = await graphviz(writeDot(graph));
    const raw = JSON.parse(text) as { bb: string; edges: { id: string; pos: string }[] };
    const { nodes } = readGeometry(text, graph);
    const frame = nodes[2] ?? { x: 0, y: 0 };
    // What Graphviz itself routed, before the ends are snapped: within the port's two pixels and its rounding.
    const endOf = (id: string) =>
      Number(
        raw.edges
          .find((e) => e.id === id)
          ?.pos.split(" ")
          .at(-1)
          ?.split(",")[0],
      );
    expect(Math.abs(endOf("0") - (frame.x - 200 + 50))).toBeLessThan(3);
    expect(Math.abs(endOf("1") - (frame.x - 200 + 350))).toBeLessThan(3);
  });

  it("that Graphviz answers strangely gives an error, not a broken picture", () => {
    const graph: LayoutGraph = { nodes: [{ width: 10, height: 10 }], arcs: [] };
    expect(() => readGeometry("<svg/>", graph)).toThrow(GeometryError);
    expect(() => readGeometry('{"bb":"0,0,9,9","objects":[]}', graph)).toThrow(/node 0 of 1/);
  });
});

it("y grows downwards and pieces end at the boxes", () => {
  const graph: LayoutGraph = {
    nodes: [
      { width: 20, height: 10 },
      { width: 20, height: 10 },
    ],
    arcs: [{ from: 0, to: 1 }],
  };
  const text = JSON.stringify({
    bb: "0,0,20,60",
    objects: [
      { name: "0", pos: "10,55" },
      { name: "1", pos: "10,5" },
    ],
    edges: [{ id: "0", pos: "10,49.9 10,40 10,20 10,10.1" }],
  });
  const { nodes, arcs } = readGeometry(text, graph);
  expect(nodes).toEqual([
    { x: 10, y: 5 },
    { x: 10, y: 55 },
  ]);
  expect(arcs[0]).toEqual([
    { x: 10, y: 10 },
    { x: 10, y: 20 },
    { x: 10, y: 40 },
    { x: 10, y: 50 },
  ]);
});

it("plain rows put every target below its source", () => {
  const nodes = Array.from({ length: 6 }, () => ({ width: 30, height: 20 }));
  const arcs = [
    { from: 0, to: 1 },
    { from: 0, to: 2 },
    { from: 1, to: 3 },
    { from: 2, to: 3 },
    { from: 0, to: 5 },
  ];
  const geometry = layoutInRows({ nodes, arcs });
  for (const { from, to } of arcs)
    expect(geometry.nodes[to]?.y).toBeGreaterThan(geometry.nodes[from]?.y ?? 0);
});

it("edges into a node that owns bodies end at the header inside its frame", () => {
  const scene = sceneFrom(smallCnn());
  const { root, levels } = nest(scene, everything(scene));
  const branch = scene.boxOfId.get("choose") ?? -1;
  const frame = root.children.find((child) => child.kind === "frame" && child.owner === branch);
  if (frame?.kind !== "frame") throw new Error("the node has no frame");
  expect(frame.children[0]).toMatchObject({ kind: "box", box: branch });
  const level = levels.get(frame);
  const ends = level?.arcs.flatMap(({ from, to }) =>
    from.kind === "in" && to.kind === "item" && to.item === frame.children[0] ? [from.wire] : [],
  );
  expect(ends?.length).toBe(1);
  expect(ends?.[0]).toContain("is_bright");
});

describe("a layout that is cancelled", () => {
  const scene = sceneFrom(transformer(3));
  const expanded = everything(scene);
  const around = (layout: LayoutText, signal: AbortSignal, laid: () => void = () => undefined) => ({
    scene,
    contents: groupContents(scene),
    expanded,
    measure,
    layout,
    cache: new LayoutCache(),
    signal,
    laid,
  });

  it("rejects, and asks the engine for nothing more", async () => {
    const abort = new AbortController();
    let asked = 0;
    const layout: LayoutText = async (dot) => {
      asked++;
      abort.abort();
      return graphviz(dot);
    };
    await expect(arrange(nest(scene, expanded), around(layout, abort.signal))).rejects.toThrow();
    const before = asked;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toBe(before);
  });

  it("hands its signal to the engine, whose refusal is no reason to draw rows", async () => {
    const abort = new AbortController();
    const layout: LayoutText = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("cancelled")));
        setTimeout(() => abort.abort(), 5);
      });
    await expect(arrange(nest(scene, expanded), around(layout, abort.signal))).rejects.toThrow(
      "aborted",
    );
  });

  it("tells of each level that it has laid out", async () => {
    let laid = 0;
    const { signal } = new AbortController();
    const nesting = nest(scene, expanded);
    await arrange(
      nesting,
      around(graphviz, signal, () => {
        laid++;
      }),
    );
    expect(laid).toBeGreaterThanOrEqual(nesting.levels.size);
  });
});
