import { describe, expect, it } from "vitest";
import { bars, MINIATURE, miniatureText } from "../src/core/miniature";

describe("a value in miniature", () => {
  it("draws the most frequent bar as high as there is room, and nothing where nothing is", () => {
    const drawn = bars({ low: 0, high: 1, counts: [1, 0, 4], nan: 0, infinite: 0 });
    expect(drawn).toHaveLength(2);
    expect(drawn[1]?.height).toBe(MINIATURE.height);
    expect(drawn[0]?.height).toBe(MINIATURE.height / 4);
  });

  it("shows what occurs once among many", () => {
    expect(bars({ counts: [1, 1000], nan: 0, infinite: 0 })[0]?.height).toBe(1);
  });

  it("says the range and what is no number", () => {
    expect(miniatureText({ low: -1, high: 2.5, counts: [1], nan: 3, infinite: 0 })).toBe(
      "-1 to 2.5, 3 NaN",
    );
    const sampled = { low: 0, high: 1, counts: [1], nan: 0, infinite: 0, sampled: true };
    expect(miniatureText(sampled)).toBe("about 0 to 1");
    expect(miniatureText({ text: "=0", nan: 0, infinite: 0 })).toBe("all 0");
    expect(miniatureText({ text: "42", nan: 0, infinite: 0 })).toBe("42");
  });
});
