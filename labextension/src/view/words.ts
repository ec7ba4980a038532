/** The words of an operator: text, worked examples, versions. */
import type { Line } from "../core/lines";
import { type Block, type Span, spans } from "../core/prose";
import type { ManualExample, ShownValue } from "../protocol/messages";
import { breaking, html } from "./dom";

function inline(parts: readonly Span[]): (Node | string)[] {
  return parts.map(({ text, code }) => (code ? html("code", {}, text) : text));
}

function block(shown: Block): HTMLElement {
  switch (shown.kind) {
    case "paragraph":
      return html("p", {}, ...inline(shown.spans));
    case "list":
      return html("ul", {}, ...shown.items.map((item) => html("li", {}, ...inline(item))));
    case "literal":
      return html("pre", {}, shown.text);
  }
}

export function proseElement({ blocks, more }: Extract<Line, { kind: "prose" }>): HTMLElement {
  const element = html("div", { class: "ox-prose" }, ...blocks.map(block));
  if (more.length > 0)
    element.append(html("details", {}, html("summary", {}, "Read more"), ...more.map(block)));
  return element;
}

/** One line of words under a port or attribute. */
export function docElement(text: string, tag: "p" | "dd" = "p"): HTMLElement | undefined {
  return text === "" ? undefined : html(tag, { class: "ox-doc" }, ...inline(spans(text)));
}

export function exampleElement({ inputs, attributes, outputs }: ManualExample): HTMLElement {
  return html(
    "figure",
    { class: "ox-example" },
    html("div", {}, ...inputs.map(shownValue), ...attributes.map(setting)),
    html("span", { class: "ox-gives", role: "img", "aria-label": "gives" }, "→"),
    html("div", {}, ...outputs.map(shownValue)),
  );
}

function shownValue({ name, type, text }: ShownValue): HTMLElement {
  return html(
    "div",
    { class: "ox-shown" },
    html("b", {}, name),
    " ",
    html("small", {}, type),
    html("pre", { tabindex: 0 }, text),
  );
}

function setting({ name, text }: ShownValue): HTMLElement {
  return html(
    "div",
    { class: "ox-shown" },
    html("b", {}, ...breaking(name)),
    " = ",
    html("code", {}, text),
  );
}

const PLACES = { before: "", here: "this node", after: "later" } as const;

export function versionElement(line: Extract<Line, { kind: "version" }>): HTMLElement {
  const { opsets, reason, place } = line;
  const note = PLACES[place];
  return html(
    "div",
    { class: "ox-version", "data-place": place },
    html("span", { title: `In force for opset ${opsets}` }, opsets),
    html("span", {}, ...inline(spans(reason)), note ? html("small", {}, note) : undefined),
  );
}
