/** Bytes that travel as text. */

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  // Not every browser has it yet.
  const native: unknown = Reflect.get(Uint8Array, "fromBase64");
  if (typeof native === "function") return native.call(Uint8Array, text);
  const letters = atob(text);
  const out = new Uint8Array(letters.length);
  for (let i = 0; i < out.length; i++) out[i] = letters.charCodeAt(i);
  return out;
}
