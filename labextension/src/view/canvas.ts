/** The drawing: SVG of what the screen shows, moved by d3-zoom. */
import { select } from "d3-selection";
import { type D3ZoomEvent, type ZoomBehavior, zoom, zoomIdentity } from "d3-zoom";
import { overlaps, type Rect } from "../core/curve";
import type { PictureLabel } from "../core/edge_labels";
import { type Highlight, NO_HIGHLIGHT } from "../core/highlight";
import { MINIATURE_FROM } from "../core/miniature";
import type { Observed } from "../core/observed";
import { pause } from "../core/pace";
import type { Painting } from "../core/paint";
import type { Picture, PictureWire } from "../core/picture";
import { at, type Scene } from "../core/scene";
import {
  contains,
  type Detail,
  detailAt,
  indicesIn,
  type Size,
  visibleWorld,
  ZOOM_RANGE,
  type Zoom,
} from "../core/viewport";
import type { Miniature } from "../protocol/messages";
import { html, svg } from "./dom";
import { type Dress, dressCard, dressFrame, dressLabel, dressWire } from "./dress";
import { LAYERS, type Layer, Layers } from "./layers";
import { type Dressing, makingsOf } from "./makings";
import { PlacedLabels } from "./placed";
import { arrowMarker, type GroupCounts, type MarkerIds } from "./shapes";
import { silhouetteShapes } from "./silhouette";
import type { Target } from "./target";
import { listenToFingers } from "./touch";
import { ownsWheel, wheelZoom } from "./wheel";

export interface CanvasEvents {
  click(target: Target): void;
  doubleClick(target: Target): void;
  hover(target: Target, event: PointerEvent): void;
  moved(zoom: Zoom): void;
  /** Other labels can be read than before. */
  labelled(values: readonly string[]): void;
  resized(): void;
}

/** How far beyond the screen elements are kept, in screens. */
const MARGIN = 0.4;
/** How long elements are made at a time: in a frame while the drawing moves, and when it is shown anew. */
const MOVING_MS = 8;
const SHOWING_MS = 12;

let instances = 0;

export class Canvas {
  readonly element: HTMLDivElement;
  readonly #svg: SVGSVGElement;
  readonly #world: SVGGElement;
  readonly #silhouette: SVGGElement;
  readonly #layers = new Layers();
  readonly #markers: MarkerIds;
  readonly #zoomer: ZoomBehavior<SVGSVGElement, unknown>;
  readonly #events: CanvasEvents;
  readonly #observer: ResizeObserver;
  #seen: { readonly clientWidth: number; readonly clientHeight: number } | undefined;
  #scene: Scene | undefined;
  #picture: Picture | undefined;
  #counts: readonly GroupCounts[] = [];
  #dress: Dress;
  #labels: readonly PictureLabel[] = [];
  readonly #placed = new PlacedLabels(() => this.#labelsCame());
  #near = "";
  #zoom: Zoom = { k: 1, x: 0, y: 0 };
  #drawn: Rect | undefined;
  #detail: Detail | undefined;
  /** What of the drawing has been made: all that the screen shows, and all that is wanted. */
  #made = { view: true, all: true };
  #frame = 0;

  constructor(events: CanvasEvents) {
    this.#events = events;
    const id = `ox${++instances}`;
    this.#markers = {
      plain: `${id}-arrow`,
      hot: `${id}-arrow-hot`,
      mismatch: `${id}-arrow-mismatch`,
    };
    this.#dress = {
      highlight: NO_HIGHLIGHT,
      stops: new Set(),
      painting: undefined,
      changed: new Map(),
      miniatures: new Map(),
      markers: this.#markers,
    };
    this.#silhouette = svg("g", { class: "ox-silhouette" });
    this.#world = svg(
      "g",
      { class: "ox-world" },
      this.#layers.elements.frames,
      this.#silhouette,
      ...LAYERS.slice(1).map((name) => this.#layers.elements[name]),
    );
    this.#svg = svg(
      "svg",
      {
        class: "ox-svg",
        "data-onnx-explorer-canvas": true,
        role: "group",
        "aria-label": "Graph of the model",
      },
      svg(
        "defs",
        {},
        ...Object.entries(this.#markers).map(([kind, marker]) => arrowMarker(marker, kind)),
      ),
      this.#world,
    );
    this.element = html(
      "div",
      {
        class: "ox-canvas",
        tabindex: 0,
        role: "application",
        "aria-label": "Graph: arrow keys walk along edges, the question mark lists all keys",
      },
      this.#svg,
    );
    this.#zoomer = zoom<SVGSVGElement, unknown>()
      .scaleExtent([ZOOM_RANGE[0], ZOOM_RANGE[1]])
      // What d3 would read by itself has no answer while the cell is off the page.
      .extent(() => [
        [0, 0],
        [this.size.width, this.size.height],
      ])
      .filter((event: MouseEvent) =>
        // Of fingers there is no button.
        event.type === "wheel" ? event.ctrlKey || event.metaKey : !event.button,
      )
      .wheelDelta(wheelZoom)
      .on("zoom", (event: D3ZoomEvent<SVGSVGElement, unknown>) => this.#moved(event.transform));
    select(this.#svg).call(this.#zoomer).on("dblclick.zoom", null);
    this.#listen();
    this.#observer = new ResizeObserver(() => {
      const { clientWidth, clientHeight } = this.element;
      this.#seen = { clientWidth, clientHeight };
      this.#schedule();
      events.resized();
    });
    this.#observer.observe(this.element);
  }

  get zoom(): Zoom {
    return this.#zoom;
  }

  /** As it was last seen: to measure it anew would lay the page out in the middle of drawing. */
  get size(): Size {
    const { clientWidth, clientHeight } = this.#seen ?? this.element;
    return { width: clientWidth || 900, height: clientHeight || 560 };
  }

  get hasSize(): boolean {
    return this.element.clientWidth > 0 && this.element.clientHeight > 0;
  }

  show(scene: Scene, picture: Picture, counts: readonly GroupCounts[]): void {
    this.#scene = scene;
    this.#picture = picture;
    this.#counts = counts;
    this.#layers.setAside(...LAYERS);
    this.#silhouette.replaceChildren();
    this.#placed.show(picture);
    this.#drawn = undefined;
    this.#update(SHOWING_MS, false);
  }

  /** Comes back when all that the screen shows has been drawn; what lies beside it comes with the next frames. */
  async settle(): Promise<void> {
    while (!this.#made.view) {
      await pause();
      this.#update(SHOWING_MS, false);
    }
  }

  /** Labels say what a run has shown of their values. */
  observe(observed: Observed): void {
    this.#placed.observe(observed);
    this.#labelsCame();
  }

  #labelsCame(): void {
    this.#drawn = undefined;
    this.#update();
  }

  setHighlight(highlight: Highlight): void {
    this.#dress = { ...this.#dress, highlight };
    this.#dressAll("frames", "cards", "wires", "labels");
  }

  /** Marks the nodes that have a breakpoint. */
  showStops(stops: ReadonlySet<string>): void {
    this.#dress = { ...this.#dress, stops };
    this.#dressAll("cards");
  }

  /** Marks the labels of values that a what-if has changed. */
  showChanged(was: ReadonlyMap<string, string>): void {
    this.#dress = { ...this.#dress, changed: was };
    this.#dressAll("labels");
  }

  showMiniatures(miniatures: ReadonlyMap<string, Miniature>): void {
    this.#dress = { ...this.#dress, miniatures };
    this.#dressAll("labels");
  }

  /** Colours the boxes by numbers in place of what they do. */
  setPainting(painting: Painting | undefined): void {
    this.#dress = { ...this.#dress, painting };
    this.#svg.toggleAttribute("data-painted", painting !== undefined);
    this.#dressAll("cards");
    const far = this.#silhouette.childElementCount > 0;
    this.#silhouette.replaceChildren();
    if (this.#picture) this.#showSilhouette(this.#picture, far);
  }

  moveTo({ k, x, y }: Zoom): void {
    select(this.#svg).call(this.#zoomer.transform, zoomIdentity.translate(x, y).scale(k));
  }

  zoomBy(factor: number): void {
    select(this.#svg).call(this.#zoomer.scaleBy, factor);
  }

  panBy(dx: number, dy: number): void {
    select(this.#svg).call(this.#zoomer.translateBy, dx / this.#zoom.k, dy / this.#zoom.k);
  }

  dispose(): void {
    this.#observer.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  #listen(): void {
    const element = this.#svg;
    const nowhere: Target = { kind: "empty" };
    listenToFingers(element, {
      rested: (event) => this.#events.hover(this.#targetOf(event), event),
      moved: (event) => this.#events.hover(nowhere, event),
    });
    // What is pressed may be drawn anew or elsewhere before it is let go, as when labels tell what a run has shown: browsers then
    // know of no click, or of one beside it.
    let pressed: { readonly at: PointerEvent; readonly target: Target } | undefined;
    let taken = false;
    const isGone = () => pressed?.at.target instanceof Element && !pressed.at.target.isConnected;
    element.addEventListener("pointerdown", (event) => {
      // What a finger taps is looked for when it has been lifted.
      pressed =
        event.pointerType === "mouse" ? { at: event, target: this.#targetOf(event) } : undefined;
      taken = false;
    });
    element.addEventListener("pointerup", (event) => {
      taken =
        pressed !== undefined && event.target !== pressed.at.target && isNear(event, pressed.at);
      if (pressed && taken) this.#events.click(pressed.target);
      // A click comes before this.
      setTimeout(() => {
        pressed = undefined;
        taken = false;
      });
    });
    // The second click of a double click must not undo what the first one did.
    element.addEventListener("click", (event) => {
      if (event.detail <= 1 && !taken && !isGone()) this.#events.click(this.#targetOf(event));
    });
    element.addEventListener("dblclick", (event) =>
      this.#events.doubleClick(this.#targetOf(event)),
    );
    element.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "touch") this.#events.hover(this.#targetOf(event), event);
    });
    element.addEventListener("pointerleave", (event) => {
      pressed = undefined;
      if (event.pointerType !== "touch") this.#events.hover(nowhere, event);
    });
    element.addEventListener(
      "wheel",
      (event) => {
        if (event.ctrlKey || event.metaKey || !ownsWheel(this.element)) return;
        event.preventDefault();
        const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 400 : 1;
        const [dx, dy] =
          event.shiftKey && event.deltaX === 0 ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
        this.panBy(-dx * unit, -dy * unit);
      },
      { passive: false },
    );
  }

  #targetOf(event: Event): Target {
    const { target } = event;
    const picture = this.#picture;
    if (!(target instanceof Element) || !picture) return { kind: "empty" };
    const stop = target.closest("[data-stop]")?.getAttribute("data-stop");
    if (stop) return { kind: "stop", id: stop };
    const enter = target.closest("[data-enter]")?.getAttribute("data-enter");
    if (enter) return { kind: "enter", group: Number(enter) };
    const alike = target.closest("[data-alike]")?.getAttribute("data-alike");
    if (alike) return { kind: "alike", group: Number(alike) };
    const toggle = target.closest("[data-toggle]")?.getAttribute("data-toggle");
    if (toggle) return { kind: "toggle", group: Number(toggle) };
    const holder = target.closest("[data-index]");
    const index = Number(holder?.getAttribute("data-index"));
    const layer: Element | null | undefined = holder?.parentElement;
    switch (layer) {
      case this.#layers.elements.cards:
        return {
          kind: "card",
          card: at(picture.cards, index),
          also: event instanceof MouseEvent && event.shiftKey,
        };
      case this.#layers.elements.frames:
        return { kind: "frame", group: at(picture.frames, index).group };
      case this.#layers.elements.wires:
        return wireTarget(at(picture.wires, index));
      case this.#layers.elements.labels: {
        const { value, tooltip } = at(this.#labels, index);
        return { kind: "wire", values: [value], tooltip };
      }
      case this.#layers.elements.stubs:
        return { kind: "stub", index };
      default:
        return { kind: "empty" };
    }
  }

  #moved({ k, x, y }: Zoom): void {
    this.#zoom = { k, x, y };
    this.#world.setAttribute("transform", `translate(${x},${y}) scale(${k})`);
    this.#schedule();
    this.#events.moved(this.#zoom);
  }

  #schedule(): void {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#update();
    });
  }

  #update(ms = MOVING_MS, beside = true): void {
    const picture = this.#picture;
    const scene = this.#scene;
    if (!picture || !scene) return;
    const view = visibleWorld(this.#zoom, this.size);
    const wide = visibleWorld(this.#zoom, this.size, MARGIN);
    const cards = indicesIn(picture.cards, wide);
    const detail = detailAt(this.#zoom.k, cards.length);
    const same =
      this.#detail !== undefined && JSON.stringify(detail) === JSON.stringify(this.#detail);
    const done = this.#made.all && this.#drawn && contains(this.#drawn, view);
    if (same && done) return;
    this.#drawn = wide;
    this.#detail = detail;
    this.#svg.setAttribute("class", detailClasses(detail));
    this.#showSilhouette(picture, detail.silhouettes);
    this.#setLabels(detail.labels === undefined ? [] : this.#placed.at(detail.labels));
    const frames = indicesIn(picture.frames, wide);
    const labels = indicesIn(this.#labels, wide);
    const far = detail.silhouettes;
    const wanted: Record<Layer, readonly number[]> = {
      frames,
      headers: detail.titles ? frames : [],
      cards: far ? [] : cards,
      wires: far ? [] : indicesIn(picture.wires, wide),
      stubs: far ? [] : indicesIn(picture.stubs, wide),
      labels,
    };
    for (const name of LAYERS) this.#layers.keep(name, wanted[name]);
    // What nobody sees need not wait for frames, which do not come.
    this.#layers.begin(document.hidden ? Number.POSITIVE_INFINITY : ms);
    this.#fill(scene, picture, wanted, view);
    const shown = this.#layers.complete;
    if (shown && beside) this.#fill(scene, picture, wanted);
    this.#layers.dropAside();
    this.#made = { view: shown && !this.#placed.isPlacing, all: beside && this.#layers.complete };
    this.#stackFrames(frames);
    if (!this.#made.all) this.#schedule();
    this.#tellLabelled(labels);
  }

  /** Makes what is wanted, or of it what can be seen. */
  #fill(
    scene: Scene,
    picture: Picture,
    wanted: Record<Layer, readonly number[]>,
    view?: Rect,
  ): void {
    const drawn = { scene, picture, labels: this.#labels, counts: this.#counts };
    const makings = makingsOf(drawn, this.#markers, this.#dressing);
    for (const name of LAYERS) {
      const { rects, making } = makings[name];
      const canWait = (i: number) => view !== undefined && !overlaps(at(rects, i), view);
      this.#layers.fill(name, wanted[name], making, canWait);
    }
  }

  /** Frames lie inside each other: the order of the picture is the order of painting. */
  #stackFrames(frames: readonly number[]): void {
    const { elements, shown } = this.#layers;
    const ordered = frames.flatMap((i) => shown.frames.get(i) ?? []);
    if (ordered.some((element, i) => elements.frames.children[i] !== element))
      elements.frames.append(...ordered);
  }

  /** The values whose labels are so near that a miniature can be read. */
  #tellLabelled(labels: readonly number[]): void {
    const near = labels.flatMap((i) => {
      const { value, room, scale } = at(this.#labels, i);
      return room > 0 && scale * this.#zoom.k >= MINIATURE_FROM ? [value] : [];
    });
    const key = near.join("\n");
    if (key === this.#near) return;
    this.#near = key;
    this.#events.labelled(near);
  }

  #setLabels(labels: readonly PictureLabel[]): void {
    if (labels === this.#labels) return;
    this.#labels = labels;
    this.#layers.setAside("labels");
  }

  #showSilhouette(picture: Picture, wanted: boolean): void {
    if (!wanted) this.#silhouette.replaceChildren();
    else if (this.#silhouette.childElementCount === 0)
      this.#silhouette.append(...silhouetteShapes(picture, this.#dress.painting?.cards));
  }

  /** What elements wear at this moment. */
  readonly #dressing: Dressing = {
    frames: (index, element) => {
      const frame = this.#picture?.frames[index];
      if (frame) dressFrame(frame, element, this.#dress);
    },
    cards: (index, element) => {
      const card = this.#picture?.cards[index];
      if (card) dressCard(card, element, this.#dress);
    },
    wires: (index, element) => {
      const wire = this.#picture?.wires[index];
      if (wire && this.#picture) dressWire(wire, element, this.#picture, this.#dress);
    },
    labels: (index, element) => {
      const label = this.#labels[index];
      if (label) dressLabel(label, element, this.#dress);
    },
  };

  #dressAll(...names: readonly (keyof Dressing)[]): void {
    for (const name of names)
      for (const [i, element] of this.#layers.shown[name]) this.#dressing[name](i, element);
  }
}

/** A hand that clicks is not quite still. */
function isNear(a: PointerEvent, b: PointerEvent): boolean {
  return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) < 4;
}

function wireTarget({ values, tooltip }: PictureWire): Target {
  return { kind: "wire", values, tooltip };
}

function detailClasses(detail: Detail): string {
  const off = Object.entries(detail).filter(([, on]) => !on);
  return ["ox-svg", ...off.map(([name]) => `ox-no-${name.toLowerCase()}`)].join(" ");
}
