/** Keys and what they do; only with the focus inside the explorer, and never while text is typed. */
import type { Tracing } from "./highlight";
import type { Step } from "./paths";
import type { Command } from "./stepping";

export type KeyCommand =
  | { readonly kind: "step"; readonly action: Command["action"] }
  | { readonly kind: "move"; readonly step: Step }
  | { readonly kind: "trace"; readonly tracing: Tracing }
  | { readonly kind: "zoom"; readonly factor: number }
  | { readonly kind: "overlay"; readonly direction: 1 | -1 }
  | { readonly kind: "constants"; readonly of: "all" | "selected" }
  | {
      readonly kind:
        | "fit"
        | "centre"
        | "toggle"
        | "search"
        | "next-hit"
        | "previous-hit"
        | "clear"
        | "enter"
        | "up"
        | "group"
        | "go-back"
        | "go-forward"
        | "table"
        | "inspector"
        | "inputs"
        | "what-if"
        | "watch"
        | "help";
    };

export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

export interface KeyHelp {
  readonly keys: string;
  readonly text: string;
}

export const KEY_HELP: readonly KeyHelp[] = [
  { keys: "s, F10", text: "run the next node" },
  { keys: "e, F11", text: "go into its loop, branch, function or operator" },
  { keys: "o, Shift+F11", text: "run to the end of that" },
  { keys: "b, Shift+F10", text: "one step back" },
  { keys: "r, F5, F8", text: "run to a breakpoint or to the end" },
  { keys: "t", text: "run until the selected node or value is computed" },
  { keys: "B, F9", text: "set or take a breakpoint on the selected node, else on the next one" },
  { keys: "p", text: "pause" },
  { keys: "Home", text: "restart from the inputs" },
  { keys: "I", text: "what a run starts from" },
  { keys: "W", text: "what if: other sizes, types, attributes" },
  { keys: "w", text: "watch an expression, of the selected value first" },
  { keys: "/", text: "search" },
  { keys: "n, N", text: "next, previous hit" },
  { keys: "arrows", text: "follow edges: producer, consumer, siblings" },
  { keys: "Enter", text: "open or close the group" },
  { keys: "z, u", text: "make the group the whole view, and go up again" },
  { keys: "g", text: "select the group around, and see in what those beside it differ" },
  { keys: "f", text: "fit the whole graph" },
  { keys: "c", text: "centre the selection" },
  { keys: "+, -", text: "zoom" },
  { keys: "a, d, h", text: "light what feeds the node, what it feeds, or both" },
  { keys: "[, ]", text: "back and forward to where you have been" },
  { keys: "v, V", text: "colour boxes by the next overlay, the one before" },
  { keys: "k, K", text: "weights and other constants as boxes: all, of the selected node" },
  { keys: "l", text: "show or hide the table of nodes" },
  { keys: "i", text: "show or hide the inspector" },
  {
    keys: "Esc",
    text: "cancel a layout; leave the search, then clear it, trace, selection, overlay",
  },
  { keys: "?", text: "these keys" },
];

const COMMANDS: Record<string, KeyCommand> = {
  s: { kind: "step", action: "step" },
  F10: { kind: "step", action: "step" },
  e: { kind: "step", action: "step_into" },
  F11: { kind: "step", action: "step_into" },
  o: { kind: "step", action: "step_out" },
  "Shift+F11": { kind: "step", action: "step_out" },
  b: { kind: "step", action: "back" },
  "Shift+F10": { kind: "step", action: "back" },
  r: { kind: "step", action: "run" },
  F5: { kind: "step", action: "run" },
  F8: { kind: "step", action: "run" },
  t: { kind: "step", action: "run-to" },
  B: { kind: "step", action: "breakpoint" },
  F9: { kind: "step", action: "breakpoint" },
  p: { kind: "step", action: "pause" },
  Home: { kind: "step", action: "restart" },
  ArrowUp: { kind: "move", step: "up" },
  ArrowDown: { kind: "move", step: "down" },
  ArrowLeft: { kind: "move", step: "left" },
  ArrowRight: { kind: "move", step: "right" },
  "+": { kind: "zoom", factor: 1.25 },
  "=": { kind: "zoom", factor: 1.25 },
  "-": { kind: "zoom", factor: 0.8 },
  f: { kind: "fit" },
  c: { kind: "centre" },
  Enter: { kind: "toggle" },
  "/": { kind: "search" },
  n: { kind: "next-hit" },
  N: { kind: "previous-hit" },
  a: { kind: "trace", tracing: "ancestors" },
  d: { kind: "trace", tracing: "descendants" },
  h: { kind: "trace", tracing: "both" },
  z: { kind: "enter" },
  u: { kind: "up" },
  g: { kind: "group" },
  "[": { kind: "go-back" },
  "]": { kind: "go-forward" },
  v: { kind: "overlay", direction: 1 },
  V: { kind: "overlay", direction: -1 },
  k: { kind: "constants", of: "all" },
  K: { kind: "constants", of: "selected" },
  l: { kind: "table" },
  i: { kind: "inspector" },
  I: { kind: "inputs" },
  W: { kind: "what-if" },
  w: { kind: "watch" },
  Escape: { kind: "clear" },
  "?": { kind: "help" },
};

/** Chords belong to the browser and the notebook; with Shift only letters and a debugger's keys are meant. */
export function commandOf(pressed: Pressed): KeyCommand | undefined {
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return undefined;
  const { key, shiftKey } = pressed;
  return COMMANDS[shiftKey && key.length > 1 ? `Shift+${key}` : key];
}
