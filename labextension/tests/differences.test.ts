import { expect, it } from "vitest";
import { groupContents } from "../src/core/card";
import { inspect } from "../src/core/inspection";
import { oddGroups } from "../src/core/odd_groups";
import { NOTHING } from "../src/core/selection";
import type { AttributeRow } from "../src/protocol/scene";
import { SceneBuilder } from "./scenes";
import { sceneFrom } from "./setting";

/** Four layers of a Conv and an activation each; the third is another in three ways. */
function layers() {
  const builder = new SceneBuilder("net");
  builder.input("x", "float32[1, 8]");
  let from = "x";
  for (let i = 0; i < 4; i++) {
    const group = builder.group(`layer.${i}`);
    const odd = i === 2;
    const attributes: AttributeRow[] = [["kernel_shape", odd ? "[1, 1]" : "[3, 3]", 0]];
    const type = "float32[1, 8]";
    builder.node("Conv", `conv${i}`, [from], [[`c${i}`, type]], { group, attributes });
    builder.node(odd ? "Gelu" : "Relu", `act${i}`, [`c${i}`], [[`a${i}`, type]], { group });
    from = `a${i}`;
  }
  builder.output(from);
  return sceneFrom(builder);
}

it("tells what the odd one of nearly equal groups is made of", () => {
  const scene = layers();
  const contents = groupContents(scene);
  const [odd, ...more] = oddGroups(scene, contents);
  expect(more).toEqual([]);
  expect([odd?.group, odd?.like, odd?.equals]).toEqual([3, 1, 3]);
  expect(odd?.differences.map(({ text }) => text)).toEqual([
    "kernel_shape [3, 3] → [1, 1]",
    "Relu → Gelu",
  ]);
  const { sections } = inspect(scene, contents, NOTHING);
  const found = sections.find(({ title }) => title === "Nearly equal groups");
  expect(found?.lines[0]).toEqual({
    kind: "groups",
    groups: [3],
    after: "differs from layer.0 and 2 like it:",
  });
});

it("tells of an operator more", () => {
  const builder = new SceneBuilder("net");
  builder.input("x", "float32[1]");
  let from = "x";
  for (let i = 0; i < 3; i++) {
    const group = builder.group(`layer.${i}`);
    for (let j = 0; j < (i === 2 ? 3 : 2); j++) {
      builder.node("Relu", `relu${i}${j}`, [from], [[`y${i}${j}`, "float32[1]"]], { group });
      from = `y${i}${j}`;
    }
  }
  const scene = sceneFrom(builder);
  const [odd] = oddGroups(scene, groupContents(scene));
  expect([odd?.group, odd?.equals]).toEqual([3, 2]);
  expect(odd?.differences.map(({ text }) => text)).toEqual(["Relu is added"]);
});

it("says nothing where no two groups are equal, and of groups that are others altogether", () => {
  const builder = new SceneBuilder("net");
  builder.input("x", "float32[1]");
  const ops = [["Relu"], ["Relu"], ["Conv", "Gelu", "MatMul", "Softmax", "Add"]];
  const add = (name: string, kinds: readonly string[]) => {
    const group = builder.group(name);
    kinds.forEach((op, i) => {
      builder.node(op, `${name}${i}`, ["x"], [[`${name}${i}y`, "float32[1]"]], { group });
    });
  };
  for (const [i, kinds] of ops.entries()) add(`layer.${i}`, kinds);
  for (const [i, op] of ["Exp", "Log"].entries()) add(`other.${i}`, [op]);
  const scene = sceneFrom(builder);
  expect(oddGroups(scene, groupContents(scene))).toEqual([]);
});
