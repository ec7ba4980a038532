import { describe, expect, it } from "vitest";
import { fillingsOf, pictureSize, sizeHint } from "../src/core/inputs";
import type { Filling, InputRow } from "../src/protocol/messages";

const row = (how: Filling): InputRow => ({
  name: "x",
  type: "float32[n]",
  how,
  text: "",
  shown: "float32[8]",
  problem: "",
});

describe("the panel of inputs", () => {
  it("names a file only where one has been given", () => {
    expect(fillingsOf(row("random"))).not.toContain("file");
    expect(fillingsOf(row("file"))[0]).toBe("file");
  });

  it("says why a size cannot be chosen before what it may be", () => {
    const size = { name: "n", size: 4, fixed: "x", asked: "n >= 2" };
    expect(sizeHint(size)).toBe("as x has it");
    expect(sizeHint({ ...size, fixed: "" })).toBe("works for n >= 2");
    expect(sizeHint({ ...size, fixed: "", asked: "" })).toBe("");
  });

  it("draws a picture at its own size where the input leaves it open", () => {
    const own = { height: 5, width: 7 };
    expect(pictureSize(own, { height: 0, width: 0 })).toEqual(own);
    expect(pictureSize(own, { height: 3, width: 4 })).toEqual({ height: 3, width: 4 });
  });
});
