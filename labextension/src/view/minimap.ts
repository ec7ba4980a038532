/** The whole graph in a corner, and where the screen is in it. */

import { overlaps } from "../core/curve";
import type { Paint } from "../core/paint";
import type { Picture } from "../core/picture";
import { clamp, type Size, visibleWorld, type Zoom } from "../core/viewport";
import { html } from "./dom";

/** From the edges of the drawing. */
const MARGIN = 10;
/** Padding and border on both sides: to measure them would lay the page out at every move. */
const FRAME = 12;
const LARGEST: Size = { width: 132, height: 168 };

export class Minimap {
  readonly element: HTMLDivElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #window: HTMLDivElement;
  #picture: Picture | undefined;
  #paints: ReadonlyMap<string, Paint> | undefined;
  readonly #hues = new Map<string, string>();
  #side: "left" | "right" = "left";
  #scale = 1;
  #size: Size = { width: 0, height: 0 };

  constructor(goTo: (x: number, y: number) => void) {
    this.#canvas = html("canvas", { "aria-hidden": "true" });
    this.#window = html("div", { class: "ox-minimap-window" });
    this.element = html("div", { class: "ox-minimap" }, this.#canvas, this.#window);
    const follow = (event: PointerEvent) => {
      const picture = this.#picture;
      if (!picture || event.buttons === 0) return;
      const place = this.#canvas.getBoundingClientRect();
      goTo(
        picture.x + (event.clientX - place.left) / this.#scale,
        picture.y + (event.clientY - place.top) / this.#scale,
      );
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      follow(event);
    });
    this.element.addEventListener("pointermove", follow);
  }

  show(picture: Picture): void {
    this.#picture = picture;
    this.#scale = Math.min(LARGEST.width / picture.width, LARGEST.height / picture.height, 0.2);
    const width = Math.max(18, Math.ceil(picture.width * this.#scale));
    const height = Math.max(18, Math.ceil(picture.height * this.#scale));
    this.#size = { width, height };
    const ratio = globalThis.devicePixelRatio || 1;
    this.#canvas.width = width * ratio;
    this.#canvas.height = height * ratio;
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${height}px`;
    this.#paint(ratio);
  }

  /** Colours come from the style sheet, so a change of theme paints anew. */
  themeChanged(): void {
    this.#hues.clear();
    if (this.#picture) this.show(this.#picture);
  }

  /** Colours the boxes by an overlay. */
  setPaints(paints: ReadonlyMap<string, Paint> | undefined): void {
    if (paints === this.#paints) return;
    this.#paints = paints;
    if (this.#picture) this.show(this.#picture);
  }

  follow(zoom: Zoom, screen: Size): void {
    const picture = this.#picture;
    if (!picture) return;
    const view = visibleWorld(zoom, screen);
    const all =
      view.x <= picture.x + 1 &&
      view.y <= picture.y + 1 &&
      view.x + view.width >= picture.x + picture.width - 1 &&
      view.y + view.height >= picture.y + picture.height - 1;
    this.element.toggleAttribute("data-whole", all);
    this.#dodge(zoom, screen);
    const { width, height } = this.#size;
    const left = clamp((view.x - picture.x) * this.#scale, 0, width - 4);
    const top = clamp((view.y - picture.y) * this.#scale, 0, height - 4);
    const right = clamp((view.x + view.width - picture.x) * this.#scale, left + 4, width);
    const bottom = clamp((view.y + view.height - picture.y) * this.#scale, top + 4, height);
    Object.assign(this.#window.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
  }

  /** Goes to the corner in which it hides less of the graph, and steps back where both are full. */
  #dodge(zoom: Zoom, screen: Size): void {
    const width = this.#size.width + FRAME;
    const height = this.#size.height + FRAME;
    const hidden = (x: number) => {
      const place = visibleWorld(
        { k: zoom.k, x: zoom.x - x, y: zoom.y - (screen.height - MARGIN - height) },
        { width, height },
      );
      return this.#picture?.cards.some((card) => overlaps(card, place)) ?? false;
    };
    const places = { left: MARGIN, right: screen.width - MARGIN - width };
    const other = this.#side === "left" ? "right" : "left";
    const covers = hidden(places[this.#side]);
    if (covers && !hidden(places[other])) this.#side = other;
    this.element.dataset.side = this.#side;
    this.element.toggleAttribute("data-over", covers && hidden(places[this.#side]));
  }

  #paint(ratio: number): void {
    const context = this.#canvas.getContext("2d");
    const picture = this.#picture;
    if (!context || !picture) return;
    const scale = this.#scale * ratio;
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    context.strokeStyle = this.#hue("border");
    for (const { x, y, width, height } of picture.frames)
      context.strokeRect(
        (x - picture.x) * scale,
        (y - picture.y) * scale,
        width * scale,
        height * scale,
      );
    for (const { key, x, y, width, height, category } of picture.cards) {
      context.fillStyle =
        this.#paints?.get(key)?.colour ?? this.#hue(this.#paints ? "border" : category);
      context.fillRect(
        (x - picture.x) * scale,
        (y - picture.y) * scale,
        Math.max(1, width * scale),
        Math.max(1, height * scale),
      );
    }
  }

  /** Asked of the style sheet once a theme: each question makes the page work out all its styles first. */
  #hue(name: string): string {
    let hue = this.#hues.get(name);
    if (hue === undefined) {
      hue = getComputedStyle(this.element).getPropertyValue(`--ox-${name}`) || "gray";
      this.#hues.set(name, hue);
    }
    return hue;
  }
}
