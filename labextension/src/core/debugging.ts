/** What a person debugs with: breakpoints, the graphs on their way, and a node that failed. */
import type {
  BreakpointState,
  FrameState,
  Manual,
  StepState,
  ValueSummary,
} from "../protocol/messages";
import { type AttributeField, attributeFields } from "./attribute_fields";
import { at, type Box, type Scene } from "./scene";
import type { Selection } from "./selection";

export const WHENS = ["always", "nan", "inf"] as const;

export const WHEN_NAMES: Readonly<Record<string, string>> = {
  always: "always",
  nan: "NaN",
  inf: "inf",
};

/** Where a breakpoint stops, in words. */
export function breakpointText(scene: Scene, { node, when, place }: BreakpointState): string {
  const index = scene.boxOfId.get(node);
  const box = index === undefined ? undefined : at(scene.boxes, index);
  const named = box ? `${box.op} ${box.name || box.id}`.trim() : node || place;
  if (when === "always") return `before ${named}`;
  return named ? `after ${named}` : "after any node";
}

/** Nodes with a breakpoint of their own. */
export function stopsOf(state: StepState): ReadonlySet<string> {
  return new Set((state.breakpoints ?? []).map(({ node }) => node).filter(Boolean));
}

/** The place in the list of a node's breakpoint, or of one on any node with this condition. */
export function breakpointIndex(state: StepState, node: string, when?: string): number {
  return (state.breakpoints ?? []).findIndex(
    (one) => one.node === node && !(node === "" && one.place) && (!when || one.when === when),
  );
}

/**
 * What a breakpoint is set on: the selected node, be it in a body; where nothing is selected, the one that comes next:
 * before the first run, the first.
 */
export function breakableId(
  scene: Scene,
  selection: Selection,
  { current, total = 0 }: StepState,
): string | undefined {
  const next =
    total === 0
      ? scene.boxes.findIndex(({ kind }) => kind === "node")
      : (scene.boxOfId.get(current ?? "") ?? -1);
  const box =
    selection.kind === "none" ? next : selection.kind === "box" ? selection.box : undefined;
  if (box === undefined || box < 0) return undefined;
  const { kind, id } = at(scene.boxes, box);
  return kind === "node" ? id : undefined;
}

/** What the iterations around a selection are asked for by. */
export function nameOf(scene: Scene, selection: Selection): string {
  if (selection.kind === "value") return selection.value;
  return selection.kind === "box" ? at(scene.boxes, selection.box).id : "";
}

/** A graph on its way by the name that its node has in the graph around it, of this path. Rounds of a loop count from 0, as in Python. */
export function frameText(
  { owner, title, count, shown, number }: FrameState,
  around: string,
): string {
  const which = number ?? shown;
  const round = count > 1 ? `, round ${which} (0–${Math.max(which, count - 1)})` : "";
  const name = owner.startsWith(around) ? owner.slice(around.length) : owner;
  return `${title} of ${name}${round}`;
}

/** Which iterations are shown: when it changes, what was seen of values inside is seen no more. */
export function shownKey(state: StepState): string {
  const live = (state.frames ?? []).map(({ path, count }) => `${path} ${count}`);
  return JSON.stringify([live, state.iterations ?? {}]);
}

export interface FailingInput {
  readonly port: string;
  readonly name: string;
  readonly summary: ValueSummary | undefined;
}

export interface Failing {
  readonly box: number;
  readonly inputs: readonly FailingInput[];
  readonly attributes: readonly AttributeField[];
}

/** The node that failed, with what it read and the attributes that it can be tried again with. */
export function failingOf(
  scene: Scene,
  state: StepState,
  manualOf: (box: Box) => Manual | undefined,
): Failing | undefined {
  const box = state.failed ? scene.boxOfId.get(state.failed) : undefined;
  if (box === undefined) return undefined;
  const { inputs, kind } = at(scene.boxes, box);
  if (kind !== "node") return undefined;
  const values = state.values ?? {};
  return {
    box,
    inputs: inputs
      .filter(([, name]) => name !== "")
      .map(([port, name]) => ({
        port,
        name,
        summary: values[name],
      })),
    attributes: attributeFields(at(scene.boxes, box), manualOf(at(scene.boxes, box))),
  };
}
