/**
 * What anywidget loads for each widget: a few lines that fetch the explorer itself, which is another trait, when it is drawn.
 *
 * anywidget takes a widget whose module is not there within two seconds for a failed one, and from then on hands it nothing
 * that comes from the kernel. A busy browser may need longer for all of the explorer, but not for this.
 */
import type { RenderProps } from "@anywidget/types";
import type explorer from "./widget";

interface Traits extends Record<string, unknown> {
  _explorer: string;
}

type Program = Promise<{ default: typeof explorer }>;

// anywidget imports this module anew for every widget; the explorer is to be there once.
const KEY = Symbol.for("onnx-explorer.programs");

function programs(): Map<string, Program> {
  const known = Reflect.get(globalThis, KEY) as Map<string, Program> | undefined;
  const all = known ?? new Map<string, Program>();
  if (!known) Reflect.set(globalThis, KEY, all);
  return all;
}

async function imported(source: string): Program {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return await import(/* webpackIgnore: true */ url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function program(source: string): Program {
  const all = programs();
  let found = all.get(source);
  if (!found) {
    found = imported(source);
    all.set(source, found);
    found.catch(() => all.delete(source));
  }
  return found;
}

async function render({ model, el }: Pick<RenderProps<Traits>, "model" | "el">) {
  const { default: explorer } = await program(model.get("_explorer"));
  return explorer.render({ model: model as never, el });
}

export default { render };
