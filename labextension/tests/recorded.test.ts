import { describe, expect, it } from "vitest";
import { type Recorded, Recording } from "../src/core/recorded";
import type { ValueWindow } from "../src/protocol/messages";

const table = (sizes: number[]): ValueWindow => ({
  view: "table",
  views: ["table"],
  type: "float32",
  sizes,
  at: sizes.map(() => 0),
  axes: [sizes.length - 2, sizes.length - 1],
  start: [0, 0],
  every: [1, 1],
  rows: 1,
  columns: 1,
});

const value = (at: number, numbers: number[] = [at], sizes = [1, 1]) => ({
  at,
  value: { type: "float32[1]", min: at, head: [String(at)] },
  statistics: { type: "float32[1]" },
  miniature: { text: String(at), nan: 0, infinite: 0 },
  views: { table: table(sizes) },
  numbers,
});

const run = (failed: string | null = null): Recorded => ({
  total: 3,
  message: "",
  steps: [
    { current: "a", ran: [], values: {} },
    { current: "b", ran: ["a"], values: {} },
    { current: failed ?? "c", ran: ["b"], values: {} },
    ...(failed ? [] : [{ current: null, ran: ["c"], values: {} }]),
  ],
  failed,
  failure: failed ? "it broke" : null,
  clash: null,
  values: { x: value(0), y: value(2, [1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2]) },
});

describe("a recorded run", () => {
  it("goes forward and back, and stops at its ends", () => {
    const recording = new Recording(run());
    recording.move({ kind: "step" });
    expect(recording.state).toMatchObject({ position: 1, current: "b", done: ["a"] });
    recording.move({ kind: "run" });
    expect(recording.state).toMatchObject({ position: 3, current: null, done: ["a", "b", "c"] });
    recording.move({ kind: "step" });
    expect(recording.state.position).toBe(3);
    recording.move({ kind: "goto", position: 1 });
    recording.move({ kind: "back" });
    recording.move({ kind: "back" });
    expect(recording.state.position).toBe(0);
  });

  it("stops before nodes with a breakpoint", () => {
    const recording = new Recording(run());
    recording.move({ kind: "break", node: "c", when: "always" });
    recording.move({ kind: "run" });
    expect(recording.state.current).toBe("c");
    recording.move({ kind: "run" });
    expect(recording.state.current).toBeNull();
  });

  it("ends where the run failed, and back is before that", () => {
    const recording = new Recording(run("c"));
    recording.move({ kind: "run" });
    expect(recording.state).toMatchObject({ failed: "c", failure: "it broke", position: 2 });
    recording.move({ kind: "back" });
    expect(recording.state).toMatchObject({ failed: null, current: "c" });
  });

  it("tells a value only after it has been made", () => {
    const recording = new Recording(run());
    expect(() => recording.answer({ kind: "value", name: "y" })).toThrow("not been computed");
    expect(recording.answer({ kind: "miniatures", names: ["x", "y"] }).miniatures).toHaveProperty(
      "x",
    );
    recording.move({ kind: "run_to", target: "value:y" });
    expect(recording.answer({ kind: "value", name: "y" }).min).toBe(2);
    expect(recording.knows({ kind: "statistics", name: "z" })).toBe(false);
  });

  it("takes other slices of a small tensor", () => {
    const recording = new Recording(run());
    recording.move({ kind: "run" });
    const shown = recording.answer({ kind: "view", name: "y", view: "table", at: [1, 0, 0] });
    expect(shown.texts).toEqual(["5", "6", "7", "8"]);
    const turned = recording.answer({
      kind: "view",
      name: "y",
      view: "table",
      axes: [2, 0],
      at: [0, 1, 0],
    });
    // Rows along the last axis, columns along the first, at index 1 of the middle one.
    expect(turned.texts).toEqual(["3", "7", "4", "8"]);
  });
});
