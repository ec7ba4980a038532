import { describe, expect, it } from "vitest";
import { chunked } from "../src/core/chunk";
import { homeOf, withConstants } from "../src/core/constant_boxes";
import { fold } from "../src/core/fold";
import { highlight } from "../src/core/highlight";
import { inspect } from "../src/core/inspection";
import { neighbour } from "../src/core/paths";
import { at, type Scene } from "../src/core/scene";
import { search } from "../src/core/search";
import { selectionOfBox } from "../src/core/selection";
import type { BoxColumns, GroupColumns, InitializerColumns } from "../src/protocol/scene";
import { flat } from "./flat";
import { SceneBuilder, smallCnn } from "./scenes";
import { drawn, sceneFrom } from "./setting";

interface ConstantCase {
  says: string;
  scene: {
    groups: GroupColumns;
    boxes: Pick<BoxColumns, "group">;
    initializers: Pick<InitializerColumns, "name" | "group" | "boxes" | "notes">;
  };
  readers: number[] | null;
  boxes: [string, number][];
  edges: [string, number, string][];
}

const files = import.meta.glob<ConstantCase>("../../tests/constant_cases/*.json", {
  eager: true,
  import: "default",
});
const cases = Object.entries(files).map(
  ([path, found]) => [path.split("/").at(-1), found] as const,
);

function sceneOfCase({ groups, boxes, initializers }: ConstantCase["scene"]): Scene {
  const builder = new SceneBuilder("");
  for (let i = 0; i < boxes.group.length; i++) builder.node("Relu", `n${i}`, [], []);
  const { columns } = builder;
  columns.groups = groups;
  columns.boxes.group = boxes.group;
  columns.initializers = {
    ...initializers,
    type: initializers.name.map(() => "float32[2]"),
    bytes: initializers.name.map(() => 8),
    text: initializers.name.map(() => ""),
  };
  return sceneFrom(builder);
}

describe("constants as boxes, by the cases shared with Python", () => {
  it.each(cases)("%s", (_, { scene: columns, readers, boxes, edges, says }) => {
    const before = sceneOfCase(columns);
    const after = withConstants(before, readers ? new Set(readers) : "all");
    const made = after.boxes.slice(before.boxes.length);
    expect(after.boxes.slice(0, before.boxes.length), says).toEqual(before.boxes);
    expect(made.map(({ name, group }) => [name, group])).toEqual(boxes);
    const found = after.edges.map(({ source, target, mark }) => [
      at(after.boxes, source).name,
      target,
      mark,
    ]);
    expect(found).toEqual(edges);
  });

  it("are some", () => expect(cases.length).toBeGreaterThanOrEqual(2));
});

/** Two products with one weight, of which the second adds one number. */
function shared() {
  const builder = new SceneBuilder("net");
  const type = "float32[2, 2]";
  builder.input("x", type);
  builder.node("MatMul", "first", ["x"], [["a", type]], { weights: [["B", "w", type]] });
  builder.node("MatMul", "second", ["a"], [["b", type]], { weights: [["B", "w", type]] });
  builder.node("Add", "third", ["b"], [["c", type]], { weights: [["B", "half", "float32[]"]] });
  builder.output("c");
  builder.columns.initializers.text = ["", "0.5"];
  return sceneFrom(builder);
}

describe("in the drawing", () => {
  const scene = withConstants(shared(), "all");
  const box = (id: string) => scene.boxOfId.get(id) ?? -1;

  it("a shared one is one box with an edge to each user, and says its type or its number", async () => {
    const { picture } = await drawn(scene, new Set([0]));
    const cards = picture.cards.filter(({ kind }) => kind === "initializer");
    const texts = cards.map(({ card }) => card.lines.map(({ text }) => text));
    expect(texts).toEqual([
      ["w", "float32[2, 2]"],
      ["half", "0.5"],
    ]);
    const from = picture.folded.filter(({ source }) => source === `b${box("const:w")}`);
    expect(from.map(({ target }) => target)).toEqual([`b${box("first")}`, `b${box("second")}`]);
  });

  it("their edges have no labels: the box says it", async () => {
    const { picture } = await drawn(scene, new Set([0]));
    expect(picture.labels.map(({ value }) => value).sort()).toEqual(["a", "b", "c", "x"]);
  });

  it("they stand aside: what flows between nodes goes straight down", async () => {
    const { picture } = await drawn(scene, new Set([0]));
    const middle = (id: string) => {
      const card = picture.cards.find(({ key }) => key === `b${box(id)}`);
      return card ? card.x + card.width / 2 : Number.NaN;
    };
    expect(middle("second")).toBeCloseTo(middle("first"), 0);
    expect(middle("third")).toBeCloseTo(middle("second"), 0);
  });

  it("they are small", async () => {
    const { picture } = await drawn(scene, new Set([0]));
    const height = (id: string) =>
      picture.cards.find(({ key }) => key === `b${box(id)}`)?.height ?? 0;
    expect(height("const:w")).toBeLessThan(height("first"));
  });

  it("the selection of one is its value, and lights its box", async () => {
    const selection = selectionOfBox(scene, box("const:w"));
    expect(selection).toEqual({ kind: "value", value: "w" });
    expect(selectionOfBox(scene, box("first"))).toEqual({ kind: "box", box: box("first") });
    const { picture } = await drawn(scene, new Set([0]));
    const { cards } = highlight(scene, picture, selection, [], new Map(), "off");
    expect([...cards]).toEqual([`b${box("const:w")}`]);
  });

  it("the inspector says of it what it says without the box", () => {
    const folded = inspect(shared(), [], { kind: "value", value: "w" });
    expect(inspect(scene, [], { kind: "value", value: "w" })).toEqual(folded);
    expect(folded.subtitle).toBe("initializer");
  });

  it("arrows lead down to the first user, and up from one that nothing else feeds", () => {
    expect(neighbour(scene, box("const:w"), "down")).toBe(box("first"));
  });

  it("search finds it by its name and its type", () => {
    const names = (query: string) => search(scene, query).map((hit) => hit.title);
    expect(names("half")).toEqual(["half"]);
    expect(names("name:w")).toEqual(["w"]);
  });

  it("search finds one that is part of a node too, by its name, and leads to the node", () => {
    const folded = shared();
    const [hit, ...more] = search(folded, "half");
    expect(more).toEqual([]);
    expect([hit?.title, hit?.path]).toEqual(["half", "in Add third"]);
    expect(hit?.selection).toEqual({ kind: "value", value: "half" });
    expect(at(folded.boxes, hit?.box ?? -1).name).toBe("third");
    expect(search(folded, "name:half dtype:float32")).toHaveLength(1);
    expect(search(folded, "name:half dtype:int8")).toEqual([]);
    // A type alone is asked for of nodes.
    const kinds = search(folded, "dtype:float32").map(({ selection }) => selection.kind);
    expect(new Set(kinds)).toEqual(new Set(["box"]));
  });

  it("search finds one that nothing reads, and says so", () => {
    const { initializers } = shared();
    const half = initializers.get("half");
    if (!half) throw new Error("the scene has no such constant");
    const idle = {
      ...shared(),
      initializers: new Map([["idle", { ...half, name: "idle", boxes: [] }]]),
    };
    const [hit] = search(idle, "idle");
    expect([hit?.title, hit?.path, hit?.box]).toEqual(["idle", "nothing reads it", undefined]);
  });
});

it("is closed away with the group of all its users", () => {
  const scene = withConstants(sceneFrom(smallCnn()), "all");
  const weight = scene.boxOfId.get("const:conv1.weight") ?? -1;
  const stage = scene.groups.findIndex(({ label }) => label === "features/stage1");
  const open = new Set(scene.groups.keys());
  expect(fold(scene, open).boxes).toContain(weight);
  open.delete(stage);
  const folding = fold(scene, open);
  expect(folding.boxes).not.toContain(weight);
  expect(folding.standIn[weight]).toBe(`g${stage}`);
});

it("one of runs of a flat graph stands in the run of its reader", () => {
  const builder = flat(1000);
  const reader = builder.columns.boxes.id.indexOf("Conv_990");
  const target = reader < 0 ? builder.columns.boxes.id.length - 2 : reader;
  builder.columns.initializers = {
    name: ["w"],
    type: ["float32[2]"],
    bytes: [8],
    boxes: [[target]],
    group: [0],
    text: [""],
    notes: [[]],
  };
  const scene = chunked(sceneFrom(builder));
  const constant = scene.initializers.get("w");
  expect(constant && homeOf(scene, constant)).toBe(at(scene.boxes, target).group);
  expect(at(scene.boxes, target).group).toBeGreaterThan(0);
});

it("a weight that does not fit has a marked edge and a reason", () => {
  const scene = shared();
  const constant = scene.initializers.get("w");
  if (!constant) throw new Error("no weight");
  const initializers = new Map([["w", { ...constant, notes: ["", "2 is not 3"] }]]);
  const marked = withConstants({ ...scene, initializers }, "all");
  const edges = marked.edges.filter(({ value }) => value === "w");
  expect(edges.map(({ mark }) => mark)).toEqual(["known", "mismatch"]);
  const told = inspect(marked, [], { kind: "value", value: "w" }).sections[0];
  expect(told).toMatchObject({ title: "Mismatch", lines: [{ text: "2 is not 3" }] });
});
