/** What lies over the drawing: a tooltip, notices, and the help with keys and legend. */
import { KEY_HELP } from "../core/keys";
import { button } from "./bar";
import { html, replace, svg } from "./dom";
import { signShape } from "./shapes";

/** What is told of a thing stays within the drawing, by so much, and is read in lines of some length. */
const MARGIN = 4;
const WIDEST = 420;

export class Tooltip {
  readonly element = html("div", { class: "ox-tooltip", role: "tooltip", hidden: true });
  #timer: ReturnType<typeof setTimeout> | undefined;
  #text = "";
  #at = { x: 0, y: 0 };

  show(text: string, event: PointerEvent): void {
    const host = this.element.parentElement?.getBoundingClientRect();
    if (!host || text === "") {
      this.hide();
      return;
    }
    this.#at = { x: event.clientX - host.left, y: event.clientY - host.top };
    if (text === this.#text) {
      this.#place(host);
      return;
    }
    this.#text = text;
    this.element.textContent = text;
    this.element.hidden = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.element.hidden = false;
      const now = this.element.parentElement?.getBoundingClientRect();
      if (now) this.#place(now);
    }, 220);
  }

  /** Below the pointer and to its right, or on the other side where there is no room. */
  #place({ width, height }: DOMRect): void {
    if (this.element.hidden) return;
    const { x, y } = this.#at;
    const { style } = this.element;
    style.maxWidth = `${Math.min(WIDEST, width - 2 * MARGIN)}px`;
    const own = this.element.getBoundingClientRect();
    const right = Math.min(x + 14, width - own.width - MARGIN);
    const below = y + 16;
    const fits = below + own.height + MARGIN <= height;
    style.left = `${Math.max(MARGIN, right)}px`;
    style.top = `${fits ? below : Math.max(MARGIN, y - 10 - own.height)}px`;
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.#text = "";
    this.element.hidden = true;
  }
}

export class Notices {
  readonly element = html("div", { class: "ox-notices", role: "alert" });

  show(text: string, kind: "error" | "warning" | "info" = "error"): void {
    if ([...this.element.children].some((child) => child.firstChild?.textContent === text)) return;
    const close = button("close", "Dismiss", "Dismiss");
    const notice = html(
      "div",
      { class: "ox-notice", "data-kind": kind },
      html("span", {}, text),
      close,
    );
    close.addEventListener("click", () => notice.remove());
    this.element.append(notice);
    while (this.element.childElementCount > 4) this.element.firstElementChild?.remove();
  }

  dismiss(text: string): void {
    for (const child of [...this.element.children])
      if (child.firstChild?.textContent === text) child.remove();
  }

  clear(): void {
    replace(this.element);
  }
}

const FAMILIES: readonly [category: string, text: string][] = [
  ["convolution", "convolution"],
  ["matrix", "matrix product"],
  ["recurrent", "recurrent"],
  ["activation", "activation"],
  ["normalization", "normalization"],
  ["pooling", "pooling"],
  ["reduction", "reduction"],
  ["elementwise", "elementwise"],
  ["shape", "shape"],
  ["tensor", "moves data"],
  ["logic", "logic"],
  ["control", "control flow"],
  ["quantization", "quantization"],
  ["sequence", "sequence"],
];

export function helpPanel(close: () => void): HTMLDivElement {
  const closer = button("close", "Close", "Close (Esc)");
  closer.addEventListener("click", close);
  const wire = (mark: string, text: string) => {
    const drawn = svg("svg", { viewBox: "0 0 54 16", class: "ox-legend-wire" });
    const group = svg("g", { class: "ox-wire", "data-mark": mark });
    if (mark === "mismatch") group.append(svg("path", { class: "ox-wire-teeth", d: "M2,8H52" }));
    group.append(svg("path", { class: "ox-wire-line", d: "M2,8H52" }));
    if (mark !== "known")
      group.append(signShape(27, 8, mark === "unknown" ? "unknown" : "mismatch"));
    drawn.append(group);
    return html("div", { class: "ox-legend-row" }, drawn, html("span", {}, text));
  };
  const sample = (dim: string, text: string, origin: Record<string, boolean>) => {
    const drawn = svg("svg", { viewBox: "0 0 54 16", class: "ox-legend-wire ox-svg" });
    const label = svg("text", { class: "ox-text-label", x: 27, y: 12 }, `f32[${dim}]`);
    drawn.append(svg("g", { class: "ox-label", ...origin }, label));
    return html("div", { class: "ox-legend-row" }, drawn, html("span", {}, text));
  };
  return html(
    "div",
    { class: "ox-help", role: "dialog", "aria-label": "Keys and legend", hidden: true },
    closer,
    html("h3", {}, "Edges"),
    wire("known", "type and dims inferred"),
    wire("unknown", "not known: rank or dtype open"),
    wire("mismatch", "contradiction: declared and inferred differ"),
    sample("n", "inferred", {}),
    sample("n", "declared: the file alone says so", { "data-from-file": true }),
    sample("n=2", "observed: a run has shown it", { "data-observed": true }),
    sample("4", "another type than before the what-if", { "data-changed": true }),
    html("h3", {}, "Boxes"),
    html(
      "div",
      { class: "ox-legend-families" },
      ...FAMILIES.map(([category, text]) =>
        html("span", {}, html("i", { "data-category": category }), text),
      ),
      html("span", {}, html("i", { class: "ox-legend-constant" }), "constant (k)"),
    ),
    html("h3", {}, "Keys"),
    html(
      "dl",
      {},
      ...KEY_HELP.flatMap(({ keys, text }) => [html("dt", {}, keys), html("dd", {}, text)]),
    ),
    html(
      "p",
      { class: "ox-note" },
      "Drag or wheel to pan, Ctrl+wheel or pinch to zoom; a finger that rests tells what is under it. Shift+click a second node to light all paths between the two.",
    ),
  );
}
