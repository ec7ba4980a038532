/** The widget's front end for anywidget: a module whose `render` draws the explorer into a cell. */
import type { RenderProps } from "@anywidget/types";
import { fromBase64 } from "./core/base64";
import { nextFrame, pause } from "./core/pace";
import type { Recorded } from "./core/recorded";
import { leaseEngine } from "./layout/shared";
import { AloneTransport, type Answers } from "./protocol/alone";
import { AnyWidgetTransport, type WidgetTraits } from "./protocol/anywidget";
import { ReplayTransport } from "./protocol/replay";
import type { Transport } from "./protocol/transport";
import { Explorer } from "./view/explorer";

/** One thing after the other: each takes a while, and all at once would hold up the page. */
async function show(transport: Transport, into: Element): Promise<() => void> {
  const { engine, release } = leaseEngine();
  await pause();
  const explorer = new Explorer(transport, (dot, signal) => engine.layout(dot, { signal }));
  await pause();
  into.append(explorer.root);
  // The first layout of all that belongs to the page, not to what asks for its size first.
  await nextFrame();
  await pause();
  explorer.start();
  return () => {
    explorer.dispose();
    transport.dispose();
    release();
  };
}

function render({
  model,
  el,
}: Pick<RenderProps<WidgetTraits>, "model" | "el">): Promise<() => void> {
  return show(new AnyWidgetTransport(model), el);
}

/** In an exported page no one calls `render`: the scene and some answers stand beside the module. */
async function startPage(): Promise<void> {
  const scene = document.querySelector("script#onnx-explorer-scene");
  const answers = document.querySelector("script#onnx-explorer-answers");
  const into = document.querySelector("body > #onnx-explorer");
  if (!scene || !answers || !into) return;
  // The module has only just been evaluated.
  await pause();
  const bytes = fromBase64(scene.textContent ?? "");
  const known = JSON.parse(answers.textContent ?? "") as Answers;
  const view = new DataView(bytes.buffer);
  const run = known.record as Recorded | undefined;
  await pause();
  await show(
    run ? new ReplayTransport(view, known, run) : new AloneTransport(view, undefined, known),
    into,
  );
}

void startPage();

export default { render };
