/** What the inspector says about what is selected; with nothing selected, about the model. */
import { countText, type GroupContent } from "./card";
import { besideSections, inspectGroup } from "./group_inspection";
import { type Inspection, type Line, operatorLines, port, type Section, section } from "./lines";
import { groupTitle } from "./naming";
import { inspectBox, NO_WORDS, PROBLEMS, type Words } from "./node_inspection";
import { NOTHING_OBSERVED, type Observed } from "./observed";
import { oddGroups } from "./odd_groups";
import { between } from "./paths";
import { at, type Box, type Scene } from "./scene";
import type { Selection } from "./selection";
import { bytesText } from "./statistics";
import { inspectValue } from "./value_inspection";
import { type WeightRow, weightsByGroup, weightsByOperator } from "./weights";

export function inspect(
  scene: Scene,
  contents: readonly GroupContent[],
  selection: Selection,
  words: Words = NO_WORDS,
  observed: Observed = NOTHING_OBSERVED,
): Inspection {
  switch (selection.kind) {
    case "none":
      return inspectModel(scene, contents);
    case "box":
      return inspectNode(scene, contents, selection.box, words);
    case "pair":
      return inspectPair(scene, selection);
    case "many":
      return {
        title: `${selection.boxes.length} nodes`,
        subtitle: "selected together",
        category: "",
        sections: section(
          "Selected",
          selection.boxes.map((box): Line => ({ kind: "box", label: "", box })),
        ),
      };
    case "group":
      return inspectGroup(scene, contents, selection.group);
    case "value":
      return inspectValue(scene, selection.value, observed);
  }
}

function inspectNode(
  scene: Scene,
  contents: readonly GroupContent[],
  box: number,
  words: Words,
): Inspection {
  const inspection = inspectBox(scene, box, words);
  const beside = besideSections(scene, contents, box);
  const [problems, rest] = split(inspection.sections);
  return { ...inspection, sections: [...problems, ...beside, ...rest] };
}

/** What is wrong comes first. */
function split(sections: readonly Section[]): [readonly Section[], readonly Section[]] {
  const count = sections[0]?.title === PROBLEMS ? 1 : 0;
  return [sections.slice(0, count), sections.slice(count)];
}

function inspectModel(scene: Scene, contents: readonly GroupContent[]): Inspection {
  const content = contents[0];
  return {
    title: scene.title || "Model",
    subtitle: content ? countText(content) : "",
    category: "",
    sections: [
      ...section(problemTitle(scene), problemLines(scene)),
      ...section(
        "Model",
        scene.model.map(([label, text]) => ({ kind: "fact", label, text })),
      ),
      ...section("Inputs", portsOfKind(scene, "input")),
      ...section("Outputs", portsOfKind(scene, "output")),
      ...section(
        "Short names of dims",
        [...scene.aliases].map(([name, short]) => ({ kind: "fact", label: short, text: name })),
        scene.aliases.size > 8,
      ),
      ...section("Operators", content ? operatorLines(content) : []),
      ...section("Nearly equal groups", oddLines(scene, contents)),
      ...section("Functions", functionLines(scene), scene.functions.length > 8),
      ...section("Weights by operator", weightLines(weightsByOperator(scene))),
      ...section("Weights by group", groupWeights(scene)),
    ],
  };
}

/** Each finding with those that follow from it below. */
function problemLines({ diagnostics }: Scene): Line[] {
  const followers = new Map<number, number[]>();
  const roots: number[] = [];
  diagnostics.forEach((_, i) => {
    let root = i;
    // Causes come before what follows from them; a ring would be a mistake of the kernel's.
    for (
      let cause = at(diagnostics, root)[4];
      cause >= 0 && cause < root;
      cause = at(diagnostics, root)[4]
    )
      root = cause;
    if (root === i) roots.push(i);
    else followers.set(root, [...(followers.get(root) ?? []), i]);
  });
  const line = (i: number): Line => {
    const [severity, code, text, box, , repairs] = at(diagnostics, i);
    const below = (followers.get(i) ?? []).map(line);
    return { kind: "problem", severity, text, code, repairs, followers: below, box };
  };
  return roots.map(line);
}

/** One group that holds everything tells nothing. */
function groupWeights(scene: Scene): Line[] {
  const found = weightsByGroup(scene);
  return found.length > 1 ? weightLines(found) : [];
}

/** Each odd group with what tells it from those beside it. */
function oddLines(scene: Scene, contents: readonly GroupContent[]): Line[] {
  return oddGroups(scene, contents).flatMap(
    ({ group, like, equals, differences, more }): Line[] => {
      const others = equals > 1 ? ` and ${equals - 1} like it` : "";
      const after = `differs from ${groupTitle(scene, like)}${others}:`;
      return [
        { kind: "groups", groups: [group], after },
        ...differences.map(({ text, box }): Line => ({ kind: "box", label: text, box })),
        ...(more > 0 ? [{ kind: "note", text: `and ${more} more differences` } as const] : []),
      ];
    },
  );
}

/** A click searches for the calls. */
function functionLines({ functions }: Scene): Line[] {
  const most = Math.max(1, ...functions.map(([, , , , nodes]) => nodes));
  return functions.flatMap(([name, domain, inputs, outputs, nodes, calls]): Line[] => [
    {
      kind: "operator",
      operator: name,
      query: `op:${name.split(":")[0]}`,
      amount: calls === 1 ? "1 call" : `${calls} calls`,
      hint: `${domain}::${name}`,
      share: nodes / most,
    },
    {
      kind: "note",
      text: `${domain}: ${inputs.join(", ")} → ${outputs.join(", ")} · ${nodes === 1 ? "1 node" : `${nodes} nodes`}`,
    },
  ]);
}

/** Most models have a handful; a long list says no more. */
const MOST_WEIGHTS = 16;

function weightLines(rows: readonly WeightRow[]): Line[] {
  const most = rows[0]?.bytes || 1;
  return rows.slice(0, MOST_WEIGHTS).map(({ label, query, elements, bytes }) => ({
    kind: "operator",
    operator: label,
    query,
    amount: bytesText(bytes),
    hint: `${elements.toLocaleString("en")} elements`,
    share: bytes / most,
  }));
}

function problemTitle(scene: Scene): string {
  const errors = scene.diagnostics.filter(([severity]) => severity === "error").length;
  const warnings = scene.diagnostics.length - errors;
  const parts: string[] = [];
  if (errors > 0) parts.push(errors === 1 ? "1 error" : `${errors} errors`);
  if (warnings > 0) parts.push(warnings === 1 ? "1 warning" : `${warnings} warnings`);
  return parts.join(", ");
}

/** The model's own inputs or outputs: those of the root, not those of a body. */
function portsOfKind(scene: Scene, kind: "input" | "output"): Line[] {
  return scene.boxes.flatMap((box): Line[] => {
    if (box.kind !== kind || insideBody(scene, box)) return [];
    const [row] = kind === "input" ? box.outputs : box.inputs;
    const value = row?.[1] ?? box.name;
    return [port(scene, "", value, row?.[2] ?? "")];
  });
}

function insideBody(scene: Scene, box: Box): boolean {
  for (let g = box.group; g > 0; g = at(scene.groups, g).parent)
    if (at(scene.groups, g).owner >= 0) return true;
  return false;
}

/** The way from one node to another. */
function inspectPair(
  scene: Scene,
  { from, to }: { readonly from: number; readonly to: number },
): Inspection {
  const found = between(scene, from, to);
  const boxes = (some: readonly number[]) =>
    some.map((box): Line => ({ kind: "box", label: "", box }));
  if (!found)
    return {
      title: "No path",
      subtitle: "None leads from one of the two to the other.",
      category: "",
      sections: section("Selected", boxes([from, to])),
    };
  const inner = found.boxes.size - 2;
  return {
    title: "Path",
    subtitle: inner === 1 ? "1 node lies between the two" : `${inner} nodes lie between the two`,
    category: "",
    sections: section(`Shortest way: ${found.shortest.length - 1} edges`, boxes(found.shortest)),
  };
}
