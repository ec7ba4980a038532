import { describe, expect, it } from "vitest";
import { breakableId, breakpointIndex, frameText, shownKey, stopsOf } from "../src/core/debugging";
import { at } from "../src/core/scene";
import { stepCommands } from "../src/core/stepping";
import type { BreakpointState, FrameState } from "../src/protocol/messages";
import { smallCnn } from "./scenes";
import { sceneFrom } from "./setting";

const stop = (node: string, when = "always", place = ""): BreakpointState => ({
  node,
  when,
  place,
  hits: 0,
});

const frame = (part: Partial<FrameState> = {}): FrameState => ({
  path: "loop/body/",
  owner: "loop",
  title: "body",
  live: true,
  count: 1,
  shown: 0,
  ...part,
});

describe("breakpoints", () => {
  const state = { breakpoints: [stop("", "nan"), stop("conv"), stop("", "always", "Softmax")] };

  it("mark the nodes that have one of their own", () => {
    expect([...stopsOf(state)]).toEqual(["conv"]);
  });

  it("are found by their node, and those on any node by their condition", () => {
    expect(breakpointIndex(state, "conv")).toBe(1);
    expect(breakpointIndex(state, "", "nan")).toBe(0);
    expect(breakpointIndex(state, "", "inf")).toBe(-1);
    expect(breakpointIndex(state, "", "always")).toBe(-1);
  });

  it("are set on what is selected, and else on the node that comes next", () => {
    const scene = sceneFrom(smallCnn());
    const of = (kind: string) => scene.boxes.findIndex((box) => box.kind === kind);
    const [node, input] = [of("node"), of("input")];
    const { id } = at(scene.boxes, node);
    const next = {
      total: 3,
      current: at(
        scene.boxes,
        scene.boxes.findLastIndex(({ kind }) => kind === "node"),
      ).id,
    };
    expect(breakableId(scene, { kind: "box", box: node }, next)).toBe(id);
    expect(breakableId(scene, { kind: "none" }, next)).toBe(next.current);
    expect(breakableId(scene, { kind: "box", box: input }, next)).toBeUndefined();
    expect(breakableId(scene, { kind: "none" }, { total: 3 })).toBeUndefined();
  });

  it("are set on the first node before the first run", () => {
    const scene = sceneFrom(smallCnn());
    const { id } = at(
      scene.boxes,
      scene.boxes.findIndex(({ kind }) => kind === "node"),
    );
    expect(breakableId(scene, { kind: "none" }, {})).toBe(id);
  });
});

describe("the call stack", () => {
  it("calls a node by its name in the graph around it", () => {
    const inner = frame({ owner: "outer/loop/body/if/x", title: "then_branch" });
    expect(frameText(inner, "outer/loop/body/")).toBe("then_branch of if/x");
    expect(frameText(inner, "elsewhere/")).toBe("then_branch of outer/loop/body/if/x");
  });

  it("counts rounds from 0, as Python does, and not where there is only one", () => {
    expect(frameText(frame(), "")).toBe("body of loop");
    expect(frameText(frame({ count: 4, shown: 1 }), "")).toBe("body of loop, round 1 (0–3)");
    // The last of a recorded run whose rounds between are left out.
    const last = frame({ count: 3, shown: 2, number: 9 });
    expect(frameText(last, "")).toBe("body of loop, round 9 (0–9)");
  });

  it("is another one when another iteration is shown or has begun", () => {
    const key = shownKey({ frames: [frame()] });
    expect(shownKey({ frames: [frame({ count: 2 })] })).not.toBe(key);
    expect(shownKey({ frames: [frame()], iterations: { "loop/body/": 0 } })).not.toBe(key);
    expect(shownKey({ frames: [frame()], position: 3 })).toBe(key);
  });

  it("offers the way out only inside", () => {
    const out = (frames: FrameState[]) =>
      stepCommands({ frames }, false).find(({ action }) => action === "step_out")?.enabled;
    expect([out([]), out([frame()])]).toEqual([false, true]);
  });
});
