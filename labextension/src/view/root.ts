import { html } from "./dom";

/** Keys below an element with it are not the notebook's. */
const SUPPRESS = "data-lm-suppress-shortcuts";

export interface Parts {
  readonly bar: readonly HTMLElement[];
  /** Side by side. */
  readonly main: readonly HTMLElement[];
  readonly below: readonly HTMLElement[];
}

/** The whole explorer: a bar, the drawing with the inspector, and what lies below. */
export function rootElement({ bar, main, below }: Parts): HTMLDivElement {
  const root = html(
    "div",
    { class: "ox-root", "data-onnx-explorer": true, [SUPPRESS]: "true" },
    html("div", { class: "ox-bar" }, ...bar),
    html("div", { class: "ox-main" }, ...main),
    ...below,
  );
  // Shortcuts of a notebook in command mode are for whatever has the focus, and are looked for from there outwards.
  root.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element) target.setAttribute(SUPPRESS, "true");
  });
  return root;
}
