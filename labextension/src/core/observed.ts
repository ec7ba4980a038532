/** Types that a run has shown, beside what inference knew before. */
import type { StepState } from "../protocol/messages";
import type { Picture } from "./picture";
import { at, type Scene } from "./scene";
import { dimsOf } from "./value_inspection";

/** Observed types by value. */
export type Observed = ReadonlyMap<string, string>;

export const NOTHING_OBSERVED: Observed = new Map();

/** `float32[batch, 16]` that turned out as `float32[1, 16]` is `float32[batch=1, 16]`. */
export function besideObserved(inferred: string, observed: string): string {
  if (inferred === observed) return inferred;
  const before = dimsOf(inferred);
  const after = dimsOf(observed);
  const open = inferred.indexOf("[");
  const alike =
    open >= 0 &&
    inferred.slice(0, open) === observed.slice(0, observed.indexOf("[")) &&
    before.length === after.length;
  if (!alike) return `${inferred} = ${observed}`;
  const dims = before.map((dim, i) => (dim === after[i] ? dim : `${dim}=${after[i]}`));
  return `${inferred.slice(0, open)}[${dims.join(", ")}]`;
}

/** The values on the wires of a picture that a run has made by now. */
export function computedValues(scene: Scene, picture: Picture, state: StepState): string[] {
  if ((state.position ?? 0) === 0 && (state.done ?? []).length === 0) return [];
  const done = new Set(state.done);
  const hasRun = (value: string) => {
    const edge = scene.edgesOfValue.get(value)?.[0];
    if (edge === undefined) return false;
    const { kind, id } = at(scene.boxes, at(scene.edges, edge).source);
    return kind === "input" || done.has(id);
  };
  return [...new Set(picture.wires.flatMap(({ values }) => values))].filter(hasRun);
}
