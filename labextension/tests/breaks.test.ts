import { describe, expect, it } from "vitest";
import { pieces } from "../src/core/breaks";

describe("a long name", () => {
  it("may end a line behind each of the signs between its words", () =>
    expect(pieces("/encoder/layers.0/Constant_output_0")).toEqual([
      "/",
      "encoder/",
      "layers.",
      "0/",
      "Constant_",
      "output_",
      "0",
    ]));

  it("is left alone where it is short, also among others", () => {
    expect(pieces("kernel_shape")).toEqual(["kernel_shape"]);
    expect(pieces("what node_1 makes: patch_embeddings")).toEqual([
      "what node_1 makes: patch_",
      "embeddings",
    ]);
  });

  it("is the same in pieces, whatever it holds", () => {
    for (const text of [
      "",
      " ",
      "a b",
      "::x",
      "n*(m_1 + 2)//some_longer_name",
      "line one\n  two_words_of_it",
    ])
      expect(pieces(text).join("")).toBe(text);
  });
});
