/** Windows of values as tables: elements, the highest scores, texts. */
import { numberText } from "../core/stepping";
import { signOf } from "../core/windows";
import type { ValueWindow } from "../protocol/messages";
import { html } from "./dom";

export function tableElement(shown: ValueWindow): HTMLElement {
  const { rows, columns, start, texts = [] } = shown;
  const [row = 0, column = 0] = start;
  const range = Array.from({ length: columns }, (_, i) => i);
  const head = html(
    "tr",
    {},
    html("th", {}),
    ...range.map((i) => html("th", { scope: "col" }, String(column + i))),
  );
  const body = Array.from({ length: rows }, (_, r) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, String(row + r)),
      ...range.map((c) => {
        const text = texts[r * columns + c] ?? "";
        return html("td", { "data-sign": signOf(text) }, text);
      }),
    ),
  );
  return html(
    "div",
    { class: "ox-cells", tabindex: 0, role: "region", "aria-label": "Table of elements" },
    html("table", {}, html("thead", {}, head), html("tbody", {}, ...body)),
  );
}

export function textElement({ texts = [], start, sizes }: ValueWindow): HTMLElement {
  const numbered = (sizes[0] ?? 1) > 1;
  return html(
    "ol",
    { class: "ox-texts", start: start[0] ?? 0, "data-single": !numbered },
    ...texts.map((text) => html("li", {}, text)),
  );
}

export function topElement({ indices = [], numbers = [], shares }: ValueWindow): HTMLElement {
  const rows = indices.map((index, i) => {
    const share = shares?.[i];
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, String(index)),
      html("td", { "data-sign": signOf(numbers[i]) }, numberText(numbers[i])),
      share === undefined
        ? undefined
        : html("td", {}, html("i", { style: `width:${Math.max(1, 100 * share)}%` })),
      share === undefined ? undefined : html("td", {}, `${(100 * share).toFixed(1)} %`),
    );
  });
  const head = html(
    "tr",
    {},
    html("th", { scope: "col" }, "index"),
    html("th", { scope: "col" }, "value"),
    shares ? html("th", { scope: "col", colspan: 2 }, shareName(numbers, shares)) : undefined,
  );
  return html("table", { class: "ox-top" }, html("thead", {}, head), html("tbody", {}, ...rows));
}

function shareName(numbers: readonly (number | string)[], shares: readonly number[]): string {
  const same = shares.every((share, i) => Math.abs(share - Number(numbers[i])) < 1e-5);
  return same ? "probability" : "softmax";
}
