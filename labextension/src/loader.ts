/**
 * What anywidget loads for each widget: a few lines that fetch the explorer itself, which is another trait, when it is drawn.
 *
 * anywidget takes a widget whose module is not there within two seconds for a failed one, and from then on hands it nothing
 * that comes from the kernel. A busy browser may need longer for all of the explorer, but seldom for this.
 */
import type { RenderProps } from "@anywidget/types";
import type explorer from "./widget";

interface Traits extends Record<string, unknown> {
  _explorer: string;
  _comm_id: string;
}

/** What all models of ipywidgets have. */
interface Hearing {
  readonly comm?: { on_msg(listener: (message: unknown) => unknown): void };
  _handle_comm_msg(message: unknown): unknown;
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

/** Where this did need longer: what comes from the kernel goes to the class that anywidget's own extends, which does not wait. */
async function listen(model: RenderProps<Traits>["model"]): Promise<void> {
  const own: Hearing = (await model.widget_manager.get_model(model.get("_comm_id"))) as never;
  const above: Hearing = Object.getPrototypeOf(Object.getPrototypeOf(own));
  own.comm?.on_msg((message) => above._handle_comm_msg.call(own, message));
}

async function render({ model, el }: Pick<RenderProps<Traits>, "model" | "el">) {
  // Hosts with other models have no such limit.
  listen(model).catch(() => undefined);
  const { default: explorer } = await program(model.get("_explorer"));
  return explorer.render({ model: model as never, el });
}

export default { render };
