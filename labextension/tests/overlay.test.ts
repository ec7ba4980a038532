import { describe, expect, it } from "vitest";
import { readExpression } from "../src/core/expression";
import { figuresOf, numberOf, symbolsOf } from "../src/core/figures";
import { amountText, overlayOf, rangeOverlay } from "../src/core/overlay";
import { paint } from "../src/core/paint";
import { colourOf, inkOn, scaleFor, shareOf } from "../src/core/scale";
import type { Scene } from "../src/core/scene";
import { SceneBuilder } from "./scenes";
import { drawn, sceneFrom } from "./setting";

describe("arithmetic over sizes", () => {
  const sizes = new Map([
    ["batch", 2],
    ["seq", 7],
    ["p2o.DynamicDimension.0", 3],
    ["a b", 5],
  ]);
  // Worked out by hand.
  it.each([
    ["12", 12],
    ["2*seq + 1", 15],
    ["512*batch*seq**2 + 260608*batch*seq", 512 * 2 * 49 + 260608 * 14],
    ["floor((seq - 1)/2) + 1", 4],
    ["floor(3*seq/4)", 5],
    ["198*p2o.DynamicDimension.0", 594],
    ["(seq mod 4)*batch", 6],
    ["min(seq, 1000000000)", 7],
    ["max(floor((seq - 64)/128), 0)", 0],
    ["broadcast(batch, 1)", 2],
    ["`a b` - batch", 3],
    ["-seq", -7],
  ])("reads %s as %i", (text, number) => {
    expect(readExpression(text)?.at(sizes)).toBe(number);
  });

  it("knows its symbols, and takes those without a size for 1", () => {
    const found = readExpression("3*rows*cols");
    expect(found?.symbols).toEqual(["rows", "cols"]);
    expect(found?.at(new Map([["rows", 4]]))).toBe(12);
  });

  it.each(["", "2*", "a b", "f(2", "(", "1;2", `${"(".repeat(99)}1${")".repeat(99)}`])(
    "takes %j for no arithmetic",
    (text) => {
      expect(readExpression(text)).toBeUndefined();
    },
  );
});

describe("the scale", () => {
  const lightness = (colour: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => {
      const c = Number.parseInt(colour.slice(i, i + 2), 16) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    const cone = (x: number, y: number, z: number) => Math.cbrt(x * r + y * g + z * b);
    return (
      0.2104542553 * cone(0.4122214708, 0.5363325363, 0.0514459929) +
      0.793617785 * cone(0.2119034982, 0.6806995451, 0.1073969566) -
      0.0040720468 * cone(0.0883024619, 0.2817188376, 0.6299787005)
    );
  };

  it.each(["light", "dark"] as const)("changes its lightness evenly in %s", (theme) => {
    const steps = Array.from({ length: 17 }, (_, i) => lightness(colourOf(i / 16, theme)));
    const changes = steps.slice(1).map((step, i) => step - (steps[i] ?? 0));
    const way = theme === "light" ? -1 : 1;
    for (const change of changes) {
      expect(change * way).toBeGreaterThan(0.03);
      expect(change * way).toBeLessThan(0.05);
    }
  });

  it("is written on in an ink that can be read", () => {
    const luminance = (colour: string) => {
      const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => {
        const c = Number.parseInt(colour.slice(i, i + 2), 16) / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    for (let i = 0; i <= 40; i++) {
      const colour = colourOf(i / 40, "light");
      const [a, b] = [luminance(colour), luminance(inkOn(colour))];
      expect((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it("begins at 0 for what counts, and goes below for what is negative", () => {
    expect(scaleFor([3, 4, 5])).toEqual({ low: 0, high: 5, logarithmic: false });
    expect(scaleFor([-2, 4])).toEqual({ low: -2, high: 4, logarithmic: false });
  });

  it("is logarithmic where few numbers would outshine all others", () => {
    const scale = scaleFor([1, 10, 10, 10, 10_000]);
    expect(scale).toEqual({ low: 1, high: 10_000, logarithmic: true });
    expect(shareOf(100, scale)).toBeCloseTo(0.5);
    expect(shareOf(0, scale)).toBe(0);
    expect(scaleFor([1, 10_000], "linear").logarithmic).toBe(false);
  });
});

/** Two layers of a product each and a Relu, in groups; 100 and 300 multiply-adds a batch. */
function layers(): Scene {
  const builder = new SceneBuilder("net");
  builder.input("x", "float32[batch, 4]");
  const groups = [builder.group("first"), builder.group("second")];
  groups.forEach((group, i) => {
    const from = i === 0 ? "x" : "h0r";
    const macs = `${100 + 200 * i}*batch`;
    builder.node("MatMul", `mul${i}`, [from], [[`h${i}`, "float32[batch, 4]"]], {
      group,
      macs,
      weights: [["B", `w${i}`, "float32[4, 4]"]],
    });
    builder.node("Relu", `relu${i}`, [`h${i}`], [[`h${i}r`, "float16[batch, 4]"]], {
      group,
      macs: 0,
    });
  });
  builder.output("h1r");
  return sceneFrom(builder);
}

const WISHES = { theme: "light", sizes: new Map([["batch", 2]]) } as const;
const textOf = (painting: ReturnType<typeof paint>) =>
  Object.fromEntries([...painting.cards].map(([key, { text }]) => [key, text]));

describe("overlays", () => {
  it("colours known and bound figures, and a closed group by its sum", async () => {
    const scene = layers();
    const overlay = overlayOf(scene, "macs", {});
    const { picture } = await drawn(scene, new Set([0, 1]));
    if (!overlay) throw new Error("macs are built in");
    const painting = paint(picture, overlay, WISHES);
    expect(painting.sizes).toEqual([["batch", 2]]);
    expect(textOf(painting)).toEqual({ b1: "200", g2: "600" });
    expect(painting.legend).toMatchObject({ kind: "numbers", low: "0", high: "600" });
    expect(painting.cards.get("g2")?.colour).toBe(colourOf(1, "light"));
  });

  it("counts the parameters of each weight once", () => {
    const scene = layers();
    expect(figuresOf(scene, "parameters")).toEqual(["", 16, 0, 16, 0, ""]);
  });

  it("gives a group the largest of its numbers where that is wished", async () => {
    const scene = layers();
    const values = { mul0: 3, relu0: 4, mul1: 5 };
    const overlay = overlayOf(scene, "ms", { ms: { unit: "ms", combine: "max", values } });
    const { picture } = await drawn(scene, new Set([0]));
    if (!overlay) throw new Error("it is given");
    expect(textOf(paint(picture, overlay, WISHES))).toEqual({ g1: "4 ms", g2: "5 ms" });
  });

  it("colours words by their kind, and leaves a group of several without a colour", async () => {
    const scene = layers();
    const overlay = overlayOf(scene, "dtype", {});
    const { picture } = await drawn(scene, new Set([0, 1]));
    if (!overlay) throw new Error("dtype is built in");
    const painting = paint(picture, overlay, WISHES);
    expect(painting.cards.get("b1")?.text).toBe("float32");
    expect(painting.cards.has("g2")).toBe(false);
    expect(painting.legend).toMatchObject({
      entries: [
        { word: "float16", count: 3 },
        { word: "float32", count: 3 },
      ],
    });
  });

  it("shows the range of what a run has made by its largest magnitude", () => {
    const overlay = rangeOverlay(layers(), { mul0: [-3, 2] });
    expect(overlay.values[1]).toBe(3);
    expect(overlay.texts?.get(1)).toBe("-3 … 2");
  });

  it("lets a person's own overlay stand in for a built-in one of its name", () => {
    const given = { macs: { unit: "", combine: "sum", values: { mul0: 1 } } } as const;
    expect(overlayOf(layers(), "macs", given)?.values[1]).toBe(1);
    expect(overlayOf(layers(), "latency", {})).toBeUndefined();
  });
});

it("knows no number where nothing is known", () => {
  expect(numberOf("", new Map())).toBeUndefined();
  expect(numberOf("no arithmetic", new Map())).toBeUndefined();
  expect(symbolsOf(["2*a", "a*b", 3, ""])).toEqual(["a", "b"]);
});

it.each([
  [0, "", "0"],
  [999, "", "999"],
  [1350, "", "1.35 k"],
  [118_013_952, "", "118 M"],
  [2_500_000, "B", "2.50 MB"],
  [0.0256, "ms", "0.0256 ms"],
  [12_000, "ms", "12,000 ms"],
  [999_700, "", "1 M"],
  [2e20, "", "200 E"],
  [-3.4028235e38, "", "-3.4e+38"],
  [3.4028235e38, "ms", "3.4e+38 ms"],
])("writes %d %s as %s", (number, unit, text) => {
  expect(amountText(number, unit)).toBe(text);
});
