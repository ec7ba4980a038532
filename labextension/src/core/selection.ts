/** What is selected, as the `selected` trait spells it: `node:ID`, `value:NAME` or nothing. */
import type { Scene } from "./scene";

export type Selection =
  | { readonly kind: "none" }
  | { readonly kind: "box"; readonly box: number }
  | { readonly kind: "value"; readonly value: string }
  /** Two boxes, and all that lies between them. */
  | { readonly kind: "pair"; readonly from: number; readonly to: number };

export const NOTHING: Selection = { kind: "none" };

/** Text that names nothing in the scene selects nothing. */
export function readSelection(scene: Scene, text: string): Selection {
  if (text.startsWith("node:")) {
    const box = scene.boxOfId.get(text.slice(5));
    return box === undefined ? NOTHING : { kind: "box", box };
  }
  if (text.startsWith("value:")) {
    const value = text.slice(6);
    return scene.edgesOfValue.has(value) || scene.initializers.has(value)
      ? { kind: "value", value }
      : NOTHING;
  }
  return NOTHING;
}

export function writeSelection(scene: Scene, selection: Selection): string {
  switch (selection.kind) {
    case "none":
      return "";
    case "box":
      return `node:${scene.boxes[selection.box]?.id ?? ""}`;
    case "pair":
      return `node:${scene.boxes[selection.to]?.id ?? ""}`;
    case "value":
      return `value:${selection.value}`;
  }
}

/** The box to look at for a selection: the node itself, or where the value comes from. */
export function anchorBox(scene: Scene, selection: Selection): number | undefined {
  if (selection.kind === "box") return selection.box;
  if (selection.kind === "pair") return selection.to;
  if (selection.kind === "none") return undefined;
  const edge = scene.edgesOfValue.get(selection.value)?.[0];
  return edge === undefined
    ? scene.initializers.get(selection.value)?.boxes[0]
    : scene.edges[edge]?.source;
}
