import { describe, expect, it } from "vitest";
import { overlaps, sample, straightPiece } from "../src/core/curve";
import { Occupied, placeLabel } from "../src/core/labels";

/** A wire that goes straight down. */
const wire = sample(straightPiece({ x: 100, y: 0 }, { x: 100, y: 200 }));
const size = { width: 60, height: 12 };

describe("a label", () => {
  it("is moved along its width where its middle would lie across a border, and stays on its wire", () => {
    const border = { x: 115, y: 0, width: 2, height: 200 };
    const clear = new Occupied();
    clear.add(border);
    const placed = placeLabel(wire, size, new Occupied(), [1], clear);
    if (!placed) throw new Error("there is room");
    expect(overlaps(placed.rect, border)).toBe(false);
    expect(placed.rect.x).toBeLessThan(100);
    expect(placed.rect.x + placed.rect.width).toBeGreaterThan(100);
  });

  it("lies across a border where there is no other place, rather than being smaller", () => {
    const borders = new Occupied();
    for (const x of [85, 95, 105, 115]) borders.add({ x, y: 0, width: 2, height: 200 });
    expect(placeLabel(wire, size, new Occupied(), [1, 0.5], borders)?.scale).toBe(1);
  });
});
