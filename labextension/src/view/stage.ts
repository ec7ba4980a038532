/** The drawing with what lies over it, and the way from a set of open groups to a picture. */
import { type Arrangement, arrange, LayoutCache, type LayoutText } from "../core/arrange";
import { countText, likenessText } from "../core/card";
import type { Rect } from "../core/curve";
import type { Point } from "../core/geometry";
import type { Highlight } from "../core/highlight";
import { type Nesting, nestSteps } from "../core/levels";
import { groupTitle } from "../core/naming";
import { NOTHING_OBSERVED, type Observed } from "../core/observed";
import { inPieces, pause } from "../core/pace";
import type { Painting } from "../core/paint";
import { drawSteps, type Picture, type PictureCard } from "../core/picture";
import type { Loaded } from "../core/reading";
import { at, type Scene } from "../core/scene";
import {
  centreOn,
  contains,
  filledWith,
  firstView,
  holdCentre,
  holdPoint,
  type Size,
  visibleWorld,
  wholeView,
  type Zoom,
  zoomOn,
} from "../core/viewport";
import type { Miniature } from "../protocol/messages";
import { Canvas } from "./canvas";
import { html } from "./dom";
import { hintOf } from "./hints";
import { textMeasure } from "./measure";
import { Minimap } from "./minimap";
import { helpPanel, Notices, Tooltip } from "./overlays";
import { LayoutProgress, type Work } from "./progress";
import type { Target } from "./target";

/** Where a new layout leaves the view: at the first view, on a box, or with a group where it was. */
export type Aim =
  | { readonly kind: "first" }
  | { readonly kind: "box"; readonly box: number }
  | { readonly kind: "hold"; readonly group: number }
  /** A box, or what is in the middle, stays where it was. */
  | { readonly kind: "keep"; readonly box: number | undefined }
  /** As it was, moved only where a box would be out of sight. */
  | { readonly kind: "zoom"; readonly zoom: Zoom; readonly box?: number | undefined }
  | { readonly kind: "world"; readonly world: Rect }
  | { readonly kind: "stay" };

interface Held {
  readonly corner: Point;
  again(): Point | undefined;
}

export interface Drawn {
  readonly loaded: Loaded;
  readonly expanded: ReadonlySet<number>;
  readonly entered: number;
}

export type Outcome = "drawn" | "overtaken" | "cancelled";

/** The height of the way to a group. */
const CRUMBS = 26;

export interface StageEvents {
  click(target: Target): void;
  doubleClick(target: Target): void;
  /** Another part of the drawing is shown. */
  moved(): void;
  /** Other labels can be read than before. */
  labelled(values: readonly string[]): void;
}

export class Stage {
  readonly element: HTMLDivElement;
  readonly notices = new Notices();
  readonly #canvas: Canvas;
  readonly #minimap: Minimap;
  readonly #tooltip = new Tooltip();
  readonly #help: HTMLDivElement;
  readonly #layout: LayoutText;
  readonly #crumbs: HTMLElement;
  readonly #measure = textMeasure();
  #cache = new LayoutCache();
  #loaded: Loaded | undefined;
  #expanded: ReadonlySet<number> = new Set();
  #entered = 0;
  #picture: Picture | undefined;
  #observed: Observed = NOTHING_OBSERVED;
  #painting: Painting | undefined;
  #was: ReadonlyMap<string, string> = new Map();
  #miniatures: ReadonlyMap<string, Miniature> = new Map();
  /** The layout that is under way. */
  #laying: AbortController | undefined;
  /** One that nobody waits for. */
  #foreseeing: AbortController | undefined;
  readonly #progress = new LayoutProgress(() => this.cancel());
  #inRows = false;
  /** How the view was fitted, until it is moved. */
  #fit: "first" | "whole" | undefined;
  /** Of the drawing when the view was last moved. */
  #size: Size;

  constructor(layout: LayoutText, crumbs: HTMLElement, events: StageEvents) {
    this.#layout = layout;
    this.#crumbs = crumbs;
    this.#canvas = new Canvas({
      ...events,
      hover: (target, event) => this.#tooltip.show(this.#hintOf(target), event),
      moved: (zoom) => {
        this.#tooltip.hide();
        this.#fit = undefined;
        this.#size = this.#canvas.size;
        this.#minimap.follow(zoom, this.#size);
        events.moved();
      },
      resized: () => this.#resized(),
    });
    this.#size = this.#canvas.size;
    this.#minimap = new Minimap((x, y) => {
      const { k } = this.#canvas.zoom;
      const { width, height } = this.#canvas.size;
      this.#canvas.moveTo({ k, x: width / 2 - x * k, y: height / 2 - y * k });
    });
    this.#help = helpPanel(() => this.toggleHelp(false));
    this.element = html(
      "div",
      { class: "ox-stage" },
      this.#canvas.element,
      this.#minimap.element,
      crumbs,
      this.notices.element,
      this.#progress.element,
      this.#tooltip.element,
      this.#help,
    );
  }

  get zoom(): Zoom {
    return this.#canvas.zoom;
  }

  moveTo(zoom: Zoom): void {
    this.#canvas.moveTo(zoom);
  }

  get picture(): Picture | undefined {
    return this.#picture;
  }

  /** A new scene: nothing laid out for the last one is of use. */
  reset(): void {
    this.#cache = new LayoutCache();
    this.#picture = undefined;
    this.#inRows = false;
  }

  /** The scene of the drawing, and what stands open in it. */
  get drawn(): Drawn | undefined {
    const [loaded, expanded, entered] = [this.#loaded, this.#expanded, this.#entered];
    return this.#picture && loaded && { loaded, expanded, entered };
  }

  get isLayingOut(): boolean {
    return this.#laying !== undefined;
  }

  /** Ends the layout that a person has been told of; false where there is none. */
  cancel(): boolean {
    if (!this.#progress.isShown) return false;
    this.#laying?.abort();
    return true;
  }

  /** The engine is not asked until the next scene comes. */
  layOutInRows(): void {
    this.#inRows = true;
  }

  /** Lays out and draws. A later call ends an earlier one. Rejects when nothing can be drawn. */
  async show(
    loaded: Loaded,
    expanded: ReadonlySet<number>,
    aim: Aim,
    entered = 0,
    meanwhile?: () => void,
  ): Promise<Outcome> {
    const laying = new AbortController();
    this.#laying?.abort();
    this.#foreseeing?.abort();
    this.#laying = laying;
    const { signal } = laying;
    try {
      // Whoever asks for it has done a good deal itself.
      await pause();
      signal.throwIfAborted();
      const nesting = await inPieces(nestSteps(loaded.scene, expanded, entered));
      signal.throwIfAborted();
      this.#progress.begin(workOf(loaded.scene, nesting, expanded, this.drawn));
      await pause();
      signal.throwIfAborted();
      const arrangement = await this.#arrange(nesting, loaded, expanded, signal, meanwhile);
      await pause();
      const { scene, contents } = loaded;
      const picture = await inPieces(
        drawSteps(scene, arrangement, contents, this.#measure, this.#observed),
      );
      await pause();
      signal.throwIfAborted();
      const held = this.#heldBy(aim);
      this.#loaded = loaded;
      this.#expanded = expanded;
      this.#entered = entered;
      this.#picture = picture;
      this.#tooltip.hide();
      this.#minimap.show(picture);
      // First the view, so that nothing is drawn for the one before it.
      this.#aim(aim, held);
      const counts = contents.map((each) => ({
        nodes: countText(each),
        likeness: likenessText(each),
      }));
      this.#canvas.show(scene, picture, counts);
      this.#minimap.follow(this.#canvas.zoom, this.#canvas.size);
      for (const warning of arrangement.warnings) this.notices.show(warning, "warning");
    } catch (error) {
      if (laying !== this.#laying) return "overtaken";
      this.#laying = undefined;
      this.#progress.end(signal.aborted ? "The layout was cancelled: the view is as before." : "");
      if (signal.aborted) return "cancelled";
      throw error;
    }
    this.#laying = undefined;
    this.#progress.end();
    return "drawn";
  }

  /** Lays out what may be shown next: the engine is not asked for it again then. */
  async foresee(loaded: Loaded, expanded: ReadonlySet<number>, entered: number): Promise<void> {
    this.#foreseeing?.abort();
    if (this.#laying || this.#inRows) return;
    this.#foreseeing = new AbortController();
    const { signal } = this.#foreseeing;
    const nesting = await inPieces(nestSteps(loaded.scene, expanded, entered));
    if (!signal.aborted) await this.#arrange(nesting, loaded, expanded, signal);
  }

  #arrange(
    nesting: Nesting,
    loaded: Loaded,
    expanded: ReadonlySet<number>,
    signal: AbortSignal,
    meanwhile?: () => void,
  ): Promise<Arrangement> {
    const layout = this.#inRows ? inRows : this.#layout;
    return arrange(nesting, {
      ...loaded,
      expanded,
      measure: this.#measure,
      layout: (dot, signal) => {
        const text = layout(dot, signal);
        meanwhile?.();
        return text;
      },
      cache: this.#cache,
      signal,
      laid: () => {
        if (signal === this.#laying?.signal) this.#progress.advance();
      },
    });
  }

  /** Comes back when all that the screen shows has been drawn. */
  settle(): Promise<void> {
    return this.#canvas.settle();
  }

  setHighlight(highlight: Highlight): void {
    this.#canvas.setHighlight(highlight);
  }

  setPainting(painting: Painting | undefined): void {
    this.#painting = painting;
    this.#canvas.setPainting(painting);
    this.#minimap.setPaints(painting?.cards);
  }

  showStops(ids: ReadonlySet<string>): void {
    this.#canvas.showStops(ids);
  }

  showMiniatures(miniatures: ReadonlyMap<string, Miniature>): void {
    this.#miniatures = miniatures;
    this.#canvas.showMiniatures(miniatures);
  }

  /** Marks what a what-if has changed, with what the edges said before. */
  showChanged(was: ReadonlyMap<string, string>): void {
    this.#was = was;
    this.#canvas.showChanged(was);
  }

  observe(observed: Observed): void {
    this.#observed = observed;
    this.#canvas.observe(observed);
  }

  /** Centres a box, or with `centre` off moves only when it is not in view, and then shows no more emptiness than it has to. */
  bringIntoView(box: number, centre: boolean): void {
    const rect = this.#rectOf(box);
    const picture = this.#picture;
    if (!rect || !picture) return;
    const { zoom, size } = this.#canvas;
    if (!centre && contains(visibleWorld(zoom, size, -0.02), rect)) return;
    const centred = centreOn(rect, zoom, size);
    this.#canvas.moveTo(centre ? centred : filledWith(picture, centred, size));
  }

  /** Through a tunnel to its other end; where there are several, the view stays. */
  jump(stub: number): void {
    const picture = this.#picture;
    if (!picture) return;
    const { edges, side } = at(picture.stubs, stub);
    const far = new Set(
      edges.map((edge) => at(picture.folded, edge)[side === "source" ? "target" : "source"]),
    );
    const [key, ...more] = far;
    const card = picture.cards.find((known) => known.key === key);
    if (!card || more.length > 0) return;
    this.#canvas.moveTo(centreOn(card, this.#canvas.zoom, this.#canvas.size));
  }

  showWhole(): void {
    this.#fitTo("whole");
  }

  /** The part of the drawing that the screen shows. */
  get world(): Rect {
    return visibleWorld(this.#canvas.zoom, this.#canvas.size);
  }

  showWorld(world: Rect): void {
    this.#canvas.moveTo(zoomOn(world, this.#canvas.size));
  }

  zoomBy(factor: number): void {
    this.#canvas.zoomBy(factor);
  }

  focus(): void {
    this.#canvas.element.focus({ preventScroll: true });
  }

  get helpIsOpen(): boolean {
    return !this.#help.hidden;
  }

  toggleHelp(open: boolean): void {
    this.#help.hidden = !open;
    if (!open) this.focus();
  }

  themeChanged(): void {
    this.#minimap.themeChanged();
  }

  dispose(): void {
    this.#laying?.abort();
    this.#foreseeing?.abort();
    this.#laying = undefined;
    this.#progress.end();
    this.#canvas.dispose();
    this.#tooltip.hide();
  }

  /** What a new layout is not to move, where it finds its place again. */
  #heldBy(aim: Aim): Held | undefined {
    if (aim.kind === "hold") {
      const corner = this.#cornerOf(aim.group);
      return corner && { corner, again: () => this.#cornerOf(aim.group) };
    }
    if (aim.kind !== "keep") return undefined;
    const key =
      (aim.box === undefined ? undefined : this.#picture?.standIn[aim.box]) ?? this.#middle();
    const corner = this.#card(key);
    return corner && { corner, again: () => this.#card(key) };
  }

  /** The card of a node, group or end of the graph that is nearest to the middle of the view. */
  #middle(): string | undefined {
    const { x, y, width, height } = this.world;
    const far = (card: Rect) =>
      Math.hypot(
        card.x + card.width / 2 - x - width / 2,
        card.y + card.height / 2 - y - height / 2,
      );
    let nearest: PictureCard | undefined;
    for (const card of this.#picture?.cards ?? [])
      if (card.kind !== "initializer" && (!nearest || far(card) < far(nearest))) nearest = card;
    return nearest?.key;
  }

  #aim(aim: Aim, held: Held | undefined): void {
    const picture = this.#picture;
    if (!picture) return;
    if (aim.kind === "first") this.#fitTo("first");
    else if (aim.kind === "zoom") {
      this.#canvas.moveTo(aim.zoom);
      if (aim.box !== undefined) this.bringIntoView(aim.box, false);
    } else if (aim.kind === "world") this.showWorld(aim.world);
    else if (held) {
      const now = held.again();
      if (now) this.#canvas.moveTo(holdPoint(held.corner, now, this.#canvas.zoom));
    } else if (aim.kind === "box") this.bringIntoView(aim.box, true);
  }

  #fitTo(fit: "first" | "whole"): void {
    const picture = this.#picture;
    if (!picture) return;
    const { size } = this.#canvas;
    const start = picture.cards.find(({ kind }) => kind === "input") ?? picture.cards[0];
    const { k, x, y } =
      fit === "first" ? firstView(picture, start, size) : wholeView(picture, size);
    // The way to the group stands over the drawing's top.
    this.#canvas.moveTo({ k, x, y: this.#crumbs.hidden || fit === "whole" ? y : y + CRUMBS });
    this.#fit = fit;
  }

  /** A cell out of sight has no size; it gets one when it is shown. */
  #resized(): void {
    const { zoom, size, hasSize } = this.#canvas;
    if (!hasSize) return;
    if (this.#fit) this.#fitTo(this.#fit);
    else this.#canvas.moveTo(holdCentre(zoom, this.#size, size));
    this.#minimap.follow(this.#canvas.zoom, size);
  }

  #cornerOf(group: number): { x: number; y: number } | undefined {
    const owner = this.#loaded?.scene.groups[group]?.owner ?? -1;
    const rect =
      this.#picture?.frames.find((frame) => frame.group === group) ??
      this.#card(owner >= 0 ? `b${owner}` : `g${group}`);
    return rect && { x: rect.x + Math.min(rect.width / 2, 60), y: rect.y };
  }

  #card(key: string | undefined): Rect | undefined {
    return this.#picture?.cards.find((card) => card.key === key);
  }

  /** Of the box, or of the card that stands for it. */
  #rectOf(box: number): Rect | undefined {
    return this.#card(this.#picture?.standIn[box]);
  }

  #hintOf(target: Target): string {
    const [loaded, picture] = [this.#loaded, this.#picture];
    if (!loaded || !picture) return "";
    return hintOf(target, {
      loaded,
      picture,
      expanded: this.#expanded,
      observed: this.#observed,
      was: this.#was,
      miniatures: this.#miniatures,
      painting: this.#painting,
    });
  }
}

/** In place of an engine that a person did not want to wait for. */
async function inRows(): Promise<string> {
  throw new Error("it was cancelled");
}

function workOf(
  scene: Scene,
  nesting: Nesting,
  expanded: ReadonlySet<number>,
  drawn: Stage["drawn"],
): Work {
  const opened = [...expanded].filter((group) => group > 0 && !drawn?.expanded.has(group));
  const [only, ...more] = opened;
  const title =
    !drawn || only === undefined
      ? "the graph"
      : more.length > 0
        ? `${opened.length} groups`
        : `'${groupTitle(scene, only)}'`;
  let boxes = 0;
  for (const { children } of nesting.levels.keys())
    for (const { kind } of children) if (kind !== "frame") boxes++;
  return { title, boxes, levels: nesting.levels.size };
}
