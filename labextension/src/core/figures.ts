/** Numbers of nodes that are known before anything runs: parameters, bytes of outputs, arithmetic. */
import type { Figure } from "../protocol/scene";
import { readExpression } from "./expression";
import type { Scene } from "./scene";
import { elementsOf } from "./weights";

export const FIGURES = ["parameters", "output bytes", "macs", "flops"] as const;
export type FigureName = (typeof FIGURES)[number];

/** What an overlay says of itself. */
export const FIGURE_UNITS: Readonly<Record<FigureName, string>> = {
  parameters: "",
  "output bytes": "B",
  macs: "",
  flops: "",
};

/** Made once a scene. */
const FOUND = new WeakMap<Scene, Partial<Record<FigureName, readonly Figure[]>>>();

/** For each box a number, arithmetic, or "" where nothing is known. */
export function figuresOf(scene: Scene, name: FigureName): readonly Figure[] {
  const known = FOUND.get(scene) ?? {};
  FOUND.set(scene, known);
  known[name] ??= figures(scene, name);
  return known[name];
}

function figures(scene: Scene, name: FigureName): readonly Figure[] {
  switch (name) {
    case "parameters":
      return parametersOf(scene);
    case "output bytes":
      return scene.boxes.map(({ bytes }) => bytes);
    case "macs":
      return scene.boxes.map(({ macs }) => macs);
    case "flops":
      return scene.boxes.map(({ flops }) => flops);
  }
}

/** Each weight counts once, where it is read first. */
function parametersOf(scene: Scene): Figure[] {
  const counts: Figure[] = scene.boxes.map(({ kind }) => (kind === "node" ? 0 : ""));
  for (const { type, boxes } of scene.initializers.values()) {
    const [first] = boxes;
    const before = first === undefined ? "" : counts[first];
    if (first !== undefined && typeof before === "number")
      counts[first] = before + elementsOf(type);
  }
  return counts;
}

/** The number that a figure is where the symbols have these sizes. */
export function numberOf(figure: Figure, sizes: ReadonlyMap<string, number>): number | undefined {
  if (typeof figure === "number") return figure;
  const found = figure === "" ? undefined : readExpression(figure)?.at(sizes);
  return found === undefined || Number.isNaN(found) ? undefined : found;
}

/** The symbols that figures speak of, those of most figures first. */
export function symbolsOf(figures: readonly Figure[]): string[] {
  const counts = new Map<string, number>();
  for (const figure of figures)
    if (typeof figure === "string" && figure !== "")
      for (const name of readExpression(figure)?.symbols ?? [])
        counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}
