/** What stands in the inspector until the kernel has answered, and then its answer. */
import { html, replace } from "./dom";
import { messageOf } from "./kernel";

export function pending<T>(
  asked: Promise<T>,
  show: (answer: T) => HTMLElement,
  failed: (error: unknown) => HTMLElement = errorLine,
): HTMLElement {
  const waiting = html("p", { class: "ox-note" }, "asking the kernel…");
  const element = html("div", { class: "ox-answer" }, waiting);
  asked.then(
    (answer) => replace(element, show(answer)),
    (error: unknown) => replace(element, failed(error)),
  );
  return element;
}

export function errorLine(error: unknown): HTMLElement {
  return html("p", { class: "ox-error", role: "alert" }, messageOf(error));
}

export function noteLine(error: unknown): HTMLElement {
  return html("p", { class: "ox-note" }, messageOf(error));
}
