/** What the inspector says about a value. */
import { type Inspection, type Line, section } from "./lines";
import type { Observed } from "./observed";
import { at, type Edge, type Initializer, type Scene } from "./scene";

export function inspectValue(scene: Scene, value: string, observed: Observed): Inspection {
  const edges = (scene.edgesOfValue.get(value) ?? []).map((i) => at(scene.edges, i));
  const initializer = scene.initializers.get(value);
  // The box of a constant makes nothing.
  const first = initializer ? undefined : edges[0];
  const type = first?.label ?? initializer?.type ?? "";
  const consumers =
    edges.length > 0 ? edges.map(({ target }) => target) : (initializer?.boxes ?? []);
  return {
    title: value,
    subtitle: initializer ? "initializer" : "value",
    category: "",
    sections: [
      ...troubles(edges, initializer),
      ...section("Type", typeLines(type, first, initializer, observed.get(value))),
      ...section("Made by", first ? [{ kind: "box", label: "", box: first.source }] : []),
      ...section(
        "Used by",
        [...new Set(consumers)].map((box): Line => ({ kind: "box", label: "", box })),
      ),
      ...section("Numbers", [
        {
          kind: "statistics",
          value,
          hint: initializer ? "" : "Step through the model to see its numbers.",
        },
      ]),
      ...section(
        "Where its dims come from",
        first ? [{ kind: "dims", value, dims: dimsOf(type) }] : [],
      ),
    ],
  };
}

/** Why the type does not fit, or is not known. */
function troubles(edges: readonly Edge[], initializer: Initializer | undefined) {
  const worst =
    edges.find(({ mark }) => mark === "mismatch") ?? edges.find(({ mark }) => mark === "unknown");
  const all = [...edges.map(({ note }) => note), ...(initializer?.notes ?? [])];
  const notes = [...new Set(all.filter(Boolean))];
  const mismatch = worst?.mark === "mismatch" || initializer !== undefined;
  return section(
    mismatch ? "Mismatch" : worst ? "Not known" : "Note",
    notes.map(
      (text): Line =>
        mismatch
          ? {
              kind: "problem",
              severity: "error",
              text,
              code: "",
              repairs: [],
              followers: [],
              box: -1,
            }
          : { kind: "text", text },
    ),
  );
}

/** What the file says, what inference found and what a run has shown, kept apart. */
function typeLines(
  type: string,
  edge: Edge | undefined,
  initializer: Initializer | undefined,
  observed: string | undefined,
): Line[] {
  const said = edge?.fromFile || initializer ? type : (edge?.declared ?? "");
  const inferred = edge?.fromFile || initializer ? "" : type;
  const rows: [string, string][] = [
    [initializer ? "in the file" : "declared", said],
    ["inferred", inferred],
    ["observed", observed ?? ""],
  ];
  return rows.flatMap(([label, text]) => (text === "" ? [] : [{ kind: "type", label, text }]));
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
