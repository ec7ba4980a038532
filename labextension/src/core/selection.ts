/** What is selected, as the `selected` trait spells it: `node:ID`, `value:NAME`, `group:PATH` or nothing. */
import { isConstant } from "./constant_boxes";
import { firstBoxIn, groupsAround } from "./expansion";
import { groupPaths } from "./group_paths";
import type { Scene } from "./scene";

export type Selection =
  | { readonly kind: "none" }
  | { readonly kind: "box"; readonly box: number }
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "group"; readonly group: number }
  /** Two boxes, and all that lies between them. */
  | { readonly kind: "pair"; readonly from: number; readonly to: number }
  /** Three or more, as Python selects them. */
  | { readonly kind: "many"; readonly boxes: readonly number[] };

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
  if (text.startsWith("group:")) {
    const group = groupPaths(scene).indexOf(text.slice(6));
    return group > 0 ? { kind: "group", group } : NOTHING;
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
    case "many":
      return `node:${scene.boxes[selection.boxes.at(-1) ?? -1]?.id ?? ""}`;
    case "value":
      return `value:${selection.value}`;
    case "group":
      return `group:${groupPaths(scene)[selection.group] ?? ""}`;
  }
}

/** The selection of one box; that of a constant is its value. */
export function selectionOfBox(scene: Scene, box: number): Selection {
  const [own] = isConstant(scene, box) ? (scene.boxes[box]?.outputs ?? []) : [];
  return own ? { kind: "value", value: own[1] } : { kind: "box", box };
}

/** The boxes that are selected, by their indices. */
export function boxesOf(selection: Selection): readonly number[] {
  switch (selection.kind) {
    case "box":
      return [selection.box];
    case "pair":
      return [selection.from, selection.to];
    case "many":
      return selection.boxes;
    default:
      return [];
  }
}

/** The ids of the boxes that are selected, as the `selection` trait spells them. */
export function selectedIds(scene: Scene, selection: Selection): string[] {
  return boxesOf(selection).map((box) => scene.boxes[box]?.id ?? "");
}

/** Ids that are not known are passed over. */
export function selectionOf(scene: Scene, ids: readonly string[]): Selection {
  const boxes = ids.flatMap((id) => scene.boxOfId.get(id) ?? []);
  const [from, to, ...more] = boxes;
  if (from === undefined) return NOTHING;
  if (to === undefined) return { kind: "box", box: from };
  return more.length > 0 ? { kind: "many", boxes } : { kind: "pair", from, to };
}

/** The group that is selected, the first body of the node that is, or the innermost group around. */
export function groupOf(scene: Scene, selection: Selection): number | undefined {
  if (selection.kind === "group") return selection.group;
  const box = anchorBox(scene, selection);
  if (box === undefined) return undefined;
  return scene.ownedBy.get(box)?.[0] ?? groupsAround(scene, box).at(-1);
}

/** The innermost group around what is selected. */
export function groupAround(scene: Scene, selection: Selection): number | undefined {
  if (selection.kind === "group") return scene.groups[selection.group]?.parent || undefined;
  const box = anchorBox(scene, selection);
  return box === undefined ? undefined : groupsAround(scene, box).at(-1);
}

/** The box to look at for a selection: the node itself, where the value comes from, the first of a group. */
export function anchorBox(scene: Scene, selection: Selection): number | undefined {
  if (selection.kind === "box") return selection.box;
  if (selection.kind === "pair") return selection.to;
  if (selection.kind === "many") return selection.boxes.at(-1);
  if (selection.kind === "none") return undefined;
  if (selection.kind === "group") return firstBoxIn(scene, selection.group);
  const edge = scene.edgesOfValue.get(selection.value)?.[0];
  return edge === undefined
    ? scene.initializers.get(selection.value)?.boxes[0]
    : scene.edges[edge]?.source;
}
