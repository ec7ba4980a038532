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

const value = (at: number, numbers: number[] = [at], sizes = [1, 1], frame = 0) => ({
  frame,
  at,
  value: { type: "float32[1]", min: at, head: [String(at)] },
  statistics: { type: "float32[1]" },
  miniature: { text: String(at), nan: 0, infinite: 0 },
  views: { table: table(sizes) },
  numbers,
});

const MAIN = { path: "", around: -1, number: 0, first: 0 };

const step = (current: string | null, position: number, ran: string[] = [], frame = 0) => ({
  frame,
  position,
  current,
  ran,
  values: {},
});

const run = (failed: string | null = null): Recorded => ({
  total: 3,
  message: "",
  frames: [MAIN],
  steps: [
    step("a", 0),
    step("b", 1, ["a"]),
    step(failed ?? "c", 2, ["b"]),
    ...(failed ? [] : [step(null, 3, ["c"])]),
  ],
  failed,
  failure: failed ? "it broke" : null,
  clash: null,
  values: { x: [value(0)], y: [value(2, [1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2])] },
});

/** Two rounds of a loop of two nodes, with a branch in the second. */
const looping = (): Recorded => ({
  total: 3,
  message: "",
  frames: [
    MAIN,
    { path: "loop/body/", around: 0, number: 0, first: 2 },
    { path: "loop/body/", around: 0, number: 1, first: 4 },
    { path: "loop/body/if/then_branch/", around: 2, number: 0, first: 5 },
  ],
  steps: [
    step("a", 0),
    step("loop", 1, ["a"]),
    step("loop/body/p", 1, [], 1),
    step("loop/body/if", 1, ["loop/body/p"], 1),
    step("loop/body/p", 1, ["loop/body/if"], 2),
    step("loop/body/if/then_branch/q", 1, ["loop/body/p"], 3),
    step("b", 2, ["loop/body/if/then_branch/q", "loop/body/if", "loop"]),
    step(null, 3, ["b"]),
  ],
  failed: null,
  failure: null,
  clash: null,
  values: {
    "loop/body/y": [value(3, [30], [1, 1], 1), value(5, [50], [1, 1], 2)],
    "loop/body/if/then_branch/z": [value(6, [60], [1, 1], 3)],
  },
});

const numbersOf = (recording: Recording, name: string) =>
  recording.answer({ kind: "view", name, view: "table" }).texts;

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

describe("a recorded run with bodies", () => {
  const at = (...kinds: ("step" | "step_into" | "step_out" | "back")[]) => {
    const recording = new Recording(looping());
    for (const kind of kinds) recording.move({ kind });
    return recording;
  };

  it("steps over a loop, and the way back is over it too", () => {
    const over = at("step", "step");
    expect(over.state).toMatchObject({ current: "b", position: 2, frames: [] });
    over.move({ kind: "back" });
    expect(over.state).toMatchObject({ current: "loop", position: 1 });
  });

  it("goes into a loop, from round to round, and out of it", () => {
    const inside = at("step", "step_into");
    expect(inside.state).toMatchObject({
      current: "loop/body/p",
      position: 1,
      frames: [{ path: "loop/body/", owner: "loop", title: "body", count: 1, live: true }],
    });
    inside.move({ kind: "step" });
    inside.move({ kind: "step" });
    expect(inside.state.frames).toMatchObject([{ count: 2, shown: 1 }]);
    inside.move({ kind: "step_out" });
    expect(inside.state).toMatchObject({ current: "b", frames: [] });
    const back = at("step", "step_into", "back");
    expect(back.state.current).toBe("loop");
  });

  it("goes into a branch in a round, and out of that into what is around", () => {
    const inside = at("step", "step_into", "step", "step", "step_into");
    expect(inside.state.frames?.map(({ path }) => path)).toEqual([
      "loop/body/",
      "loop/body/if/then_branch/",
    ]);
    inside.move({ kind: "step_out" });
    expect(inside.state.current).toBe("b");
  });

  it("shows the values of the round that is on its way, or of another one", () => {
    const inside = at("step", "step_into", "step", "step");
    expect(() => numbersOf(inside, "loop/body/y")).toThrow("not been computed");
    inside.move({ kind: "iteration", path: "loop/body/", iteration: 0 });
    expect(inside.state.frames).toMatchObject([{ count: 2, shown: 0 }]);
    expect(numbersOf(inside, "loop/body/y")).toEqual(["30"]);
    inside.move({ kind: "step_into" });
    expect(numbersOf(inside, "loop/body/y")).toEqual(["50"]);
  });

  it("knows the rounds of a loop that is through, and what ran during each", () => {
    const recording = at("step", "step", "step");
    const name = "loop/body/if/then_branch/z";
    expect(recording.answer({ kind: "iterations", name }).frames).toMatchObject([
      { path: "loop/body/", count: 2, shown: 1, live: false },
      { path: "loop/body/if/then_branch/", count: 1 },
    ]);
    expect(numbersOf(recording, name)).toEqual(["60"]);
    recording.move({ kind: "iteration", path: "loop/body/", iteration: 0 });
    // The branch did not run in the first round.
    expect(() => numbersOf(recording, name)).toThrow("not been computed");
    expect(recording.answer({ kind: "iterations", name }).frames).toHaveLength(1);
  });

  it("stops at a breakpoint inside, and goes by the timeline to nodes of the main graph", () => {
    const recording = at();
    recording.move({ kind: "break", node: "loop/body/p", when: "always" });
    recording.move({ kind: "run" });
    recording.move({ kind: "run" });
    expect(recording.state).toMatchObject({
      current: "loop/body/p",
      done: ["a", "loop/body/p", "loop/body/if"],
    });
    recording.move({ kind: "goto", position: 2 });
    expect(recording.state).toMatchObject({ current: "b", position: 2, frames: [] });
    recording.move({ kind: "goto", position: 1 });
    expect(recording.state.current).toBe("loop");
  });
});
