import { describe, expect, it } from "vitest";
import { groupContents } from "../src/core/card";
import { inspect } from "../src/core/inspection";
import type { Line } from "../src/core/lines";
import type { Words } from "../src/core/node_inspection";
import { prose } from "../src/core/prose";
import type { Manual } from "../src/protocol/messages";
import { smallCnn } from "./scenes";
import { sceneFrom } from "./setting";

describe("the text of an operator's page", () => {
  it("joins wrapped lines and keeps paragraphs apart", () => {
    expect(prose("one\ntwo\n\nthree")).toEqual([
      { kind: "paragraph", spans: [{ text: "one two", code: false }] },
      { kind: "paragraph", spans: [{ text: "three", code: false }] },
    ]);
  });

  it("sets what stands between backticks as code", () => {
    expect(prose("x is `a + b`.")).toEqual([
      {
        kind: "paragraph",
        spans: [
          { text: "x is ", code: false },
          { text: "a + b", code: true },
          { text: ".", code: false },
        ],
      },
    ]);
  });

  it("finds lists right behind a sentence, with items over several lines", () => {
    const [sentence, list] = prose("Modes:\n- first\n  goes on\n- second");
    expect(sentence?.kind).toBe("paragraph");
    expect(list).toEqual({
      kind: "list",
      items: [[{ text: "first goes on", code: false }], [{ text: "second", code: false }]],
    });
  });

  it("leaves indented lines and tables as they stand", () => {
    expect(prose("For each:\n\n    a = b\n      + c\n\n| x | y |\n|---|---|")).toEqual([
      { kind: "paragraph", spans: [{ text: "For each:", code: false }] },
      { kind: "literal", text: "a = b\n  + c" },
      { kind: "literal", text: "| x | y |\n|---|---|" },
    ]);
  });

  it("takes a negative number at the beginning of a line for no list", () => {
    expect(prose("between\n-1 and 1")).toHaveLength(1);
  });
});

const scene = sceneFrom(smallCnn());
const contents = groupContents(scene);
const pool = scene.boxes.findIndex(({ op }) => op === "Conv");

const manual: Manual = {
  operator: "Conv",
  domain: "",
  version: 11,
  deprecated: false,
  doc: "Filters slide.\n\nThe formula.",
  inputs: [
    { name: "A", types: ["float32", "float16"], option: "single", doc: "images" },
    { name: "W", types: ["float32"], option: "single", doc: "filters" },
    { name: "Z", types: ["float32"], option: "optional", doc: "what is left out" },
  ],
  outputs: [{ name: "Y", types: ["float32"], option: "single", doc: "result" }],
  attributes: [
    { name: "group", type: "int", default: "1", required: false, doc: "blocks" },
    { name: "axis", type: "int", default: "", required: true, doc: "where" },
    { name: "limit", type: "int", default: "", required: false, doc: "how far" },
  ],
  examples: [{ inputs: [], attributes: [], outputs: [] }],
  versions: [
    { since: 1, until: 10, reason: "first version" },
    { since: 11, until: 11, reason: "more" },
    { since: 12, until: null, reason: "still more" },
  ],
};

function sections(words: Words): Map<string, readonly Line[]> {
  const { sections } = inspect(scene, contents, { kind: "box", box: pool }, words);
  return new Map(sections.map(({ title, lines }) => [title, lines]));
}

describe("the words in the inspector", () => {
  const known = sections({ kind: "known", manual });

  it("stand beside the ports of the node, and those left out are named", () => {
    const ports = (known.get("Inputs") ?? []).filter((line) => line.kind === "port");
    expect(ports.map(({ port, doc }) => [port, doc]).slice(0, 2)).toEqual([
      ["A", "images"],
      ["W", "filters"],
    ]);
    const left = ports.find(({ port }) => port === "Z");
    expect(left).toMatchObject({ value: "", doc: "what is left out" });
    expect(left?.takes).toBe("optional, takes float32");
  });

  it("tell attributes that are missing from those that may be", () => {
    const origins = (known.get("Attributes") ?? []).flatMap((line) =>
      line.kind === "attribute" ? [[line.name, line.origin]] : [],
    );
    expect(origins).toContainEqual(["axis", "missing"]);
    expect(origins).toContainEqual(["limit", "unset"]);
  });

  it("say in which opsets each version holds and which one the node has", () => {
    expect(known.get("Versions")).toEqual([
      { kind: "version", opsets: "1 – 10", reason: "first version", place: "before" },
      { kind: "version", opsets: "11", reason: "more", place: "here" },
      { kind: "version", opsets: "12 –", reason: "still more", place: "after" },
    ]);
  });

  it("name the version of the examples where it is not the node's", () => {
    const { version } = scene.boxes[pool] ?? {};
    expect(version).not.toBe(12);
    expect([...known.keys()]).toContain("Example of version 12");
  });

  it("show the first paragraph, and the rest on request only where there is much", () => {
    const long = { ...manual, doc: `Filters slide.\n\n${"more ".repeat(100)}` };
    const [line] = sections({ kind: "known", manual: long }).get("What it does") ?? [];
    expect(line).toMatchObject({ kind: "prose", blocks: [{ kind: "paragraph" }] });
    expect(line?.kind === "prose" && line.more).toHaveLength(1);
    const [short] = known.get("What it does") ?? [];
    expect(short?.kind === "prose" && short.more).toEqual([]);
  });

  it("wait for the kernel, and say what it refused", () => {
    expect(sections({ kind: "asked" }).get("What it does")).toMatchObject([{ kind: "note" }]);
    expect(sections({ kind: "failed", message: "gone" }).get("What it does")).toEqual([
      { kind: "note", text: "gone" },
    ]);
    expect(sections({ kind: "none" }).has("What it does")).toBe(false);
  });
});
