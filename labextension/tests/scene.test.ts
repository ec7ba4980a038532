import { describe, expect, it } from "vitest";
import { readLoaded } from "../src/core/reading";
import { SceneError, sceneOf } from "../src/core/scene";
import type { SceneColumns } from "../src/protocol/scene";
import { smallCnn } from "./scenes";

const columns = (): SceneColumns => JSON.parse(smallCnn().json());

const view = ({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>) =>
  new DataView(buffer, byteOffset, length);

async function zipped(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function refusal(change: (columns: SceneColumns) => void): string {
  const changed = columns();
  change(changed);
  try {
    sceneOf(changed);
  } catch (error) {
    if (error instanceof SceneError) return error.message;
    throw error;
  }
  return "";
}

describe("a scene that cannot be drawn is refused with the place and both facts", () => {
  it("another version", () => {
    const message = refusal((c) => {
      c.version = 2;
    });
    expect(message).toContain("version 2");
    expect(message).toContain("reads 1");
  });

  it("columns of unequal length", () => {
    const message = refusal((c) => c.boxes.op.pop());
    expect(message).toMatch(/^boxes\.op has \d+ entries, the other columns have \d+$/);
  });

  it.each([
    ["edges.target[0]", (c: SceneColumns) => (c.edges.target[0] = 999)],
    ["boxes.group[1]", (c: SceneColumns) => (c.boxes.group[1] = -1)],
    ["groups.parent[1]", (c: SceneColumns) => (c.groups.parent[1] = 1.5)],
  ])("an index that points nowhere: %s", (where, change) => {
    expect(refusal(change)).toContain(`${where} is`);
  });

  it("groups whose parents form a ring", () => {
    const message = refusal((c) => {
      c.groups.parent[1] = 2;
      c.groups.parent[2] = 1;
    });
    expect(message).toContain("ring");
  });

  it("a word that is none of the contract's", () => {
    expect(refusal((c) => (c.edges.mark[0] = "maybe" as "known"))).toContain(
      "edges.mark[0] is 'maybe', expected one of known, unknown, mismatch",
    );
  });

  it("a column of the wrong type", () => {
    expect(refusal((c) => (c.boxes.id[2] = 7 as unknown as string))).toBe(
      "boxes.id[2] should be a string, found a number",
    );
  });

  it("bytes that are no JSON", async () => {
    const bytes = new TextEncoder().encode("{");
    await expect(readLoaded(view(bytes))).rejects.toThrow(SceneError);
  });

  it("bytes that are cut off", async () => {
    const bytes = (await zipped("{}")).subarray(0, 15);
    await expect(readLoaded(view(bytes))).rejects.toThrow(SceneError);
  });
});

it("a category that this front end does not know is drawn as other", () => {
  const changed = columns();
  (changed.boxes.category as string[])[1] = "quantum";
  expect(sceneOf(changed).boxes[1]?.category).toBe("other");
});

it("reads the bytes of the trait, whatever letters they hold", async () => {
  const changed = columns();
  changed.title = "Größe 模型 </script>";
  const bytes = new TextEncoder().encode(JSON.stringify(changed));
  const { scene } = await readLoaded(view(bytes));
  expect(scene.title).toBe("Größe 模型 </script>");
});

it("reads columns that come zipped and in pieces, in any order of tables", async () => {
  const { groups, boxes, edges, initializers, ...head } = columns();
  const lines: unknown[] = [head];
  for (const [table, cells] of Object.entries({ edges, initializers, boxes, groups }))
    for (const [column, all] of Object.entries<unknown[]>({ ...cells })) {
      lines.push([table, column, all.slice(0, 2)]);
      if (all.length > 2) lines.push([table, column, all.slice(2)]);
    }
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const { scene } = await readLoaded(view(await zipped(text)));
  expect(JSON.stringify(scene)).toBe(JSON.stringify(sceneOf(columns())));
});

it("reads cells that stand in a list once, by their places in it", async () => {
  const { boxes, edges, groups, initializers, ...head } = columns();
  const { inputs, op, ...others } = boxes;
  const shared = [...new Set([...op, ...inputs.flat(2)])];
  const placeOf = (cell: string) => shared.indexOf(cell);
  const lines: unknown[] = [
    { ...head, boxes: others, edges, groups, initializers },
    [shared.slice(0, 3)],
    [shared.slice(3)],
    ["boxes", "op", op.map(placeOf), "places"],
    ["boxes", "inputs", inputs.map(({ length }) => length), "ports", inputs.flat(2).map(placeOf)],
  ];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const { scene } = await readLoaded(view(await zipped(text)));
  expect(scene).toEqual({ ...sceneOf(columns()), shorten: expect.any(Function) });
});

describe("long names of dims", () => {
  const columns = smallCnn().columns;
  const scene = sceneOf({
    ...columns,
    aliases: [
      ["axis.of.things.1", "axis…1"],
      ["axis.of.things.12", "axis…12"],
    ],
  });

  it("are shortened inside of arithmetic, one that begins like another too", () => {
    expect(scene.shorten("float32[axis.of.things.12, 2*axis.of.things.1 + 1]")).toBe(
      "float32[axis…12, 2*axis…1 + 1]",
    );
  });

  it("are left alone where nothing shortens them", () => {
    expect(scene.shorten("float32[axisXofXthings.1]")).toBe("float32[axisXofXthings.1]");
    expect(sceneOf(columns).shorten("float32[batch]")).toBe("float32[batch]");
  });
});
