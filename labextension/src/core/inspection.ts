/** What the inspector says, as data. */
import type { Mark, Severity } from "../protocol/scene";
import { countText, type GroupContent, titleOf } from "./card";
import { at, type Box, type Scene } from "./scene";
import type { Selection } from "./selection";

export type Line =
  | { readonly kind: "fact"; readonly label: string; readonly text: string }
  | {
      readonly kind: "attribute";
      readonly name: string;
      readonly text: string;
      readonly isDefault: boolean;
    }
  | {
      readonly kind: "port";
      readonly port: string;
      readonly value: string;
      readonly type: string;
      readonly mark: Mark;
      /** The kernel is asked for its numbers. */
      readonly initializer: boolean;
    }
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "operator";
      readonly operator: string;
      readonly count: number;
      /** Of the most frequent one, from 0 to 1. */
      readonly share: number;
    }
  | {
      readonly kind: "problem";
      readonly severity: Severity;
      readonly text: string;
      /** The box it is about, -1 for the model as a whole or the box already shown. */
      readonly box: number;
    }
  | { readonly kind: "box"; readonly label: string; readonly box: number }
  | { readonly kind: "dims"; readonly value: string; readonly dims: readonly string[] }
  /** What a step computed; `hint` stands there before the first one. */
  | { readonly kind: "computed"; readonly value: string; readonly hint: string }
  | { readonly kind: "summary"; readonly initializer: string };

export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Shown closed at first. */
  readonly closed?: boolean;
}

export interface Inspection {
  readonly title: string;
  readonly subtitle: string;
  readonly category: string;
  readonly sections: readonly Section[];
}

export function inspect(
  scene: Scene,
  contents: readonly GroupContent[],
  selection: Selection,
): Inspection {
  switch (selection.kind) {
    case "none":
      return inspectModel(scene, contents);
    case "box":
      return inspectBox(scene, selection.box);
    case "value":
      return inspectValue(scene, selection.value);
  }
}

function section(title: string, lines: readonly Line[], closed = false): Section[] {
  return lines.length === 0 ? [] : [{ title, lines, closed }];
}

function inspectModel(scene: Scene, contents: readonly GroupContent[]): Inspection {
  const content = contents[0];
  const problems = scene.diagnostics.map(
    ([severity, code, message, box]): Line => ({
      kind: "problem",
      severity,
      text: code ? `${message} [${code}]` : message,
      box,
    }),
  );
  return {
    title: scene.title || "Model",
    subtitle: content ? countText(content) : "",
    category: "",
    sections: [
      ...section(problemTitle(scene), problems),
      ...section(
        "Model",
        scene.model.map(([label, text]) => ({ kind: "fact", label, text })),
      ),
      ...section("Inputs", portsOfKind(scene, "input")),
      ...section("Outputs", portsOfKind(scene, "output")),
      ...section("Operators", content ? operatorLines(content) : []),
    ],
  };
}

function operatorLines({ operators }: GroupContent): Line[] {
  const most = operators[0]?.[1] ?? 1;
  return operators.map(([operator, count]) => ({
    kind: "operator",
    operator,
    count,
    share: count / most,
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

function port(scene: Scene, name: string, value: string, type: string): Line {
  const edge = scene.edgesOfValue.get(value)?.[0];
  return {
    kind: "port",
    port: name,
    value,
    type: type || scene.initializers.get(value)?.type || "",
    mark: edge === undefined ? "known" : at(scene.edges, edge).mark,
    initializer: scene.initializers.has(value),
  };
}

function inspectBox(scene: Scene, index: number): Inspection {
  const box = at(scene.boxes, index);
  const isNode = box.kind === "node" || box.kind === "constant";
  const facts: Line[] = [];
  if (isNode && box.domain) facts.push({ kind: "fact", label: "domain", text: box.domain });
  if (isNode && box.version > 0)
    facts.push({ kind: "fact", label: "since version", text: String(box.version) });
  if (box.name) facts.push({ kind: "fact", label: "name", text: box.name });
  return {
    title: isNode ? titleOf(box) : box.name || box.id,
    subtitle: isNode ? box.detail : box.kind,
    category: box.category,
    sections: [
      ...section(
        "Problems",
        box.problems.map(([severity, text]) => ({ kind: "problem", severity, text, box: -1 })),
      ),
      ...section("Node", facts),
      ...section(
        "Attributes",
        box.attributes.map(([name, text, isDefault]) => ({
          kind: "attribute",
          name,
          text,
          isDefault: isDefault === 1,
        })),
      ),
      ...section(
        "Inputs",
        box.inputs.map(([name, value, type]) => port(scene, name, value, type)),
      ),
      ...section(
        "Outputs",
        box.outputs.flatMap(([name, value, type]): Line[] => [
          port(scene, name, value, type),
          { kind: "computed", value, hint: "" },
        ]),
      ),
      ...section("What it does", box.doc ? [{ kind: "text", text: box.doc }] : []),
      ...section(
        "Metadata",
        box.metadata.map(([label, text]) => ({ kind: "fact", label, text })),
        true,
      ),
    ],
  };
}

function inspectValue(scene: Scene, value: string): Inspection {
  const edges = (scene.edgesOfValue.get(value) ?? []).map((i) => at(scene.edges, i));
  const [first] = edges;
  const initializer = scene.initializers.get(value);
  const type = first?.label ?? initializer?.type ?? "";
  const worst =
    edges.find(({ mark }) => mark === "mismatch") ?? edges.find(({ mark }) => mark === "unknown");
  const notes = [...new Set(edges.map(({ note }) => note).filter(Boolean))];
  const producer: Line[] = first ? [{ kind: "box", label: "from", box: first.source }] : [];
  const consumers =
    edges.length > 0 ? edges.map(({ target }) => target) : (initializer?.boxes ?? []);
  return {
    title: value,
    subtitle: type,
    category: "",
    sections: [
      ...section(worst?.mark === "mismatch" ? "Mismatch" : worst ? "Not known" : "Note", [
        ...notes.map(
          (text): Line =>
            worst?.mark === "mismatch"
              ? { kind: "problem", severity: "error", text, box: -1 }
              : { kind: "text", text },
        ),
      ]),
      ...section(
        "Computed",
        initializer
          ? [{ kind: "summary", initializer: value }]
          : [{ kind: "computed", value, hint: "Step through the model to see its numbers." }],
      ),
      ...section(
        "Where its dims come from",
        first ? [{ kind: "dims", value, dims: dimsOf(type) }] : [],
      ),
      ...section("Flows", [
        ...producer,
        ...[...new Set(consumers)].map((box): Line => ({ kind: "box", label: "to", box })),
      ]),
    ],
  };
}

/** The dims of a tensor type as it is printed, split where no bracket is open. */
export function dimsOf(type: string): string[] {
  const start = type.indexOf("[");
  const end = type.lastIndexOf("]");
  if (start < 0 || end < start) return [];
  const inner = type.slice(start + 1, end);
  if (inner.trim() === "" || inner.trim() === "...") return [];
  const dims: string[] = [];
  let depth = 0;
  let from = 0;
  [...inner].forEach((letter, i) => {
    if (letter === "(" || letter === "[") depth++;
    else if (letter === ")" || letter === "]") depth--;
    else if (letter === "," && depth === 0) {
      dims.push(inner.slice(from, i).trim());
      from = i + 1;
    }
  });
  dims.push(inner.slice(from).trim());
  return dims;
}
