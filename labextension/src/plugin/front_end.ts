import type { AnyModel, AnyWidget } from "@anywidget/types";

type Loaded = Exclude<AnyWidget, (...values: never[]) => unknown>;

const refuse = (): Promise<never> =>
  Promise.reject(new Error("A document holds one widget and cannot reach others."));

/**
 * Draws a widget with the front end that its kernel sent with it.
 *
 * The module and the style sheet are traits of the widget, so what is drawn always fits the package in the kernel,
 * whichever version JupyterLab's own environment has.
 */
export async function show(model: AnyModel, el: HTMLElement, signal: AbortSignal): Promise<void> {
  const url = URL.createObjectURL(
    new Blob([String(model.get("_esm"))], { type: "text/javascript" }),
  );
  const loaded: { default: AnyWidget } = await import(/* webpackIgnore: true */ url).finally(() =>
    URL.revokeObjectURL(url),
  );
  const widget: Loaded =
    typeof loaded.default === "function" ? await loaded.default() : loaded.default;
  if (signal.aborted) return;

  const style = document.createElement("style");
  style.textContent = String(model.get("_css") ?? "");
  const root = document.createElement("div");
  root.className = "onnx-explorer-document-view";
  el.replaceChildren(style, root);

  const host = { getWidget: refuse, getModel: refuse };
  const experimental = { invoke: refuse };
  const endings = [
    await widget.initialize?.({ model, signal, experimental }),
    await widget.render?.({ model, el: root, signal, host, experimental }),
  ];
  const end = () => {
    for (const ending of endings) if (typeof ending === "function") void ending();
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
}
