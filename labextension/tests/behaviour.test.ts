import { describe, expect, it } from "vitest";
import { groupContents } from "../src/core/card";
import { highlight } from "../src/core/highlight";
import { inspect } from "../src/core/inspection";
import { commandOf, KEY_HELP } from "../src/core/keys";
import type { Line } from "../src/core/lines";
import { neighbour, trace } from "../src/core/paths";
import { search, stepThrough } from "../src/core/search";
import { anchorBox, readSelection, type Selection, writeSelection } from "../src/core/selection";
import {
  focusOf,
  lastValues,
  nodeMarks,
  numberText,
  progressText,
  runTarget,
  stepCommands,
} from "../src/core/stepping";
import { dimsOf } from "../src/core/value_inspection";
import {
  centreOn,
  contains,
  detailAt,
  filledWith,
  firstView,
  holdPoint,
  visibleWorld,
  wholeView,
} from "../src/core/viewport";
import { smallCnn, transformer } from "./scenes";
import { drawn, sceneFrom } from "./setting";

const scene = sceneFrom(smallCnn());
const box = (id: string) => scene.boxOfId.get(id) ?? -1;
const contents = groupContents(scene);
const linesOf = (selection: Selection): Line[] =>
  inspect(scene, contents, selection).sections.flatMap(({ lines }) => [...lines]);

describe("selection", () => {
  it.each(["node:gap", "node:in:image", "value:logits", "value:fc.weight", ""])(
    "%s survives reading and writing",
    (text) => expect(writeSelection(scene, readSelection(scene, text))).toBe(text),
  );

  it.each(["node:nobody", "value:nothing", "gibberish"])("%s selects nothing", (text) =>
    expect(readSelection(scene, text)).toEqual({ kind: "none" }),
  );

  it("of a value is looked at where the value comes from, of a weight where it is used", () => {
    expect(anchorBox(scene, { kind: "value", value: "flat" })).toBe(box("flatten"));
    expect(anchorBox(scene, { kind: "value", value: "fc.weight" })).toBe(box("/head/fc/Gemm"));
  });
});

describe("search", () => {
  const titles = (query: string) =>
    search(scene, query).map(({ title, text }) => `${title} ${text}`);

  it("finds operators before names that merely contain the word", () => {
    expect(
      titles("conv")
        .slice(0, 4)
        .every((title) => title.startsWith("Conv ")),
    ).toBe(true);
    expect(titles("CONV")).toEqual(titles("conv"));
  });

  it("needs every word", () => {
    expect(titles("stage2 conv2")).toEqual(["Conv /features/stage2/conv2/Conv"]);
    expect(titles("stage2 softmax")).toEqual([]);
  });

  it("finds a node by the value it computes", () => {
    expect(titles("is_bright")).toEqual(["ReduceMax peak"]);
  });

  it("of nothing finds nothing, and of regular expressions takes the letters", () => {
    expect(titles("  ")).toEqual([]);
    expect(titles(".*")).toEqual([]);
  });

  it("steps through its hits in a ring", () => {
    expect([stepThrough(3, -1, 1), stepThrough(3, 2, 1), stepThrough(3, 0, -1)]).toEqual([0, 0, 2]);
    expect(stepThrough(0, -1, 1)).toBe(-1);
  });
});

describe("paths", () => {
  it("upstream of an output is all that it needs, downstream of an input all that uses it", () => {
    const out = trace(scene, box("out:probabilities"));
    expect(out.upstream.has(box("in:image"))).toBe(true);
    expect(out.downstream.size).toBe(0);
    const image = trace(scene, box("in:image"));
    expect(image.upstream.size).toBe(0);
    expect(image.downstream.size).toBe(scene.boxes.length - 1);
  });

  it("arrow keys follow edges", () => {
    expect(neighbour(scene, box("flatten"), "up")).toBe(box("gap"));
    expect(neighbour(scene, box("gap"), "down")).toBe(box("flatten"));
    expect(neighbour(scene, box("in:image"), "up")).toBeUndefined();
    const relu = box("/features/stage1/relu");
    const conv = box("/features/stage1/conv2/Conv");
    const add = box("/features/stage1/Add");
    expect(neighbour(scene, relu, "down")).toBe(conv);
    expect(neighbour(scene, conv, "right")).toBe(add);
  });
});

describe("the stepper's state", () => {
  const state = {
    stepping: true,
    position: 2,
    total: 20,
    current: "/features/stage1/relu",
    done: ["/features/stage1/conv/Conv", "/features/stage1/bn"],
    values: {
      "/features/stage1/bn_out": { type: "float32[1, 16, 28, 28]", min: 0, max: 1, mean: 0.5 },
    },
  };

  it("marks what is done, what comes next and what failed", () => {
    expect(nodeMarks(scene, state).get(box("/features/stage1/bn"))).toBe("done");
    expect(nodeMarks(scene, state).get(box("/features/stage1/relu"))).toBe("current");
    const failed = { ...state, current: null, failed: "/features/stage1/relu", failure: "no" };
    expect(nodeMarks(scene, failed).get(box("/features/stage1/relu"))).toBe("failed");
    expect(focusOf(scene, failed)).toBe(box("/features/stage1/relu"));
  });

  it("shows the outputs of the node that ran last", () => {
    const { title, values } = lastValues(scene, state);
    expect(title).toContain("BatchNormalization");
    expect(values.map(({ name }) => name)).toEqual(["/features/stage1/bn_out"]);
  });

  it("names unknown ids as they are instead of failing", () => {
    expect(nodeMarks(scene, { done: ["gone"], current: "gone" }).size).toBe(0);
    expect(progressText(scene, { position: 1, total: 2, current: "gone" })).toBe(
      "1 of 2: next is gone",
    );
  });

  it("says how far it is", () => {
    expect(progressText(scene, {})).toBe("");
    expect(progressText(scene, state)).toBe("2 of 20: next is Relu /features/stage1/relu");
    expect(progressText(scene, state, true)).toBe("2 of 20: next is Relu stage1/relu");
    expect(progressText(scene, { position: 20, total: 20 })).toBe("20 of 20: finished");
  });

  const enabled = (s: Parameters<typeof stepCommands>[0], selected = false) =>
    stepCommands(s, selected).flatMap(({ action, enabled: on }) => (on ? [action] : []));

  it("offers what can be done now", () => {
    expect(enabled({})).toEqual(["restart", "step", "step_into", "run"]);
    expect(enabled(state, true)).toEqual(["restart", "back", "step", "step_into", "run", "run-to"]);
    expect(enabled({ ...state, running: true })).toEqual(["pause"]);
    expect(enabled({ position: 20, total: 20 })).toEqual(["restart", "back"]);
    expect(enabled({ ...state, failed: "x" })).toEqual(["restart", "back"]);
  });

  it.each([
    ["node:gap", "gap"],
    ["value:flat", "value:flat"],
    ["node:out:probabilities", "value:probabilities"],
    ["node:in:image", "value:image"],
  ])("a run to %s asks for %s", (selected, target) =>
    expect(runTarget(scene, readSelection(scene, selected))).toBe(target),
  );

  it("marks a collapsed group done only when all of it is", async () => {
    const { picture } = await drawn(scene, new Set([0]));
    const group = scene.groups.findIndex(({ label }) => label === "features");
    const inside = scene.boxes.flatMap(({ id, group: g }) =>
      g > group && g <= group + 2 ? [id] : [],
    );
    const marksWith = (done: string[]) =>
      highlight(scene, picture, { kind: "none" }, [], nodeMarks(scene, { done }), "off").marks;
    expect(marksWith(inside.slice(1)).get(`g${group}`)).toBeUndefined();
    expect(marksWith(inside).get(`g${group}`)).toBe("done");
  });

  it.each([
    [0.1234567, "0.12346"],
    [3, "3"],
    [1e-9, "1.0000e-9"],
    [Number.NaN, "nan"],
    ["inf", "inf"],
    [null, "–"],
  ])("writes %s as %s", (value, text) => expect(numberText(value)).toBe(text));
});

describe("the inspector", () => {
  it("tells defaults from what the model says", () => {
    const lines = linesOf({ kind: "box", box: box("/features/stage1/conv/Conv") });
    const attributes = lines.flatMap((line) => (line.kind === "attribute" ? [line] : []));
    expect(attributes.filter(({ origin }) => origin === "default").map(({ name }) => name)).toEqual(
      ["strides", "dilations", "group", "auto_pad"],
    );
  });

  it("asks for the numbers of initializers and of nothing else", () => {
    const lines = linesOf({ kind: "box", box: box("/features/stage1/conv/Conv") });
    const asked = lines.flatMap((line) =>
      line.kind === "port" && line.initializer ? [line.value] : [],
    );
    expect(asked).toEqual(["conv1.weight", "conv1.bias"]);
  });

  it("with nothing selected shows the diagnostics and the model's own inputs and outputs", () => {
    const lines = linesOf({ kind: "none" });
    const problem = lines.find((line) => line.kind === "problem");
    expect(problem).toMatchObject({ severity: "error", box: box("/head/fc/Gemm") });
    const ports = lines.flatMap((line) => (line.kind === "port" ? [line.value] : []));
    expect(ports).toEqual(["image", "probabilities"]);
  });

  it("explains a value by its dims and says where it flows", () => {
    const lines = linesOf({ kind: "value", value: "logits" });
    expect(lines).toContainEqual({ kind: "dims", value: "logits", dims: ["N", "10"] });
    expect(lines).toContainEqual({ kind: "box", label: "", box: box("/head/fc/Gemm") });
    expect(lines).toContainEqual({ kind: "box", label: "", box: box("/head/softmax") });
    expect(lines.some((line) => line.kind === "problem" && line.text.includes("declared"))).toBe(
      true,
    );
  });

  it("keeps declared, inferred and observed types of a value apart", () => {
    const [first, ...rest] = scene.edgesOfValue.get("logits") ?? [];
    const edges = scene.edges.map((edge, i) =>
      i === first ? { ...edge, declared: "float32[N, 12]" } : edge,
    );
    expect(rest).toEqual([]);
    const { sections } = inspect(
      { ...scene, edges },
      contents,
      { kind: "value", value: "logits" },
      undefined,
      new Map([["logits", "float32[2, 10]"]]),
    );
    expect(sections.find(({ title }) => title === "Type")?.lines).toEqual([
      { kind: "type", label: "declared", text: "float32[N, 12]" },
      { kind: "type", label: "inferred", text: "float32[N, 10]" },
      { kind: "type", label: "observed", text: "float32[2, 10]" },
    ]);
  });

  it.each([
    ["float32[N, 64, 56, 56]", ["N", "64", "56", "56"]],
    ["float32[max(a, b), floor((h - 1)/2) + 1]", ["max(a, b)", "floor((h - 1)/2) + 1"]],
    ["seq(float32[rows, 4])", ["rows", "4"]],
    ["int64[]", []],
    ["float32[...]", []],
    ["map(int64, float32)", []],
  ])("splits the dims of %s", (type, dims) => expect(dimsOf(type)).toEqual(dims));
});

describe("keys", () => {
  const press = (
    key: string,
    held: Partial<Record<"ctrlKey" | "shiftKey" | "altKey" | "metaKey", boolean>> = {},
  ) => commandOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

  it("a debugger key and its letter do the same", () => {
    expect(press("F10")).toEqual(press("s"));
    expect(press("F5")).toEqual(press("r"));
    expect(press("F11")).toEqual(press("e"));
    expect(press("F11", { shiftKey: true })).toEqual(press("o"));
    expect(press("F10", { shiftKey: true })).toEqual(press("b"));
    expect(press("F9")).toEqual(press("B", { shiftKey: true }));
  });

  it("chords are left to the browser and the notebook", () => {
    expect(press("s", { ctrlKey: true })).toBeUndefined();
    expect(press("f", { metaKey: true })).toBeUndefined();
    expect(press("F5", { ctrlKey: true })).toBeUndefined();
    expect(press("Enter", { shiftKey: true })).toBeUndefined();
  });

  it("browser keys that no debugger has do nothing here", () => {
    expect([press("F12"), press("F5", { shiftKey: true })]).toEqual([undefined, undefined]);
  });

  it("every key in the help is one that works", () => {
    const names = KEY_HELP.flatMap(({ keys }) => keys.split(", "));
    const spelled: Record<string, string> = { arrows: "ArrowUp", Esc: "Escape" };
    for (const name of names) {
      const key = name.replace("Shift+", "");
      const shiftKey = key !== name;
      expect(press(spelled[key] ?? key, { shiftKey }), name).toBeDefined();
    }
  });
});

describe("the view", () => {
  const screen = { width: 1000, height: 600 };
  const toScreen = (p: { x: number; y: number }, z: { k: number; x: number; y: number }) => ({
    x: p.x * z.k + z.x,
    y: p.y * z.k + z.y,
  });

  it("of the whole has all of it on the screen", () => {
    for (const world of [
      { x: -50, y: 20, width: 300, height: 9000 },
      { x: 0, y: 0, width: 20_000, height: 10 },
    ]) {
      const view = visibleWorld(wholeView(world, screen), screen);
      expect(view.x).toBeLessThanOrEqual(world.x);
      expect(view.y + view.height).toBeGreaterThanOrEqual(world.y + world.height);
    }
  });

  it("at first sight of a tall graph is its top, at a size that can be read", () => {
    const world = { x: 0, y: 0, width: 300, height: 9000 };
    const zoom = firstView(world, undefined, screen);
    expect(zoom.k).toBeGreaterThan(0.6);
    expect(toScreen({ x: 150, y: 0 }, zoom)).toEqual({ x: 500, y: 28 });
  });

  it("centred on a box has it in the middle", () => {
    const zoom = centreOn(
      { x: 100, y: 200, width: 50, height: 20 },
      { k: 0.1, x: 0, y: 0 },
      screen,
    );
    const middle = toScreen({ x: 125, y: 210 }, zoom);
    expect(middle.x).toBeCloseTo(500);
    expect(middle.y).toBeCloseTo(300);
    expect(zoom.k).toBeGreaterThan(0.5);
  });

  it("shows a place near an edge with what lies before it, not with emptiness behind it", () => {
    const world = { x: 0, y: 0, width: 2000, height: 3000 };
    const screen = { width: 800, height: 600 };
    const last = { x: 980, y: 2950, width: 40, height: 40 };
    const view = visibleWorld(
      filledWith(world, centreOn(last, { k: 1, x: 0, y: 0 }, screen), screen),
      screen,
    );
    expect(contains(view, last)).toBe(true);
    expect(view.x + view.width / 2).toBeCloseTo(1000);
    expect(view.y + view.height).toBeLessThan(3000 + 30);
    const small = { x: 0, y: 0, width: 300, height: 200 };
    const whole = visibleWorld(filledWith(small, { k: 1, x: 700, y: -150 }, screen), screen);
    expect(contains(whole, small)).toBe(true);
  });

  it("holds a point where it was", () => {
    const before = { k: 0.7, x: 13, y: -40 };
    const after = holdPoint({ x: 10, y: 10 }, { x: 200, y: 300 }, before);
    const [a, b] = [toScreen({ x: 10, y: 10 }, before), toScreen({ x: 200, y: 300 }, after)];
    expect(b.x).toBeCloseTo(a.x);
    expect(b.y).toBeCloseTo(a.y);
  });

  it("shows more the closer it is", () => {
    const zooms = [0.05, 0.2, 0.3, 0.5, 0.6, 1, 1.6, 3];
    const shown = zooms.map((k) => {
      const { titles, texts, arrows, labels } = detailAt(k, 10);
      return [titles, texts, arrows, labels !== undefined].filter(Boolean).length;
    });
    expect([...shown].sort((a, b) => a - b)).toEqual(shown);
    expect(detailAt(0.1, 5000).silhouettes).toBe(true);
    expect(detailAt(1, 5000).silhouettes).toBe(false);
  });
});

it("a trace lights the paths through the selected node and nothing beside them", async () => {
  const encoder = sceneFrom(transformer(2));
  const { picture } = await drawn(encoder, new Set(encoder.groups.keys()));
  const query = encoder.boxOfId.get("/encoder/layer.0/attention/query/MatMul") ?? -1;
  const key = encoder.boxOfId.get("/encoder/layer.0/attention/key/MatMul") ?? -1;
  const { traced } = highlight(
    encoder,
    picture,
    { kind: "box", box: query },
    [],
    new Map(),
    "both",
  );
  expect(traced?.cards.has(`b${query}`)).toBe(true);
  expect(traced?.cards.has(`b${key}`)).toBe(false);
  for (const edge of traced?.edges ?? []) {
    expect(traced?.cards.has(picture.folded[edge]?.source ?? "")).toBe(true);
    expect(traced?.cards.has(picture.folded[edge]?.target ?? "")).toBe(true);
  }
});
