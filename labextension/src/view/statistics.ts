/** The numbers of a tensor: a table, a histogram, and slices as heat maps. */
import { cellText, colours, numberFacts, sampleText } from "../core/statistics";
import { numberText } from "../core/stepping";
import type { SlicePicture, Statistics } from "../protocol/messages";
import { html, replace, svg } from "./dom";
import type { Kernel } from "./kernel";

/** Room for a heat map, in pixels. */
const WIDEST = 256;
const HIGHEST = 200;

export function statisticsElement(name: string, found: Statistics, kernel: Kernel): HTMLElement {
  const sample = sampleText(found);
  const head = found.head ?? [];
  const element = html(
    "div",
    { class: "ox-statistics" },
    html("code", {}, found.type),
    html(
      "dl",
      {},
      ...numberFacts(found).flatMap(({ label, text }) => [
        html("dt", {}, label),
        html("dd", {}, text),
      ]),
    ),
    sample ? html("p", { class: "ox-note" }, sample) : undefined,
    histogramElement(found),
    head.length > 0
      ? html("div", { class: "ox-head" }, `${head.join("  ")}${more(found) ? " …" : ""}`)
      : undefined,
  );
  const slices = kernel.canAnswer({ kind: "slice", name, at: [] });
  if (slices && found.looked_at !== undefined && (found.elements ?? 0) > 1)
    element.append(new HeatMap(name, kernel).element);
  return element;
}

function more({ elements, head }: Statistics): boolean {
  return (elements ?? 0) > (head?.length ?? 0);
}

function histogramElement({ histogram }: Statistics): HTMLElement | undefined {
  if (!histogram) return undefined;
  const { low, high, counts } = histogram;
  const most = Math.max(...counts);
  const step = 100 / counts.length;
  const bars = counts.map((count, i) => {
    const height = count === 0 ? 0 : Math.max(0.8, (count / most) * 40);
    const bar = svg("rect", { x: i * step, y: 40 - height, width: step * 0.86, height });
    const [from, to] = [i, i + 1].map(
      (edge) => Number(low) + ((Number(high) - Number(low)) * edge) / counts.length,
    );
    bar.append(svg("title", {}, `${numberText(from)} to ${numberText(to)}: ${count}`));
    return bar;
  });
  return html(
    "figure",
    { class: "ox-histogram" },
    svg(
      "svg",
      {
        viewBox: "0 0 100 40",
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `Histogram from ${numberText(low)} to ${numberText(high)}`,
      },
      ...bars,
    ),
    html("figcaption", {}, html("span", {}, numberText(low)), html("span", {}, numberText(high))),
  );
}

/** A slice over the last two axes, with a number to choose for each of the others. */
class HeatMap {
  readonly element = html("figure", { class: "ox-heat" });
  readonly #name: string;
  readonly #kernel: Kernel;
  readonly #canvas = html("canvas", { role: "img" });
  readonly #place = html("figcaption", {});
  readonly #choices = html("div", { class: "ox-choices" });
  #slice: SlicePicture | undefined;

  constructor(name: string, kernel: Kernel) {
    this.#name = name;
    this.#kernel = kernel;
    this.element.append(this.#choices, this.#canvas, this.#place);
    this.#canvas.addEventListener("pointermove", (event) => this.#point(event));
    this.#canvas.addEventListener("pointerleave", () => this.#caption());
    void this.#ask([]);
  }

  async #ask(at: number[]): Promise<void> {
    try {
      this.#slice = await this.#kernel.slice(this.#name, at);
    } catch {
      // The table above has said what is wrong already.
      this.element.remove();
      return;
    }
    this.#paint(this.#slice);
    this.#caption();
    if (this.#choices.childElementCount === 0) this.#offerChoices(this.#slice);
  }

  #offerChoices({ sizes, at }: SlicePicture): void {
    const outer = sizes.slice(0, -2);
    const inputs = outer.map((size, axis) => {
      const input = html("input", {
        type: "number",
        min: 0,
        max: size - 1,
        value: at[axis] ?? 0,
        disabled: size === 1,
        "aria-label": `Index of axis ${axis}`,
        title: `Axis ${axis}: 0 to ${size - 1}`,
      });
      // What is typed is a number, not a command of the explorer or of the notebook.
      input.addEventListener("keydown", (event) => event.stopPropagation());
      input.addEventListener("input", () => void this.#ask(inputs.map((i) => Number(i.value))));
      return input;
    });
    if (inputs.length > 0) this.#choices.append("Slice [", ...inputs, ", :, :]");
  }

  #paint(slice: SlicePicture): void {
    const { rows, columns } = slice;
    const cell = Math.max(1, Math.min(20, WIDEST / columns, HIGHEST / rows));
    this.#canvas.width = columns;
    this.#canvas.height = rows;
    this.#canvas.style.width = `${columns * cell}px`;
    this.#canvas.style.height = `${rows * cell}px`;
    const context = this.#canvas.getContext("2d");
    const image = context?.createImageData(columns, rows);
    if (!context || !image) return;
    colours(slice).forEach((colour, i) => {
      image.data.set([...colour, 255], 4 * i);
    });
    context.putImageData(image, 0, 0);
    this.#canvas.setAttribute("aria-label", `Heat map of ${rows} rows and ${columns} columns`);
  }

  #point(event: PointerEvent): void {
    const slice = this.#slice;
    if (!slice) return;
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    const row = Math.floor(((event.clientY - top) / height) * slice.rows);
    const column = Math.floor(((event.clientX - left) / width) * slice.columns);
    const text = cellText(slice, row, column);
    if (text) this.#place.textContent = text;
  }

  #caption(): void {
    const slice = this.#slice;
    if (!slice) return;
    const [rows, columns] = slice.every;
    const skipped = rows > 1 || columns > 1 ? `; every ${rows} × ${columns}` : "";
    const range = `${numberText(slice.low)} … ${numberText(slice.high)}${skipped}`;
    replace(this.#place, html("i", {}), range);
  }
}
