/** From the bytes that travel to a scene, in pieces: a large model must not hold up the page that it comes into. */
import { contentSteps, type GroupContent } from "./card";
import { chunked } from "./chunk";
import { inPieces, Pace, pause, type Steps } from "./pace";
import { at, type Scene, SceneError, sceneSteps } from "./scene";

/** A scene with what is counted once for it. */
export interface Loaded {
  readonly scene: Scene;
  readonly contents: readonly GroupContent[];
}

/** What every gzip file begins with. */
const ZIPPED = 0x1f8b;

/** How much is unzipped at once: a stream would take all that it is given. */
const SLICE = 64 * 1024;

export async function readLoaded(bytes: DataView): Promise<Loaded> {
  await pause();
  const text = await textOf(bytes);
  const loaded = await inPieces(loadedSteps(text));
  await pause();
  return loaded;
}

export async function textOf(bytes: DataView): Promise<string> {
  const given = new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 2 || bytes.getUint16(0) !== ZIPPED) return new TextDecoder().decode(given);
  const { readable, writable } = new DecompressionStream("gzip");
  try {
    const [text] = await Promise.all([collect(readable), feed(writable, given)]);
    return text;
  } catch (error) {
    throw new SceneError(`the scene cannot be unzipped: ${String(error)}`);
  }
}

async function feed(into: WritableStream<BufferSource>, bytes: Uint8Array<ArrayBuffer>) {
  const writer = into.getWriter();
  const pace = new Pace();
  for (let i = 0; i < bytes.length; i += SLICE) {
    await writer.write(bytes.subarray(i, i + SLICE));
    await pace.rest();
  }
  await writer.close();
}

async function collect(from: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = from.getReader();
  const parts: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts.join("");
    parts.push(decoder.decode(value, { stream: true }));
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

/** A piece of a column: cells, places of cells in the shared list, or three such places a port. */
type Piece =
  | readonly [table: string, column: string, cells: unknown[]]
  | readonly [table: string, column: string, places: number[], form: "places"]
  | readonly [table: string, column: string, sizes: number[], form: "ports", places: number[]];

/** The first line holds what is no table, those of one list what columns share, the others pieces of columns. */
export function* columnSteps(text: string): Steps<Record<string, unknown>> {
  const [head = "", ...lines] = text.split("\n");
  yield;
  const scene = parsed(head) as Record<string, Record<string, unknown[]>>;
  const shared: unknown[] = [];
  const pieces: Record<string, Record<string, unknown[][]>> = {};
  for (const text of lines) {
    yield;
    const line = parsed(text) as readonly [shared: unknown[]] | Piece;
    if (line.length === 1) {
      for (const cell of line[0]) shared.push(cell);
      continue;
    }
    const [table, column] = line;
    pieces[table] ??= {};
    pieces[table][column] ??= [];
    pieces[table][column].push(cellsOf(line, shared));
  }
  for (const [table, columns] of Object.entries(pieces)) {
    scene[table] ??= {};
    for (const [column, parts] of Object.entries(columns)) {
      yield;
      scene[table][column] = ([] as unknown[]).concat(...parts);
    }
  }
  return scene;
}

function cellsOf(piece: Piece, shared: readonly unknown[]): unknown[] {
  if (piece.length === 3) return piece[2];
  const [, , numbers, form] = piece;
  if (form === "places") return numbers.map((place) => at(shared, place));
  return portsOf(numbers, piece[4], shared);
}

function portsOf(
  sizes: readonly number[],
  places: readonly number[],
  shared: readonly unknown[],
): unknown[] {
  let next = 0;
  const text = () => at(shared, at(places, next++));
  return sizes.map((size) => {
    // With a length from the start a list takes no more room than it needs.
    const ports = new Array<unknown>(size);
    for (let i = 0; i < size; i++) ports[i] = [text(), text(), text()];
    return ports;
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SceneError(`the scene is not JSON: ${String(error)}`);
  }
}
