/** The bytes of Graphviz: the bundle holds them zipped, since browsers unzip many times faster than scripts do. */

import packed from "graphviz.wasm?packed";
import { fromBase64 } from "../core/base64";

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
