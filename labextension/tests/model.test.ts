import { describe, expect, it } from "vitest";
import { groupContents } from "../src/core/card";
import { inspect } from "../src/core/inspection";
import type { Line } from "../src/core/lines";
import { search } from "../src/core/search";
import { weightsByGroup, weightsByOperator } from "../src/core/weights";
import type { DiagnosticRow } from "../src/protocol/scene";
import { smallCnn } from "./scenes";
import { sceneFrom } from "./setting";

const scene = sceneFrom(smallCnn());
const contents = groupContents(scene);

describe("the weights of a model", () => {
  it("are counted for each operator that reads them, the heaviest first", () => {
    // 16 x 1 x 3 x 3 + 16 and 32 x 16 x 3 x 3 + 32 for the convolutions, 10 x 32 for the product.
    const counted = weightsByOperator(scene).map(({ label, elements }) => [label, elements]);
    expect(counted).toEqual([
      ["Conv", 160 + 4640],
      ["Gemm", 320],
    ]);
  });

  it("are counted for each group, and a click finds what lies in it", () => {
    const rows = weightsByGroup(scene);
    expect(rows.map(({ label }) => label).sort()).toEqual(["features", "head"]);
    const [heaviest] = rows;
    const found = search(scene, heaviest?.query ?? "");
    expect(found.length).toBeGreaterThan(0);
    for (const { path } of found) expect(path).toContain("features");
  });

  it("add up to all bytes, however they are split", () => {
    const total = [...scene.initializers.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const rows of [weightsByOperator(scene), weightsByGroup(scene)])
      expect(rows.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(total);
  });
});

describe("findings", () => {
  const row = (text: string, cause: number, repairs: string[] = []): DiagnosticRow => [
    "error",
    "some-code",
    text,
    0,
    cause,
    repairs,
  ];
  const diagnostics = [row("first", -1, ["do this"]), row("second", 0), row("third", 1)];
  const problems = (
    inspect({ ...scene, diagnostics }, contents, { kind: "none" }).sections[0]?.lines ?? []
  ).flatMap((line) => (line.kind === "problem" ? [line] : []));
  const texts = (lines: readonly Line[]) =>
    lines.map((line) => (line.kind === "problem" ? line.text : ""));

  it("stand below the one that they follow from in the end", () => {
    expect(texts(problems)).toEqual(["first"]);
    expect(texts(problems[0]?.followers ?? [])).toEqual(["second", "third"]);
  });

  it("bring their repairs, and their code where it can be looked up", () => {
    expect(problems[0]).toMatchObject({ repairs: ["do this"], code: "some-code" });
    expect(problems[0]?.text).not.toContain("some-code");
  });
});
