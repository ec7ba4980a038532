/** The stepper's state as the view shows it. */
import type { StepKind, StepState, ValueSummary } from "../protocol/messages";
import { shortName } from "./naming";
import { at, type Scene } from "./scene";
import { anchorBox, type Selection, writeSelection } from "./selection";

export type NodeMark = "done" | "current" | "failed";

export function nodeMarks(scene: Scene, state: StepState): Map<number, NodeMark> {
  const marks = new Map<number, NodeMark>();
  const put = (id: string | null | undefined, mark: NodeMark) => {
    const box = id ? scene.boxOfId.get(id) : undefined;
    if (box !== undefined) marks.set(box, mark);
  };
  for (const id of state.done ?? []) put(id, "done");
  put(state.current, "current");
  put(state.failed, "failed");
  return marks;
}

/** The box that a step should bring into view. */
export function focusOf(scene: Scene, state: StepState): number | undefined {
  const id = state.failed ?? state.current ?? state.done?.at(-1);
  return id ? scene.boxOfId.get(id) : undefined;
}

/** Where a run is; `short` tells of a node's path its end, which tells it apart. */
export function progressText(scene: Scene, state: StepState, short = false): string {
  const total = state.total ?? 0;
  if (total === 0) return state.message ?? "";
  const counted = `${state.position ?? 0} of ${total}`;
  if (state.failed) return `${counted}: ${boxTitle(scene, state.failed, short)} failed`;
  if (state.running) return `${counted}: running…`;
  const said = state.note ? `. ${state.note}` : "";
  if (state.current) return `${counted}: next is ${boxTitle(scene, state.current, short)}${said}`;
  return (state.position ?? 0) >= total ? `${counted}: finished${said}` : counted;
}

function boxTitle(scene: Scene, id: string, short = false): string {
  const index = scene.boxOfId.get(id);
  if (index === undefined) return id;
  const { op, name } = at(scene.boxes, index);
  return name && name !== op ? `${op} ${short ? shortName(name) : name}` : op || id;
}

export interface SeenValue {
  readonly name: string;
  readonly summary: ValueSummary;
}

/** What the last step computed; before the first one, what was fed in. */
export function lastValues(scene: Scene, state: StepState): { title: string; values: SeenValue[] } {
  const values = state.values ?? {};
  const seen = (names: readonly string[]): SeenValue[] =>
    names.flatMap((name) => {
      const summary = values[name];
      return summary ? [{ name, summary }] : [];
    });
  const last = state.done?.at(-1);
  const box = last === undefined ? undefined : scene.boxOfId.get(last);
  if (last !== undefined && box !== undefined) {
    const outputs = at(scene.boxes, box).outputs.map(([, value]) => value);
    const computed = seen(outputs);
    if (computed.length > 0) return { title: boxTitle(scene, last), values: computed };
  }
  return { title: last === undefined ? "Inputs" : "Values", values: seen(Object.keys(values)) };
}

export function numberText(value: number | string | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  const text = value.toPrecision(5);
  return text.includes("e") ? text : String(Number(text));
}

/** What a run to the selection stops behind: inputs and outputs of the graph are values, not steps. */
export function runTarget(scene: Scene, selection: Selection): string {
  const box = anchorBox(scene, selection);
  if (selection.kind === "value" || box === undefined) return writeSelection(scene, selection);
  const { kind, id, inputs, outputs } = at(scene.boxes, box);
  if (kind === "input") return `value:${outputs[0]?.[1] ?? id}`;
  return kind === "output" ? `value:${inputs[0]?.[1] ?? id}` : id;
}

export interface Command {
  readonly action: StepKind | "run-to" | "breakpoint";
  readonly label: string;
  readonly hint: string;
  readonly enabled: boolean;
}

/** The step bar's buttons, in order. */
export function stepCommands(
  state: StepState,
  somethingSelected: boolean,
  breakable = false,
): Command[] {
  const total = state.total ?? 0;
  const position = state.position ?? 0;
  const running = state.running === true;
  const finished = total > 0 && position >= total;
  const inside = (state.frames ?? []).length > 0;
  const forward = !running && !finished && !state.failed;
  const command = (
    action: Command["action"],
    label: string,
    hint: string,
    enabled: boolean,
  ): Command => ({ action, label, hint, enabled });
  return [
    command("restart", "Restart", "Back to the inputs (Home)", !running),
    command(
      "back",
      "Back",
      "Undo the last step (b or Shift+F10)",
      !running && (position > 0 || inside || Boolean(state.failed)),
    ),
    command("step", "Step", "Run the next node (s or F10)", forward),
    command(
      "step_into",
      "Into",
      "Go into the next loop, branch, function or operator (e or F11)",
      forward,
    ),
    command(
      "step_out",
      "Out",
      "Run to the end of this loop, branch, function or operator (o or Shift+F11)",
      forward && inside,
    ),
    command("run", "Run", "Run to a breakpoint or to the end (r, F5 or F8)", forward),
    command(
      "run-to",
      "Run to selected",
      somethingSelected
        ? "Run until the selected node or value is computed (t)"
        : "Select a node or an edge first, then run to it (t)",
      !running && somethingSelected,
    ),
    command(
      "breakpoint",
      "Breakpoint",
      breakable
        ? "Stop before the selected node, else the one that comes next, or no longer (B or F9)"
        : "Select a node first, then stop before it (B or F9)",
      breakable,
    ),
    command("pause", "Pause", "Stop after the node that is running (p)", running),
  ];
}
