import { describe, expect, it } from "vitest";
import { groupContents } from "../src/core/card";
import { highlight } from "../src/core/highlight";
import { inspect } from "../src/core/inspection";
import { between } from "../src/core/paths";
import { writeSelection } from "../src/core/selection";
import { Trail } from "../src/core/trail";
import { transformer } from "./scenes";
import { drawn, sceneFrom } from "./setting";

const scene = sceneFrom(transformer(2));
const contents = groupContents(scene);
const box = (id: string) => scene.boxOfId.get(id) ?? -1;
const query = box("/encoder/layer.0/attention/query/MatMul");
const key = box("/encoder/layer.0/attention/key/MatMul");
const output = scene.boxes.findIndex(({ kind }) => kind === "output");

describe("a trail", () => {
  it("leads back and forth over the places that were visited", () => {
    const trail = new Trail<string>();
    for (const place of ["a", "b", "c"]) trail.go(place);
    expect([trail.back(), trail.back(), trail.back()]).toEqual(["b", "a", undefined]);
    expect([trail.forward(), trail.canGoForward]).toEqual(["b", true]);
  });

  it("forgets what lay ahead when a person goes elsewhere", () => {
    const trail = new Trail<string>();
    for (const place of ["a", "b"]) trail.go(place);
    trail.back();
    trail.go("c");
    expect(trail.canGoForward).toBe(false);
    expect(trail.back()).toBe("a");
  });

  it("remembers how a place looked when it was left", () => {
    const trail = new Trail<string>();
    trail.go("a");
    trail.update("a, moved");
    trail.go("b");
    expect(trail.back()).toBe("a, moved");
  });

  it("stays where a step came to nothing, and leads there again", () => {
    const trail = new Trail<string>();
    for (const place of ["a", "b", "c"]) trail.go(place);
    trail.stay((place) => place === "b");
    expect(trail.forward()).toBe("c");
    trail.back();
    trail.back();
    trail.stay((place) => place === "b");
    expect(trail.back()).toBe("a");
    trail.stay((place) => place === "nowhere");
    expect(trail.forward()).toBe("b");
  });

  it("forgets the oldest places when it grows long", () => {
    const trail = new Trail<number>(3);
    for (let i = 0; i < 10; i++) trail.go(i);
    expect([trail.back(), trail.back(), trail.back()]).toEqual([8, 7, undefined]);
  });
});

describe("between two nodes", () => {
  it("lies what one of them feeds and the other one depends on", () => {
    const found = between(scene, query, output);
    expect(found?.boxes.has(query) && found.boxes.has(output)).toBe(true);
    expect(found?.boxes.has(key)).toBe(false);
    expect(between(scene, output, query)).toEqual(found);
  });

  it("the shortest way goes along edges from the first to the last", () => {
    const way = between(scene, query, output)?.shortest ?? [];
    expect([way[0], way.at(-1)]).toEqual([query, output]);
    for (const [i, to] of way.slice(1).entries())
      expect(scene.edges.some(({ source, target }) => source === way[i] && target === to)).toBe(
        true,
      );
  });

  it("there may be nothing, and the inspector says so", () => {
    expect(between(scene, query, key)).toBeUndefined();
    const { title } = inspect(scene, contents, { kind: "pair", from: query, to: key });
    expect(title).toBe("No path");
  });

  it("all is lit that a path goes through, and the rest steps back", async () => {
    const { picture } = await drawn(scene, new Set(scene.groups.keys()));
    const selection = { kind: "pair", from: query, to: output } as const;
    const { traced, cards } = highlight(scene, picture, selection, [], new Map(), "off");
    expect(cards).toEqual(new Set([`b${query}`, `b${output}`]));
    expect(traced?.cards).toEqual(
      new Set([...(between(scene, query, output)?.boxes ?? [])].map((b) => `b${b}`)),
    );
    expect(writeSelection(scene, selection)).toBe(`node:${scene.boxes[output]?.id}`);
  });
});

it("ancestors and descendants are lit apart", async () => {
  const { picture } = await drawn(scene, new Set(scene.groups.keys()));
  const lit = (tracing: "ancestors" | "descendants" | "both") =>
    highlight(scene, picture, { kind: "box", box: query }, [], new Map(), tracing).traced?.cards;
  const [above, below, both] = [lit("ancestors"), lit("descendants"), lit("both")];
  expect(below?.has(`b${output}`)).toBe(true);
  expect(above?.has(`b${output}`)).toBe(false);
  expect([...(above ?? [])].filter((card) => below?.has(card))).toEqual([`b${query}`]);
  expect(both).toEqual(new Set([...(above ?? []), ...(below ?? [])]));
});

it("ports name the nodes at the other ends of their edges", () => {
  const { sections } = inspect(scene, contents, { kind: "box", box: query });
  const ends = (title: string) =>
    (sections.find((section) => section.title === title)?.lines ?? []).flatMap((line) =>
      line.kind === "port" ? [...line.ends] : [],
    );
  const neighbours = (of: readonly number[], side: "source" | "target") =>
    [...new Set(of.map((edge) => scene.edges[edge]?.[side]))].sort();
  expect(ends("Inputs").sort()).toEqual(neighbours(scene.edgesInto[query] ?? [], "source"));
  expect(ends("Outputs").sort()).toEqual(neighbours(scene.edgesOutOf[query] ?? [], "target"));
});
