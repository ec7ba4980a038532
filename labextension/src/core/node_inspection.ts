/** What the inspector says about a node, or about an input or output of the graph. */
import type { Manual, ManualPort } from "../protocol/messages";
import type { PortRow } from "../protocol/scene";
import { titleOf } from "./card";
import { FIGURES, type FigureName, figuresOf } from "./figures";
import { type Inspection, type Line, port, section } from "./lines";
import { type Block, prose } from "./prose";
import { at, type Box, type Scene } from "./scene";

/** What is known of the words of a node's operator: the kernel sends them when they are asked for. */
export type Words =
  | { readonly kind: "none" }
  | { readonly kind: "asked" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "known"; readonly manual: Manual };

export const PROBLEMS = "Problems";

export const NO_WORDS: Words = { kind: "none" };

/** Whether the standard's pages say something about a box. */
export function hasManual({ kind, version }: Box): boolean {
  return (kind === "node" || kind === "constant") && version > 0;
}

export function inspectBox(scene: Scene, index: number, words: Words): Inspection {
  const box = at(scene.boxes, index);
  const manual = words.kind === "known" ? words.manual : undefined;
  const isNode = box.kind === "node" || box.kind === "constant";
  return {
    title: isNode ? titleOf(box) : box.name || box.id,
    subtitle: isNode ? subtitle(box) : box.kind,
    category: box.category,
    traceable: true,
    sections: [
      ...section(
        PROBLEMS,
        box.problems.map(([severity, text, code, repairs]) => ({
          kind: "problem",
          severity,
          text,
          code,
          repairs,
          followers: [],
          box: -1,
        })),
      ),
      ...section("What it does", [
        ...doing(words),
        ...(manual?.function ? [{ kind: "inside", box: index } as const] : []),
      ]),
      ...section("Attributes", attributeLines(box, manual)),
      ...section("Inputs", portLines(scene, box.inputs, manual?.inputs ?? [], "from")),
      ...section("Outputs", outputLines(scene, box, manual)),
      ...section("Figures", figureLines(scene, index)),
      ...exampleSections(box, manual),
      ...section("Versions", manual ? versionLines(manual) : []),
      ...section("Description", box.doc ? [{ kind: "text", text: box.doc }] : []),
      ...section(
        "Metadata",
        box.metadata.map(([label, text]) => ({ kind: "fact", label, text })),
        true,
      ),
    ],
  };
}

/** The name, and below it what tells the node apart. */
function subtitle(box: Box): string {
  const { version, domain, detail } = box;
  const from = version > 0 ? `${domain} version ${version}`.trim() : domain;
  const name = box.name === titleOf(box) ? "" : box.name;
  return [name, [detail, from].filter(Boolean).join(" · ")].filter(Boolean).join("\n");
}

/** The first paragraphs up to this length stand there at once. */
const AT_ONCE = 240;

function doing(words: Words): Line[] {
  switch (words.kind) {
    case "none":
      return [];
    case "asked":
      return [{ kind: "note", text: "asking the kernel…" }];
    case "failed":
      return [{ kind: "note", text: words.message }];
    case "known": {
      const blocks = prose(words.manual.doc);
      let count = 1;
      while (count < blocks.length && lengthOf(blocks.slice(0, count + 1)) <= AT_ONCE) count++;
      const line: Line = {
        kind: "prose",
        blocks: blocks.slice(0, count),
        more: blocks.slice(count),
      };
      if (!words.manual.deprecated) return [line];
      return [{ kind: "note", text: "Deprecated: later opsets do not have it." }, line];
    }
  }
}

function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => {
    if (block.kind === "literal") return sum + block.text.length;
    const texts = block.kind === "list" ? block.items.flat() : block.spans;
    return sum + texts.reduce((inner, { text }) => inner + text.length, 0);
  }, 0);
}

/** What the file sets, then defaults, then what nothing sets. */
function attributeLines(box: Box, manual: Manual | undefined): Line[] {
  const about = new Map(manual?.attributes.map((attribute) => [attribute.name, attribute]));
  const shown = box.attributes.map(([name, text, isDefault]): Line => {
    const doc = about.get(name)?.doc ?? "";
    about.delete(name);
    return { kind: "attribute", name, text, origin: isDefault === 1 ? "default" : "given", doc };
  });
  const left = [...about.values()].map(
    ({ name, required, doc }): Line => ({
      kind: "attribute",
      name,
      text: "",
      origin: required ? "missing" : "unset",
      doc,
    }),
  );
  return [...shown, ...left];
}

/** The node's own ports with the words of the operator's, then those that it leaves out. */
function portLines(
  scene: Scene,
  rows: readonly PortRow[],
  ports: readonly ManualPort[],
  side: "from" | "to",
): Line[] {
  const about = new Map(ports.map((each) => [each.name, each]));
  const left = new Set(about.keys());
  const shown = rows.map(([name, value, type]) => {
    const found = about.get(name) ?? about.get(name.replace(/\[\d+\]$/, ""));
    // A variadic port says its words once.
    const doc = found && left.delete(found.name) ? found.doc : "";
    const edges = (scene.edgesOfValue.get(value) ?? []).map((i) => at(scene.edges, i));
    const constant = scene.initializers.has(value);
    const words = { doc, takes: found ? takesText(found) : "" };
    const ends = edges.map((edge) => (side === "from" ? edge.source : edge.target));
    return port(scene, name, value, type, words, constant ? [] : [...new Set(ends)], side);
  });
  const absent = ports
    .filter(({ name }) => left.has(name))
    .map((each) => port(scene, each.name, "", "", { doc: each.doc, takes: takesText(each) }));
  return [...shown, ...absent];
}

function outputLines(scene: Scene, box: Box, manual: Manual | undefined): Line[] {
  const lines = portLines(scene, box.outputs, manual?.outputs ?? [], "to");
  return lines.flatMap((line): Line[] =>
    line.kind === "port" && line.value !== ""
      ? [line, { kind: "computed", value: line.value, hint: "" }]
      : [line],
  );
}

const FIGURE_LABELS: Readonly<Record<FigureName, string>> = {
  parameters: "Parameters",
  "output bytes": "Output bytes",
  macs: "Multiply-adds",
  flops: "Operations",
};

/** What is known before anything runs; what is open is said as arithmetic. */
function figureLines(scene: Scene, index: number): Line[] {
  if (at(scene.boxes, index).op === "") return [];
  return FIGURES.flatMap((name): Line[] => {
    const figure = at(figuresOf(scene, name), index);
    if (figure === "" || figure === 0) return [];
    const text = typeof figure === "number" ? figure.toLocaleString("en") : figure;
    return [{ kind: "fact", label: FIGURE_LABELS[name], text }];
  });
}

function takesText({ types, option }: ManualPort): string {
  const what = types.length > 0 ? `takes ${types.join(", ")}` : "";
  return option === "single" ? what : [option, what].filter(Boolean).join(", ");
}

function exampleSections(box: Box, manual: Manual | undefined) {
  if (!manual) return [];
  const newest = manual.versions.at(-1)?.since ?? box.version;
  const lines = manual.examples.map((example): Line => ({ kind: "example", example }));
  const many = lines.length > 1 ? "Examples" : "Example";
  return section(newest === box.version ? many : `${many} of version ${newest}`, lines);
}

function versionLines({ versions, version }: Manual): Line[] {
  return versions.map(({ since, until, reason }): Line => {
    const opsets =
      until === null ? `${since} –` : until === since ? `${since}` : `${since} – ${until}`;
    const place = since === version ? "here" : since < version ? "before" : "after";
    return { kind: "version", opsets, reason, place };
  });
}
