/** The bytes of Graphviz: the bundle holds them zipped, since browsers unzip many times faster than scripts do. */
import packed from "graphviz.wasm?packed";

let bytes: ArrayBuffer | undefined;

/** To be awaited before the library is asked for its engine. */
export async function unpack(): Promise<void> {
  const zipped = new Response(fromBase64(packed)).body;
  bytes ??= await new Response(zipped?.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** Stands in the bundled library where it would unpack its own copy. */
export function graphvizBytes(): ArrayBuffer | undefined {
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  // Not every browser has it yet.
  const native: unknown = Reflect.get(Uint8Array, "fromBase64");
  if (typeof native === "function") return native.call(Uint8Array, text);
  const letters = atob(text);
  const out = new Uint8Array(letters.length);
  for (let i = 0; i < out.length; i++) out[i] = letters.charCodeAt(i);
  return out;
}
