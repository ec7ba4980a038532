/** What the inspector says about a value. */
import { type Inspection, type Line, section } from "./lines";
import { at, type Scene } from "./scene";

export function inspectValue(scene: Scene, value: string): Inspection {
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
              ? { kind: "problem", severity: "error", text, code: "", box: -1 }
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
