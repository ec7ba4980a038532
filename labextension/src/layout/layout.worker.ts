/** Graphviz behind messages. Bundled as text of its own, so that one module carries it into any page. */
import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { IN_PAGE, type LayoutReply, type LayoutRequest } from "./messages";

interface WorkerScope {
  onmessage: ((event: MessageEvent<LayoutRequest>) => void) | null;
  postMessage(reply: LayoutReply): void;
}

// json0 is not among the formats that the library's types name.
type Json0Engine = { layout(dot: string, format: "json0", engine: "dot"): string };

let loading: Promise<Graphviz> | undefined;

async function serve({ id, dot }: LayoutRequest): Promise<LayoutReply> {
  try {
    loading ??= Graphviz.load();
    const engine = (await loading) as unknown as Json0Engine;
    return { id, text: engine.layout(dot, "json0", "dot") };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // The library wraps a wrong text and a trap in the same class; only the words tell that the engine is whole.
    const broken = !/syntax error/i.test(text);
    if (broken) {
      Graphviz.unload();
      loading = undefined;
    }
    return { id, error: text, broken };
  }
}

if (typeof document === "undefined") {
  const scope = globalThis as unknown as WorkerScope;
  scope.onmessage = async ({ data }) => scope.postMessage(await serve(data));
  scope.postMessage({ id: 0 });
} else {
  Reflect.set(globalThis, IN_PAGE, serve);
}
