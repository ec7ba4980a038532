import { describe, expect, it } from "vitest";
import { groupContents } from "../src/core/card";
import { readInteriors, withInteriors } from "../src/core/interiors";
import { adjacency, at, owners, type Scene } from "../src/core/scene";
import { SceneBuilder } from "./scenes";
import { sceneFrom } from "./setting";

/** Two losses in a group, behind each other. */
function losses() {
  const builder = new SceneBuilder("net");
  builder.input("x", "float32[4]");
  const group = builder.group("losses");
  builder.node("Loss", "first", ["x"], [["first", "float32[4]"]], { group });
  builder.node("Loss", "second", ["first"], [["second", "float32[4]"]], { group });
  builder.output("second");
  const scene = sceneFrom(builder);
  return { scene, contents: groupContents(scene) };
}

/** A function with a loop in it, whose body takes two away. */
function lineOf(owner: string): string {
  const path = `${owner}/body/`;
  const builder = new SceneBuilder(path);
  builder.columns.groups.kind[0] = "operator";
  builder.columns.groups.label[0] = "body";
  builder.input(`${path}X`, "float32[4]");
  const loop = builder.node("Loop", `${path}loop`, [`${path}X`], [[`${path}y`, "float32[4]"]]);
  const inner = builder.group("body", 0, "subgraph", loop);
  const two = `${path}loop/body/two`;
  builder.node("Sub", `${path}loop/body/sub`, [`${path}X`], [[`${path}s`, "float32[4]"]], {
    group: inner,
    weights: [["B", two, "float32[]"]],
  });
  builder.output(`${path}y`);
  return JSON.stringify([owner, JSON.parse(builder.json())]);
}

const bytes = (...lines: string[]) =>
  new DataView(new TextEncoder().encode(lines.join("\n")).buffer);

function idsIn(scene: Scene, group: number): string[] {
  return scene.boxes.filter((box) => box.group === group).map(({ id }) => id);
}

describe("functions inside operators", () => {
  it("stand behind all else, and everything that is counted of a scene is true of them", async () => {
    const before = losses();
    const interiors = await readInteriors(bytes(lineOf("second"), lineOf("first")), []);
    const { scene, contents } = withInteriors(before, interiors);
    expect(scene.boxes.slice(0, before.scene.boxes.length)).toEqual(before.scene.boxes);
    expect(scene).toMatchObject(adjacency(scene.boxes.length, scene.edges));
    expect(scene.ownedBy).toEqual(owners(scene.groups));
    expect([...scene.boxOfId]).toEqual(scene.boxes.map(({ id }, i) => [id, i]));
    expect(contents).toEqual(groupContents(scene));
  });

  it("are in their nodes, with groups and constants of their own", async () => {
    const [interior] = await readInteriors(bytes(lineOf("second")), []);
    const { scene } = withInteriors(losses(), interior ? [interior] : []);
    const owner = scene.boxOfId.get("second") ?? -1;
    const [body = -1] = scene.ownedBy.get(owner) ?? [];
    expect(at(scene.groups, body)).toMatchObject({ kind: "operator", parent: 1, owner });
    expect(idsIn(scene, body)).toContain("second/body/loop");
    const [inner = -1] = scene.ownedBy.get(scene.boxOfId.get("second/body/loop") ?? -1) ?? [];
    expect(at(scene.groups, inner).parent).toBe(body);
    expect(idsIn(scene, inner)).toEqual(["second/body/loop/body/sub"]);
    const constant = scene.initializers.get("second/body/loop/body/two");
    expect(constant?.boxes.map((box) => at(scene.boxes, box).op)).toEqual(["Sub"]);
    expect(scene.edgesOfValue.get("second/body/X")?.length).toBe(2);
  });

  it("may be in each other, and are left out where their node is not there", async () => {
    const lines = [lineOf("gone"), lineOf("first"), lineOf("first/body/loop")];
    const { scene } = withInteriors(losses(), await readInteriors(bytes(...lines), []));
    expect(scene.boxOfId.has("gone/body/loop")).toBe(false);
    expect(scene.boxOfId.has("first/body/loop/body/loop")).toBe(true);
  });

  it("are read once: what comes again is what is known", async () => {
    const known = await readInteriors(bytes(lineOf("first")), []);
    const more = await readInteriors(bytes(lineOf("first"), lineOf("second")), known);
    expect(more[0]).toBe(known[0]);
    expect(more.map(({ owner }) => owner)).toEqual(["first", "second"]);
    expect(await readInteriors(undefined, more)).toEqual([]);
  });
});
