/** Windows of values as pictures: heat maps and images, with a legend. */
import { numberText } from "../core/stepping";
import {
  cellText,
  colourOf,
  heatColours,
  imagePixels,
  placeOfZero,
  rangeOf,
  SIGNS,
  type Sign,
  signCounts,
  signOf,
} from "../core/windows";
import type { ValueWindow } from "../protocol/messages";
import { html } from "./dom";

/** Room for a heat map or an image, in pixels. */
const WIDEST = 264;
const HIGHEST = 240;
/** From this size on a cell has room for the sign of what is no number. */
const ROOM_FOR_SIGN = 4;

export function pictureElement(shown: ValueWindow): HTMLElement {
  const { rows, columns, view } = shown;
  const cell = Math.max(1, Math.min(view === "image" ? 12 : 20, WIDEST / columns, HIGHEST / rows));
  const canvas = html("canvas", { role: "img" });
  const sharp = Math.max(1, Math.ceil(window.devicePixelRatio || 1));
  const side = Math.max(1, Math.floor(cell * sharp));
  canvas.width = columns * side;
  canvas.height = rows * side;
  canvas.style.width = `${columns * cell}px`;
  canvas.style.height = `${rows * cell}px`;
  canvas.dataset.rows = String(rows);
  canvas.dataset.columns = String(columns);
  paint(canvas, shown, side);
  const text = `${view === "image" ? "Image" : "Heat map"} of ${rows} rows and ${columns} columns`;
  canvas.setAttribute("aria-label", text);
  const caption = html("figcaption", {});
  const legend = legendElement(shown);
  const under = html("div", { class: "ox-under" });
  canvas.addEventListener("pointermove", (event) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const row = Math.floor(((event.clientY - top) / height) * rows);
    const column = Math.floor(((event.clientX - left) / width) * columns);
    under.textContent = cellText(shown, row, column);
  });
  canvas.addEventListener("pointerleave", () => under.replaceChildren());
  caption.append(legend, under);
  return html("figure", { class: "ox-heat" }, canvas, caption);
}

function paint(canvas: HTMLCanvasElement, shown: ValueWindow, side: number): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const cells =
    shown.view === "image"
      ? imagePixels(shown)
      : heatColours(shown).map((colour, i) => ({ colour, sign: signOf(shown.numbers?.[i]) }));
  cells.forEach(({ colour, sign }, i) => {
    const x = (i % shown.columns) * side;
    const y = Math.floor(i / shown.columns) * side;
    context.fillStyle = `rgb(${colour.join(",")})`;
    context.fillRect(x, y, side, side);
    if (sign && side >= ROOM_FOR_SIGN) drawSign(context, sign, x, y, side);
  });
}

/** A cross for NaN, an arrow head up or down for an infinity. */
function drawSign(
  context: CanvasRenderingContext2D,
  sign: Sign,
  x: number,
  y: number,
  side: number,
): void {
  const [a, b] = [0.22 * side, 0.78 * side];
  context.strokeStyle = "#ffffff";
  context.lineWidth = Math.max(1, side / 9);
  context.beginPath();
  if (sign === "nan") {
    context.moveTo(x + a, y + a);
    context.lineTo(x + b, y + b);
    context.moveTo(x + b, y + a);
    context.lineTo(x + a, y + b);
  } else {
    const [foot, head] = sign === "inf" ? [b, a] : [a, b];
    context.moveTo(x + a, y + foot);
    context.lineTo(x + side / 2, y + head);
    context.lineTo(x + b, y + foot);
  }
  context.stroke();
}

function legendElement(shown: ValueWindow): HTMLElement {
  const range = rangeOf(shown);
  const stop = (part: number) => {
    const value = range.low + part * (range.high - range.low);
    const grey = Math.round(255 * part);
    const colour = shown.view === "image" ? [grey, grey, grey] : colourOf(value, range);
    return `rgb(${colour.join(",")}) ${Math.round(100 * part)}%`;
  };
  const parts = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1];
  const [low, high] = [numberText(shown.low), numberText(shown.high)];
  const zero = placeOfZero(range, low.length, high.length);
  const bar = html(
    "span",
    { class: "ox-scale" },
    html("i", { style: `background:linear-gradient(to right, ${parts.map(stop).join(", ")})` }),
    zero === undefined ? undefined : html("b", { style: `left:${zero}%` }, "0"),
    html("span", {}, low),
    html("span", {}, high),
  );
  const signs = signCounts(shown).map(([sign, count]) =>
    html("span", { class: "ox-sign", "data-sign": sign }, `${SIGNS[sign].text} × ${count}`),
  );
  return html("div", { class: "ox-legend" }, bar, ...signs);
}
