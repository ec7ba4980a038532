/** What clicks and keys in the drawing do to what is selected. */
import { isConstant } from "../core/constant_boxes";
import type { Loaded } from "../core/reading";
import { anchorBox, groupAround, NOTHING, type Selection } from "../core/selection";
import { aloneText } from "../core/siblings";
import type { Openness } from "./openness";
import type { Running } from "./running";
import type { Stage } from "./stage";
import type { Target } from "./target";

export interface Pointed {
  readonly loaded: Loaded | undefined;
  readonly selection: Selection;
  select(selection: Selection): void;
  /** Selects a group and opens it. */
  open(group: number): void;
  readonly openness: Openness;
  readonly running: Running;
  readonly stage: Stage;
}

export function click(target: Target, at: Pointed): void {
  switch (target.kind) {
    case "toggle":
      at.openness.toggle(target.group);
      break;
    case "enter":
      at.openness.enter(target.group);
      break;
    case "card":
      if (target.card.kind === "group") at.openness.toggle(target.card.index);
      else selectCard(target.card.index, target.also, at);
      break;
    case "stop":
      at.running.toggleBreakpoint(target.id);
      break;
    case "wire":
      at.select({ kind: "value", value: target.values[0] ?? "" });
      break;
    case "stub": {
      const value = at.stage.picture?.stubs[target.index]?.values[0];
      if (value !== undefined) at.select({ kind: "value", value });
      at.stage.jump(target.index);
      break;
    }
    case "alike":
      at.open(target.group);
      break;
    case "frame":
      at.select({ kind: "group", group: target.group });
      break;
    case "empty":
      at.select(NOTHING);
  }
}

function selectCard(box: number, also: boolean, { loaded, selection, select }: Pointed): void {
  const scene = loaded?.scene;
  const other = scene && anchorBox(scene, selection);
  const nodes = scene && !isConstant(scene, box) && !isConstant(scene, other);
  const pair = also && nodes && other !== undefined && other !== box;
  select(pair ? { kind: "pair", from: other, to: box } : { kind: "box", box });
}

export function doubleClick(target: Target, { loaded, openness }: Pointed): void {
  if (target.kind === "frame") openness.toggle(target.group);
  if (target.kind !== "card" || target.card.kind === "group") return;
  openness.toggle(...(loaded?.scene.ownedBy.get(target.card.index) ?? []));
}

/** The inspector tells in what groups beside it differ; where there is nothing to tell, a word says so. */
export function selectAround({ loaded, selection, select, running }: Pointed): void {
  if (!loaded) return;
  const { scene, contents } = loaded;
  const group = groupAround(scene, selection);
  if (group !== undefined) select({ kind: "group", group });
  running.say(aloneText(scene, contents, group));
}
