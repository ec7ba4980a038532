/** Graphviz behind messages. Bundled as text of its own, so that one module carries it into any page. */
import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { IN_PAGE, type LayoutReply, type LayoutRequest } from "./messages";
import { unpack } from "./wasm";

interface WorkerScope {
  onmessage: ((event: MessageEvent<LayoutRequest>) => void) | null;
  postMessage(reply: LayoutReply): void;
}

// json0 is not among the formats that the library's types name.
type Json0Engine = { layout(dot: string, format: "json0", engine: "dot"): string };

/** Code is compiled when it first runs: better while the page still reads the model. */
const WARM_UP =
  "digraph{a[shape=plain label=<<table><tr><td port='p'></td></tr></table>>];a:p:s->b->c;a->c}";

let loading: Promise<Json0Engine> | undefined;

async function load(): Promise<Json0Engine> {
  await unpack();
  return (await Graphviz.load()) as unknown as Json0Engine;
}

async function serve({ id, dot }: LayoutRequest): Promise<LayoutReply> {
  try {
    loading ??= load();
    const engine = await loading;
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
  void serve({ id: -1, dot: WARM_UP });
} else {
  Reflect.set(globalThis, IN_PAGE, serve);
}
