import { describe, expect, it } from "vitest";
import { type Foldable, fold } from "../src/core/fold";
import type { BoxColumns, EdgeColumns, GroupColumns } from "../src/protocol/scene";

interface FoldCase {
  says: string;
  scene: {
    groups: GroupColumns;
    boxes: Pick<BoxColumns, "group">;
    edges: Omit<EdgeColumns, "note" | "declared" | "from_file">;
  };
  expanded: number[];
  visible: { boxes: number[]; groups: number[]; edges: [string, string, number, string][] };
}

const files = import.meta.glob<FoldCase>("../../tests/fold_cases/*.json", {
  eager: true,
  import: "default",
});
const cases = Object.entries(files).map(
  ([path, found]) => [path.split("/").at(-1), found] as const,
);

function foldable({ groups, boxes, edges }: FoldCase["scene"]): Foldable {
  return {
    groups: groups.parent.map((parent, i) => ({ parent, owner: groups.box[i] ?? -1 })),
    boxes: boxes.group.map((group) => ({ group })),
    edges: edges.value.map((value, i) => ({
      value,
      source: edges.source[i] ?? -1,
      target: edges.target[i] ?? -1,
      label: edges.label[i] ?? "",
      mark: edges.mark[i] ?? "known",
    })),
  };
}

describe("folding, by the cases shared with Python", () => {
  it.each(cases)("%s", (_, { scene, expanded, visible, says }) => {
    const { boxes, groups, edges } = fold(foldable(scene), new Set(expanded));
    expect(
      {
        boxes,
        groups,
        edges: edges.map((edge) => [edge.source, edge.target, edge.edges.length, edge.label]),
      },
      says,
    ).toEqual(visible);
  });

  it("has cases to run", () => expect(cases.length).toBeGreaterThan(5));
});

it("a joined edge carries the worst mark of its edges", () => {
  const [, joined] = cases.find(([name]) => name === "joined_edges.json") ?? [];
  if (!joined) throw new Error("the case is gone");
  const { edges } = fold(foldable(joined.scene), new Set(joined.expanded));
  expect(edges.map(({ source, target, mark }) => [source, target, mark])).toEqual([
    ["g1", "g2", "unknown"],
    ["g2", "b4", "known"],
  ]);
});
