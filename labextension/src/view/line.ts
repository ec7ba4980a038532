/** A line of numbers: a band where a point stands for several, gaps and marks where there is no number. */
import { numberText } from "../core/stepping";
import { cellText, rangeOf, SIGNS, signCounts, signOf } from "../core/windows";
import type { ValueWindow } from "../protocol/messages";
import { html, svg } from "./dom";

const WIDTH = 264;
const HEIGHT = 110;
const PAD = 8;

export function lineElement(shown: ValueWindow): HTMLElement {
  const { numbers = [], highs = [], columns } = shown;
  const { low, high } = rangeOf(shown);
  const x = (i: number) => PAD + ((WIDTH - 2 * PAD) * (i + 0.5)) / Math.max(1, columns);
  const y = (value: number) =>
    high > low ? HEIGHT - PAD - ((HEIGHT - 2 * PAD) * (value - low)) / (high - low) : HEIGHT / 2;
  const drawing = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": `Line from ${numberText(shown.low)} to ${numberText(shown.high)}`,
  });
  if (low <= 0 && high >= 0 && high > low)
    drawing.append(svg("path", { class: "ox-zero", d: `M0 ${y(0)}H${WIDTH}` }));
  for (const [from, to] of runs(numbers)) {
    const points = Array.from({ length: to - from }, (_, k) => from + k);
    const up = points.map((i) => `${x(i).toFixed(1)} ${y(Number(highs[i])).toFixed(1)}`);
    const down = points.map((i) => `${x(i).toFixed(1)} ${y(Number(numbers[i])).toFixed(1)}`);
    const area = `M${up.join("L")}L${down.reverse().join("L")}Z`;
    drawing.append(svg("path", { class: "ox-band", d: area }));
  }
  numbers.forEach((value, i) => {
    const sign = signOf(value);
    if (!sign) return;
    const at = sign === "inf" ? PAD : sign === "-inf" ? HEIGHT - PAD : HEIGHT / 2;
    const text = sign === "nan" ? "×" : sign === "inf" ? "↑" : "↓";
    drawing.append(
      svg("path", { class: "ox-gap", d: `M${x(i)} 0V${HEIGHT}` }),
      svg("text", { class: "ox-bad", x: x(i), y: at + 4 }, text),
    );
  });
  const under = html("div", { class: "ox-under" });
  drawing.addEventListener("pointermove", (event) => {
    const { left, width } = drawing.getBoundingClientRect();
    const part = (((event.clientX - left) / width) * WIDTH - PAD) / (WIDTH - 2 * PAD);
    under.textContent = cellText(shown, 0, Math.floor(part * columns));
  });
  drawing.addEventListener("pointerleave", () => under.replaceChildren());
  const signs = signCounts(shown).map(([sign, count]) =>
    html("span", { class: "ox-sign", "data-sign": sign }, `${SIGNS[sign].text} × ${count}`),
  );
  const range = html("span", {}, `${numberText(shown.low)} … ${numberText(shown.high)}`);
  const legend = html("div", { class: "ox-legend" }, range, ...signs);
  return html("figure", { class: "ox-line" }, drawing, html("figcaption", {}, legend, under));
}

/** The stretches of numbers between what is none, as half-open ranges. */
function runs(numbers: readonly (number | string)[]): [number, number][] {
  const found: [number, number][] = [];
  let from = 0;
  for (let i = 0; i <= numbers.length; i++) {
    if (i < numbers.length && !signOf(numbers[i])) continue;
    if (i > from) found.push([from, i]);
    from = i + 1;
  }
  return found;
}
