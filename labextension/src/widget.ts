/** The widget's front end for anywidget: a module whose `render` draws the explorer into a cell. */
import type { RenderProps } from "@anywidget/types";
import { leaseEngine } from "./layout/shared";
import { AnyWidgetTransport, type WidgetTraits } from "./protocol/anywidget";
import { Explorer } from "./view/explorer";

function render({ model, el }: Pick<RenderProps<WidgetTraits>, "model" | "el">): () => void {
  const { engine, release } = leaseEngine();
  const transport = new AnyWidgetTransport(model);
  const explorer = new Explorer(transport, (dot) => engine.layout(dot));
  el.append(explorer.root);
  explorer.start();
  return () => {
    explorer.dispose();
    transport.dispose();
    release();
  };
}

export default { render };
