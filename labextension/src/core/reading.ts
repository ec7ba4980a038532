/** From the bytes that travel to a scene, in pieces: a large model must not hold up the page that it comes into. */
import { contentSteps, type GroupContent } from "./card";
import { chunked } from "./chunk";
import { inPieces, type Steps } from "./pace";
import { type Scene, SceneError, sceneSteps } from "./scene";

/** A scene with what is counted once for it. */
export interface Loaded {
  readonly scene: Scene;
  readonly contents: readonly GroupContent[];
}

/** What every gzip file begins with. */
const ZIPPED = 0x1f8b;

export async function readLoaded(bytes: DataView): Promise<Loaded> {
  const text = await textOf(bytes);
  return inPieces(loadedSteps(text));
}

async function textOf(bytes: DataView): Promise<string> {
  const given = new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 2 || bytes.getUint16(0) !== ZIPPED) return new TextDecoder().decode(given);
  const zipped = new Response(given).body;
  try {
    return await new Response(zipped?.pipeThrough(new DecompressionStream("gzip"))).text();
  } catch (error) {
    throw new SceneError(`the scene cannot be unzipped: ${String(error)}`);
  }
}

function* loadedSteps(text: string): Steps<Loaded> {
  const columns = yield* columnSteps(text);
  const read = yield* sceneSteps(columns);
  yield;
  const scene = chunked(read);
  yield;
  const contents = yield* contentSteps(scene);
  return { scene, contents };
}

/** The first line holds what is no table; each of the others a piece of a column: `[table, column, cells]`. */
export function* columnSteps(text: string): Steps<Record<string, unknown>> {
  const [head = "", ...pieces] = text.split("\n");
  const scene = parsed(head) as Record<string, Record<string, unknown[]>>;
  for (const piece of pieces) {
    yield;
    const [table, column, cells] = parsed(piece) as [string, string, unknown[]];
    scene[table] ??= {};
    const known = scene[table][column];
    scene[table][column] = known ? known.concat(cells) : cells;
  }
  return scene;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SceneError(`the scene is not JSON: ${String(error)}`);
  }
}
