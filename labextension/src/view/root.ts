import { html } from "./dom";

export interface Parts {
  readonly bar: readonly HTMLElement[];
  /** Side by side. */
  readonly main: readonly HTMLElement[];
  readonly below: readonly HTMLElement[];
}

/** The whole explorer: a bar, the drawing with the inspector, and what lies below. */
export function rootElement({ bar, main, below }: Parts): HTMLDivElement {
  return html(
    "div",
    { class: "ox-root", "data-onnx-explorer": true, "data-lm-suppress-shortcuts": "true" },
    html("div", { class: "ox-bar" }, ...bar),
    html("div", { class: "ox-main" }, ...main),
    ...below,
  );
}
