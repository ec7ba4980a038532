/** The legend of an overlay: its name and unit, its colours, what open sizes are taken for. */
import { overlayTitle } from "../core/overlay";
import type { Painting } from "../core/paint";
import { colourOf, MOST_WORDS, type Theme } from "../core/scale";
import { button } from "./bar";
import { html, replace } from "./dom";

/** So many open sizes can be changed; the others are told. */
const MOST_SIZES = 4;
const STEPS = 12;

export interface LegendEvents {
  clear(): void;
  setScale(scale: "linear" | "logarithmic"): void;
  setSize(symbol: string, size: number): void;
}

export class Legend {
  readonly element = html("section", {
    class: "ox-key",
    "data-onnx-explorer-legend": true,
    "aria-label": "Legend",
    hidden: true,
  });
  readonly #events: LegendEvents;

  constructor(events: LegendEvents) {
    this.#events = events;
  }

  hide(): void {
    this.element.hidden = true;
    replace(this.element);
  }

  /** While there is nothing to colour by. */
  wait(name: string, text: string): void {
    this.element.hidden = false;
    replace(this.element, this.#head(name, ""), html("p", { class: "ox-note" }, text));
  }

  show(painting: Painting, theme: Theme): void {
    // What is being typed stays.
    if (this.element.querySelector("input:focus")) {
      this.#refresh(painting, theme);
      return;
    }
    const { overlay, legend, sizes } = painting;
    this.element.hidden = false;
    replace(
      this.element,
      this.#head(overlayTitle(overlay.name), legend.kind === "numbers" ? overlay.unit : ""),
      this.#colours(painting, theme),
      this.#sizes(sizes),
    );
  }

  #refresh(painting: Painting, theme: Theme): void {
    this.element.querySelector(".ox-key-colours")?.replaceWith(this.#colours(painting, theme));
  }

  #head(name: string, unit: string): HTMLElement {
    const close = button("close", "Clear the overlay", "Colour by operator again (Esc)");
    close.addEventListener("click", () => this.#events.clear());
    return html(
      "header",
      {},
      html("p", {}, html("b", {}, name), unit ? html("span", {}, ` ${unit}`) : undefined),
      close,
    );
  }

  #colours({ overlay, legend }: Painting, theme: Theme): HTMLElement {
    if (legend.kind === "words") {
      const rows = legend.entries.map(({ word, colour, count }) =>
        html(
          "li",
          {},
          html("i", { style: `background:${colour}` }),
          html("span", {}, word),
          html("small", {}, count.toLocaleString("en")),
        ),
      );
      return html("ul", { class: "ox-key-colours" }, ...rows.slice(0, MOST_WORDS + 4));
    }
    const { scale, low, high, canBeLogarithmic } = legend;
    const stops = Array.from({ length: STEPS + 1 }, (_, i) => colourOf(i / STEPS, theme));
    const other = scale.logarithmic ? "linear" : "logarithmic";
    const change = html(
      "button",
      { type: "button", class: "ox-link", title: `Make the scale ${other}` },
      scale.logarithmic ? "logarithmic" : "linear",
    );
    change.addEventListener("click", () => this.#events.setScale(other));
    return html(
      "div",
      { class: "ox-key-colours" },
      html("div", {
        class: "ox-key-scale",
        style: `background:linear-gradient(to right,${stops.join(",")})`,
      }),
      html("div", { class: "ox-key-ends" }, html("span", {}, low), html("span", {}, high)),
      html(
        "p",
        { class: "ox-note" },
        canBeLogarithmic ? change : undefined,
        `${canBeLogarithmic ? " · " : ""}a group shows its ${overlay.combine === "max" ? "largest" : "sum"}`,
      ),
    );
  }

  #sizes(sizes: Painting["sizes"]): HTMLElement | undefined {
    if (sizes.length === 0) return undefined;
    const fields = sizes.slice(0, MOST_SIZES).map(([symbol, size]) => {
      const input = html("input", { type: "number", min: 0, step: 1, value: size });
      input.addEventListener("input", () => {
        const chosen = Number(input.value);
        if (input.value !== "" && Number.isInteger(chosen) && chosen >= 0)
          this.#events.setSize(symbol, chosen);
      });
      return html("label", {}, html("span", { title: symbol }, symbol), input);
    });
    const more = sizes.slice(MOST_SIZES).map(([symbol, size]) => `${symbol} = ${size}`);
    return html(
      "div",
      { class: "ox-key-sizes" },
      ...fields,
      more.length > 0
        ? html("small", { title: more.join("\n") }, `and ${more.length} more open sizes`)
        : undefined,
    );
  }
}
