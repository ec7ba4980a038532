/** The drawing: SVG of what the screen shows, moved by d3-zoom. */
import { select } from "d3-selection";
import { type D3ZoomEvent, type ZoomBehavior, zoom, zoomIdentity } from "d3-zoom";
import type { Rect } from "../core/curve";
import type { PictureLabel } from "../core/edge_labels";
import { type Highlight, NO_HIGHLIGHT } from "../core/highlight";
import { LABEL_SCALES } from "../core/labels";
import { MINIATURE_FROM } from "../core/miniature";
import { NOTHING_OBSERVED, type Observed } from "../core/observed";
import type { Painting } from "../core/paint";
import type { Picture, PictureCard } from "../core/picture";
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
import { type Dress, dressCard, dressLabel, dressWire } from "./dress";
import {
  arrowMarker,
  cardShape,
  frameShape,
  headerShape,
  labelShape,
  type MarkerIds,
  stubShape,
  wireShape,
} from "./shapes";
import { silhouetteShapes } from "./silhouette";

/** What the pointer is on. */
export type Target =
  | { readonly kind: "toggle"; readonly group: number }
  /** `also`: beside what is selected already. */
  | { readonly kind: "card"; readonly card: PictureCard; readonly also: boolean }
  /** The edge of a node that takes a breakpoint. */
  | { readonly kind: "stop"; readonly id: string }
  /** A group is to become the whole view. */
  | { readonly kind: "enter"; readonly group: number }
  | { readonly kind: "frame"; readonly group: number }
  | { readonly kind: "wire"; readonly values: readonly string[]; readonly tooltip: string }
  | { readonly kind: "stub"; readonly index: number }
  | { readonly kind: "empty" };

export interface CanvasEvents {
  click(target: Target): void;
  doubleClick(target: Target): void;
  hover(target: Target, event: PointerEvent): void;
  moved(zoom: Zoom): void;
  /** Other labels can be read than before. */
  labelled(values: readonly string[]): void;
  resized(): void;
}

const LAYERS = ["frames", "wires", "headers", "stubs", "cards", "labels"] as const;
type Layer = (typeof LAYERS)[number];

/** How far beyond the screen elements are kept, in screens. */
const MARGIN = 0.4;

let instances = 0;

export class Canvas {
  readonly element: HTMLDivElement;
  readonly #svg: SVGSVGElement;
  readonly #world: SVGGElement;
  readonly #silhouette: SVGGElement;
  readonly #layers: Record<Layer, SVGGElement>;
  readonly #shown: Record<Layer, Map<number, SVGElement>>;
  readonly #markers: MarkerIds;
  readonly #zoomer: ZoomBehavior<SVGSVGElement, unknown>;
  readonly #events: CanvasEvents;
  readonly #observer: ResizeObserver;
  #seen: { readonly clientWidth: number; readonly clientHeight: number } | undefined;
  #scene: Scene | undefined;
  #picture: Picture | undefined;
  #frameCounts: readonly string[] = [];
  #dress: Dress;
  #observed: Observed = NOTHING_OBSERVED;
  #labels: readonly PictureLabel[] = [];
  /** Labels that have been placed, by how much larger they are. */
  readonly #placed = new Map<number, readonly PictureLabel[]>();
  #near = "";
  #zoom: Zoom = { k: 1, x: 0, y: 0 };
  #drawn: Rect | undefined;
  #detail: Detail | undefined;
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
    this.#layers = layerRecord((name) => svg("g", { class: `ox-layer ox-${name}` }));
    this.#shown = layerRecord(() => new Map<number, SVGElement>());
    this.#silhouette = svg("g", { class: "ox-silhouette" });
    this.#world = svg(
      "g",
      { class: "ox-world" },
      this.#layers.frames,
      this.#silhouette,
      ...LAYERS.slice(1).map((name) => this.#layers[name]),
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
        event.type === "wheel" ? event.ctrlKey || event.metaKey : event.button === 0,
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

  show(scene: Scene, picture: Picture, frameCounts: readonly string[]): void {
    this.#scene = scene;
    this.#picture = picture;
    this.#frameCounts = frameCounts;
    for (const name of LAYERS) {
      this.#layers[name].replaceChildren();
      this.#shown[name].clear();
    }
    this.#silhouette.replaceChildren();
    this.#placed.clear();
    if (this.#observed.size === 0) this.#placed.set(1, picture.labels);
    this.#drawn = undefined;
    this.#update();
  }

  /** Labels say what a run has shown of their values. */
  observe(observed: Observed): void {
    if (observed === this.#observed) return;
    this.#observed = observed;
    this.#placed.clear();
    this.#drawn = undefined;
    this.#update();
  }

  setHighlight(highlight: Highlight): void {
    this.#dress = { ...this.#dress, highlight };
    for (const [i, element] of this.#shown.cards) this.#dressCard(i, element);
    for (const [i, element] of this.#shown.wires) this.#dressWire(i, element);
    for (const [i, element] of this.#shown.labels) this.#dressLabel(i, element);
  }

  /** Marks the nodes that have a breakpoint. */
  showStops(stops: ReadonlySet<string>): void {
    this.#dress = { ...this.#dress, stops };
    for (const [i, element] of this.#shown.cards) this.#dressCard(i, element);
  }

  /** Marks the labels of values that a what-if has changed. */
  showChanged(was: ReadonlyMap<string, string>): void {
    this.#dress = { ...this.#dress, changed: was };
    for (const [i, element] of this.#shown.labels) this.#dressLabel(i, element);
  }

  showMiniatures(miniatures: ReadonlyMap<string, Miniature>): void {
    this.#dress = { ...this.#dress, miniatures };
    for (const [i, element] of this.#shown.labels) this.#dressLabel(i, element);
  }

  /** Colours the boxes by numbers in place of what they do. */
  setPainting(painting: Painting | undefined): void {
    this.#dress = { ...this.#dress, painting };
    this.#svg.toggleAttribute("data-painted", painting !== undefined);
    for (const [i, element] of this.#shown.cards) this.#dressCard(i, element);
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
    // The second click of a double click must not undo what the first one did.
    element.addEventListener("click", (event) => {
      if (event.detail <= 1) this.#events.click(this.#targetOf(event));
    });
    element.addEventListener("dblclick", (event) =>
      this.#events.doubleClick(this.#targetOf(event)),
    );
    element.addEventListener("pointermove", (event) =>
      this.#events.hover(this.#targetOf(event), event),
    );
    element.addEventListener("pointerleave", (event) =>
      this.#events.hover({ kind: "empty" }, event),
    );
    element.addEventListener(
      "wheel",
      (event) => {
        if (event.ctrlKey || event.metaKey || !this.#ownsWheel()) return;
        event.preventDefault();
        const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 400 : 1;
        const [dx, dy] =
          event.shiftKey && event.deltaX === 0 ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
        this.panBy(-dx * unit, -dy * unit);
      },
      { passive: false },
    );
  }

  /** A wheel over a widget in a long notebook scrolls the notebook, until the widget has been clicked into. */
  #ownsWheel(): boolean {
    const root = this.element.getRootNode() as Document | ShadowRoot;
    if (root.activeElement && this.element.contains(root.activeElement)) return true;
    for (let e = this.element.parentElement; e; e = e.parentElement)
      if (e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(e).overflowY))
        return false;
    const page = document.scrollingElement;
    return !page || page.scrollHeight <= page.clientHeight + 1;
  }

  #targetOf(event: Event): Target {
    const { target } = event;
    const picture = this.#picture;
    if (!(target instanceof Element) || !picture) return { kind: "empty" };
    const stop = target.closest("[data-stop]")?.getAttribute("data-stop");
    if (stop) return { kind: "stop", id: stop };
    const enter = target.closest("[data-enter]")?.getAttribute("data-enter");
    if (enter) return { kind: "enter", group: Number(enter) };
    const toggle = target.closest("[data-toggle]")?.getAttribute("data-toggle");
    if (toggle) return { kind: "toggle", group: Number(toggle) };
    const holder = target.closest("[data-index]");
    const index = Number(holder?.getAttribute("data-index"));
    const layer: Element | null | undefined = holder?.parentElement;
    switch (layer) {
      case this.#layers.cards:
        return {
          kind: "card",
          card: at(picture.cards, index),
          also: event instanceof MouseEvent && event.shiftKey,
        };
      case this.#layers.frames:
        return { kind: "frame", group: at(picture.frames, index).group };
      case this.#layers.wires:
        return { kind: "wire", ...at(picture.wires, index) };
      case this.#layers.labels: {
        const { value, tooltip } = at(this.#labels, index);
        return { kind: "wire", values: [value], tooltip };
      }
      case this.#layers.stubs:
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

  #update(): void {
    const picture = this.#picture;
    const scene = this.#scene;
    if (!picture || !scene) return;
    const view = visibleWorld(this.#zoom, this.size);
    const wide = visibleWorld(this.#zoom, this.size, MARGIN);
    const cards = indicesIn(picture.cards, wide);
    const detail = detailAt(this.#zoom.k, cards.length);
    const same =
      this.#detail !== undefined && JSON.stringify(detail) === JSON.stringify(this.#detail);
    if (same && this.#drawn && contains(this.#drawn, view)) return;
    this.#drawn = wide;
    this.#detail = detail;
    this.#svg.setAttribute("class", detailClasses(detail));
    this.#showSilhouette(picture, detail.silhouettes);
    const frames = indicesIn(picture.frames, wide);
    this.#sync("frames", frames, (i) => frameShape(at(picture.frames, i)));
    this.#sync("headers", detail.titles ? frames : [], (i) => {
      const frame = at(picture.frames, i);
      return headerShape(frame, this.#frameCounts[frame.group] ?? "");
    });
    this.#sync("wires", detail.silhouettes ? [] : indicesIn(picture.wires, wide), (i) => {
      const element = wireShape(at(picture.wires, i), this.#markers);
      this.#dressWire(i, element);
      return element;
    });
    this.#sync("stubs", detail.silhouettes ? [] : indicesIn(picture.stubs, wide), (i) =>
      stubShape(at(picture.stubs, i)),
    );
    this.#sync("cards", detail.silhouettes ? [] : cards, (i) => {
      const element = cardShape(scene, at(picture.cards, i));
      this.#dressCard(i, element);
      return element;
    });
    const smallest = detail.labels ?? Number.POSITIVE_INFINITY;
    this.#chooseLabels(picture, detail.grown);
    const labels = indicesIn(this.#labels, wide).filter(
      (i) => at(this.#labels, i).scale >= smallest,
    );
    this.#sync("labels", labels, (i) => {
      const element = labelShape(at(this.#labels, i));
      this.#dressLabel(i, element);
      return element;
    });
    this.#tellLabelled(labels);
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

  #chooseLabels(picture: Picture, grown: number): void {
    let labels = this.#placed.get(grown);
    if (!labels) {
      const scales = grown === 1 ? LABEL_SCALES : [grown];
      labels = picture.labelling.place(scales, this.#observed).labels;
      this.#placed.set(grown, labels);
    }
    if (labels === this.#labels) return;
    this.#labels = labels;
    this.#sync("labels", [], () => this.#svg);
  }

  #sync(name: Layer, wanted: readonly number[], make: (index: number) => SVGElement): void {
    const shown = this.#shown[name];
    const keep = new Set(wanted);
    for (const [i, element] of shown)
      if (!keep.has(i)) {
        element.remove();
        shown.delete(i);
      }
    const fresh = document.createDocumentFragment();
    for (const i of wanted) {
      if (shown.has(i)) continue;
      const element = make(i);
      element.setAttribute("data-index", String(i));
      shown.set(i, element);
      fresh.append(element);
    }
    this.#layers[name].append(fresh);
    // Frames lie inside each other: the order of the picture is the order of painting.
    if (name === "frames" && fresh !== null)
      for (const i of wanted) {
        const element = shown.get(i);
        if (element) this.#layers.frames.append(element);
      }
  }

  #showSilhouette(picture: Picture, wanted: boolean): void {
    if (!wanted) this.#silhouette.replaceChildren();
    else if (this.#silhouette.childElementCount === 0)
      this.#silhouette.append(...silhouetteShapes(picture, this.#dress.painting?.cards));
  }

  #dressCard(index: number, element: SVGElement): void {
    const card = this.#picture?.cards[index];
    if (card) dressCard(card, element, this.#dress);
  }

  #dressWire(index: number, element: SVGElement): void {
    const wire = this.#picture?.wires[index];
    if (wire && this.#picture) dressWire(wire, element, this.#picture, this.#dress);
  }

  #dressLabel(index: number, element: SVGElement): void {
    const label = this.#labels[index];
    if (label) dressLabel(label, element, this.#dress);
  }
}

/** As a power of two. A pinch comes as many small steps, a notch of a mouse's wheel as one large one. */
function wheelZoom({ deltaY, deltaMode }: WheelEvent): number {
  const pixels = deltaMode === 1 ? deltaY * 18 : deltaMode === 2 ? deltaY * 400 : deltaY;
  return -pixels * (Math.abs(pixels) < 50 ? 0.012 : 0.003);
}

function layerRecord<T>(make: (name: Layer) => T): Record<Layer, T> {
  return {
    frames: make("frames"),
    wires: make("wires"),
    headers: make("headers"),
    stubs: make("stubs"),
    cards: make("cards"),
    labels: make("labels"),
  };
}

function detailClasses(detail: Detail): string {
  const off = Object.entries(detail).filter(([, on]) => !on);
  return ["ox-svg", ...off.map(([name]) => `ox-no-${name.toLowerCase()}`)].join(" ");
}
