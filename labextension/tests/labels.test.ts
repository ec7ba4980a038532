import { describe, expect, it } from "vitest";
import { overlaps, type Rect, sample, straightPiece } from "../src/core/curve";
import { Occupied, Passages, placeLabel } from "../src/core/labels";

/** A wire that goes straight down. */
const wire = sample(straightPiece({ x: 100, y: 0 }, { x: 100, y: 200 }));
const size = { width: 60, height: 12 };
const anywhere = () => true;

function clearOf(...rects: Rect[]) {
  const taken = new Occupied();
  for (const rect of rects) taken.add(rect);
  return (rect: Rect) => taken.isFree(rect);
}

describe("a label", () => {
  it("is moved along its width where its middle would lie across a border, and stays on its wire", () => {
    const border = { x: 115, y: 0, width: 2, height: 200 };
    const placed = placeLabel(wire, size, anywhere, clearOf(border));
    if (!placed) throw new Error("there is room");
    expect(overlaps(placed, border)).toBe(false);
    expect(placed.x).toBeLessThan(100);
    expect(placed.x + placed.width).toBeGreaterThan(100);
  });

  it("lies across a border where there is no other place", () => {
    const borders = [85, 95, 105, 115].map((x) => ({ x, y: 0, width: 2, height: 200 }));
    expect(placeLabel(wire, size, anywhere, clearOf(...borders))).toBeDefined();
  });

  it("is left out where everything is taken", () =>
    expect(placeLabel(wire, size, clearOf({ x: 0, y: 0, width: 200, height: 200 }))).toBe(
      undefined,
    ));

  it("goes where no other wire passes", () => {
    const passages = new Passages();
    passages.add(0, wire);
    // Another one beside it, down to its middle.
    passages.add(1, sample(straightPiece({ x: 110, y: 0 }, { x: 110, y: 110 })));
    const isAlone = (rect: Rect) => passages.isFree(rect, (one) => one === 0);
    const placed = placeLabel(wire, size, anywhere, isAlone);
    if (!placed) throw new Error("there is room");
    expect(placed.y > 110 || placed.x + placed.width < 110).toBe(true);
  });
});
