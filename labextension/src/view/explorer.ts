/** The explorer: holds what is open and selected, and brings scene, layout, drawing and kernel together. */
import { arrange, keyTitle, LayoutCache, type LayoutText } from "../core/arrange";
import { countText, type GroupContent, groupContents, operatorsText } from "../core/card";
import { chunked } from "../core/chunk";
import type { Rect } from "../core/curve";
import { childGroups, firstExpansion, groupsAround, toggled } from "../core/expansion";
import { inspect } from "../core/inspection";
import { commandOf, type KeyCommand } from "../core/keys";
import { nest } from "../core/levels";
import { neighbour, trace } from "../core/paths";
import { draw, type Picture } from "../core/picture";
import { at, readScene, type Scene } from "../core/scene";
import { type Hit, search, stepThrough } from "../core/search";
import {
  anchorBox,
  NOTHING,
  readSelection,
  type Selection,
  writeSelection,
} from "../core/selection";
import { type Command, focusOf, nodeMarks, progressText, stepCommands } from "../core/stepping";
import {
  centreOn,
  contains,
  firstView,
  holdPoint,
  visibleWorld,
  wholeView,
} from "../core/viewport";
import type { Question, ValueSummary } from "../protocol/messages";
import type { Transport, Unsubscribe } from "../protocol/transport";
import { SearchBox, StepBar, type ViewAction, viewButtons } from "./bar";
import { Canvas, type Highlight, type Target } from "./canvas";
import { html } from "./dom";
import { Inspector } from "./inspector";
import { textMeasure } from "./measure";
import { Minimap } from "./minimap";
import { helpPanel, Notices, Tooltip } from "./overlays";
import { followTheme } from "./theme";

/** After this long without an answer a person is told that the kernel is being waited for. */
const WAITING_MS = 4_000;

/** Where a relayout leaves the view: at the first view, on a box, or with a group where it was. */
type Aim =
  | { readonly kind: "first" }
  | { readonly kind: "box"; readonly box: number }
  | { readonly kind: "hold"; readonly group: number };

export class Explorer {
  readonly root: HTMLDivElement;
  readonly #transport: Transport;
  readonly #layout: LayoutText;
  readonly #measure = textMeasure();
  readonly #canvas: Canvas;
  readonly #minimap: Minimap;
  readonly #steps: StepBar;
  readonly #search: SearchBox;
  readonly #inspector: Inspector;
  readonly #tooltip = new Tooltip();
  readonly #notices = new Notices();
  readonly #help: HTMLDivElement;
  readonly #ends: Unsubscribe[] = [];
  readonly #summaries = new Map<string, Promise<ValueSummary>>();
  #cache = new LayoutCache();
  #scene: Scene | undefined;
  #contents: readonly GroupContent[] = [];
  #expanded: ReadonlySet<number> = new Set([0]);
  #picture: Picture | undefined;
  #selection: Selection = NOTHING;
  #hits: readonly Hit[] = [];
  #hit = -1;
  #tracing = false;
  #run = 0;
  #waitingForSize = false;

  constructor(transport: Transport, layout: LayoutText) {
    this.#transport = transport;
    this.#layout = layout;
    this.#canvas = new Canvas({
      click: (target) => this.#click(target),
      doubleClick: (target) => this.#doubleClick(target),
      hover: (target, event) => this.#tooltip.show(this.#tooltipOf(target), event),
      moved: (zoom) => {
        this.#tooltip.hide();
        this.#minimap.follow(zoom, this.#canvas.size);
      },
      resized: () => this.#resized(),
    });
    this.#minimap = new Minimap((x, y) => {
      const { k } = this.#canvas.zoom;
      const { width, height } = this.#canvas.size;
      this.#canvas.moveTo({ k, x: width / 2 - x * k, y: height / 2 - y * k });
    });
    this.#steps = new StepBar((action) => this.#step(action));
    this.#search = new SearchBox({
      query: (text) => this.#query(text),
      go: (index) => this.#goToHit(index),
      step: (direction) => this.#goToHit(stepThrough(this.#hits.length, this.#hit, direction)),
      leave: () => this.#leaveSearch(),
    });
    this.#inspector = new Inspector({
      selectBox: (box) => this.#reveal({ kind: "box", box }),
      selectValue: (value) => this.#reveal({ kind: "value", value }),
      askInitializer: (name) => this.#askInitializer(name),
      askValue: (name) => transport.ask({ kind: "value", name }),
      explain: async (name, axis) => (await transport.ask({ kind: "explain", name, axis })).text,
    });
    this.#help = helpPanel(() => this.#toggleHelp(false));
    const stage = html(
      "div",
      { class: "ox-stage" },
      this.#canvas.element,
      this.#minimap.element,
      this.#notices.element,
      this.#tooltip.element,
      this.#help,
    );
    this.root = html(
      "div",
      { class: "ox-root", "data-onnx-explorer": true, "data-lm-suppress-shortcuts": "true" },
      html(
        "div",
        { class: "ox-bar" },
        this.#search.element,
        this.#steps.element,
        viewButtons((action) => this.#view(action)),
      ),
      html("div", { class: "ox-main" }, stage, this.#inspector.element),
    );
    this.root.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Call once the root is in the page. */
  start(): void {
    this.#ends.push(
      followTheme(this.root, () => this.#minimap.repaint()),
      this.#transport.onScene(() => this.#loadScene()),
      this.#transport.onState(() => this.#showState()),
      this.#transport.onSelected(() => this.#selectedElsewhere()),
    );
    this.#loadScene();
  }

  dispose(): void {
    this.#run++;
    for (const end of this.#ends) end();
    this.#canvas.dispose();
    this.root.remove();
  }

  // Scene and layout

  #loadScene(): void {
    const bytes = this.#transport.scene;
    if (!bytes || bytes.byteLength === 0) {
      this.#notices.show("Waiting for the kernel to send the graph…", "info");
      return;
    }
    this.#notices.clear();
    const before = this.#scene;
    try {
      this.#scene = chunked(readScene(bytes));
    } catch (error) {
      this.#fail(error);
      return;
    }
    const scene = this.#scene;
    this.#contents = groupContents(scene);
    this.#summaries.clear();
    // A what-if sends the same graph with other types: what stands open stays open.
    const same =
      before !== undefined &&
      before.groups.length === scene.groups.length &&
      before.boxes.length === scene.boxes.length;
    if (!same) {
      this.#cache = new LayoutCache();
      this.#expanded = firstExpansion(scene);
    }
    this.#selection = readSelection(scene, this.#transport.selected);
    this.#showState();
    this.#showSelection();
    void this.#relayout(same ? undefined : { kind: "first" });
  }

  async #relayout(aim?: Aim): Promise<boolean> {
    const scene = this.#scene;
    if (!scene) return false;
    const run = ++this.#run;
    const expanded = this.#expanded;
    this.root.removeAttribute("data-onnx-explorer-ready");
    const held = aim?.kind === "hold" ? this.#cornerOf(aim.group) : undefined;
    try {
      const arrangement = await arrange(nest(scene, expanded), {
        scene,
        contents: this.#contents,
        expanded,
        measure: this.#measure,
        layout: this.#layout,
        cache: this.#cache,
      });
      if (run !== this.#run) return false;
      this.#picture = draw(scene, arrangement, this.#contents, this.#measure);
      this.#canvas.show(scene, this.#picture, this.#contents.map(countText));
      this.#minimap.show(this.#picture);
      this.#aim(aim, held);
      this.#minimap.follow(this.#canvas.zoom, this.#canvas.size);
      this.#highlight();
      for (const warning of arrangement.warnings) this.#notices.show(warning, "warning");
      this.root.setAttribute("data-onnx-explorer-ready", "");
      return true;
    } catch (error) {
      if (run === this.#run) this.#fail(error);
      return false;
    }
  }

  #aim(aim: Aim | undefined, held: { x: number; y: number } | undefined): void {
    const picture = this.#picture;
    if (!picture || !aim) return;
    if (aim.kind === "first") {
      this.#waitingForSize = !this.#canvas.hasSize;
      const start = picture.cards.find(({ kind }) => kind === "input") ?? picture.cards[0];
      this.#canvas.moveTo(firstView(picture, start, this.#canvas.size));
    } else if (aim.kind === "hold") {
      const now = this.#cornerOf(aim.group);
      if (held && now) this.#canvas.moveTo(holdPoint(held, now, this.#canvas.zoom));
    } else this.#bringIntoView(aim.box, true);
  }

  /** The first view waits for the size of a cell that was rendered out of sight. */
  #resized(): void {
    if (this.#waitingForSize && this.#canvas.hasSize) this.#aim({ kind: "first" }, undefined);
    this.#minimap.follow(this.#canvas.zoom, this.#canvas.size);
  }

  #cornerOf(group: number): { x: number; y: number } | undefined {
    const picture = this.#picture;
    const owner = this.#scene?.groups[group]?.owner ?? -1;
    const rect =
      picture?.frames.find((frame) => frame.group === group) ??
      picture?.cards.find(({ key }) => key === (owner >= 0 ? `b${owner}` : `g${group}`));
    return rect && { x: rect.x + Math.min(rect.width / 2, 60), y: rect.y };
  }

  #toggle(group: number): void {
    this.#expanded = toggled(this.#expanded, group);
    void this.#relayout({ kind: "hold", group });
  }

  /** Opens the outermost closed generation, or closes the innermost open one. */
  #toggleGeneration(open: boolean): void {
    const scene = this.#scene;
    if (!scene) return;
    const children = childGroups(scene);
    const next = new Set(this.#expanded);
    let generation = [0];
    let last: number[] = [];
    while (generation.length > 0) {
      const inner = generation.flatMap((group) => children[group] ?? []);
      if (open && inner.some((group) => !next.has(group))) {
        for (const group of inner) next.add(group);
        break;
      }
      const opened = inner.filter((group) => next.has(group));
      if (opened.length > 0) last = opened;
      generation = open ? inner : opened;
    }
    if (!open) for (const group of last) next.delete(group);
    this.#expanded = next;
    const anchor = anchorBox(scene, this.#selection);
    void this.#relayout(anchor === undefined ? { kind: "first" } : { kind: "box", box: anchor });
  }

  // Selection

  #select(selection: Selection): void {
    const scene = this.#scene;
    if (!scene) return;
    this.#selection = selection;
    this.#transport.setSelected(writeSelection(scene, selection));
    this.#showSelection();
  }

  #selectedElsewhere(): void {
    const scene = this.#scene;
    if (!scene || this.#transport.selected === writeSelection(scene, this.#selection)) return;
    this.#reveal(readSelection(scene, this.#transport.selected));
  }

  /** Selects, opens the groups around it and brings it into view. */
  #reveal(selection: Selection): void {
    const scene = this.#scene;
    if (!scene) return;
    this.#select(selection);
    const box = anchorBox(scene, selection);
    if (box !== undefined) this.#openAround(box, true);
  }

  #openAround(box: number, centre: boolean): void {
    const scene = this.#scene;
    if (!scene) return;
    const closed = groupsAround(scene, box).filter((group) => !this.#expanded.has(group));
    if (closed.length === 0) {
      this.#bringIntoView(box, centre);
      return;
    }
    this.#expanded = new Set([...this.#expanded, ...closed]);
    void this.#relayout({ kind: "box", box });
  }

  #bringIntoView(box: number, centre: boolean): void {
    const rect = this.#rectOf(box);
    if (!rect) return;
    const { zoom, size } = this.#canvas;
    if (!centre && contains(visibleWorld(zoom, size, -0.08), rect)) return;
    this.#canvas.moveTo(centreOn(rect, zoom, size));
  }

  /** Of the box, or of the collapsed group that stands for it. */
  #rectOf(box: number): Rect | undefined {
    const { cards } = this.#picture ?? {};
    return (
      cards?.find(({ key }) => key === `b${box}`) ??
      cards?.find(({ key }) => key === this.#keyOf(box))
    );
  }

  #keyOf(box: number): string {
    const scene = this.#scene;
    if (!scene) return "";
    const closed = groupsAround(scene, box).find((group) => !this.#expanded.has(group));
    if (closed === undefined) return `b${box}`;
    const { owner } = at(scene.groups, closed);
    return owner >= 0 ? this.#keyOf(owner) : `g${closed}`;
  }

  #showSelection(): void {
    const scene = this.#scene;
    if (!scene) return;
    this.#inspector.show(scene, inspect(scene, this.#contents, this.#selection));
    this.#showCommands();
    this.#highlight();
  }

  #highlight(): void {
    const scene = this.#scene;
    if (!scene) return;
    const { kind } = this.#selection;
    const cards = new Set<string>();
    const values = new Set<string>();
    if (kind === "box") cards.add(this.#keyOf(this.#selection.box));
    if (kind === "value") values.add(this.#selection.value);
    this.#canvas.setHighlight({
      cards,
      values,
      hits: new Set(this.#hits.map(({ box }) => this.#keyOf(box))),
      traced: this.#traced(),
      marks: new Map(
        [...nodeMarks(scene, this.#transport.state)].map(([box, mark]) => [this.#keyOf(box), mark]),
      ),
    });
  }

  #traced(): Highlight["traced"] {
    const scene = this.#scene;
    const box = scene && anchorBox(scene, this.#selection);
    if (!this.#tracing || !scene || box === undefined) return undefined;
    const { upstream, downstream } = trace(scene, box);
    const above = new Set([...upstream, box].map((b) => this.#keyOf(b)));
    const below = new Set([...downstream, box].map((b) => this.#keyOf(b)));
    const edges = new Set<number>();
    this.#picture?.folded.forEach(({ source, target }, i) => {
      if ((above.has(source) && above.has(target)) || (below.has(source) && below.has(target)))
        edges.add(i);
    });
    return { cards: new Set([...above, ...below]), edges };
  }

  // Search

  #query(text: string): void {
    this.#hits = this.#scene ? search(this.#scene, text) : [];
    this.#hit = -1;
    this.#search.show(this.#hits, this.#hit);
    this.#highlight();
  }

  #goToHit(index: number): void {
    const hit = this.#hits[index];
    if (!hit) return;
    this.#hit = index;
    this.#search.show(this.#hits, index);
    this.#reveal({ kind: "box", box: hit.box });
  }

  #leaveSearch(): void {
    this.#search.clear();
    this.#query("");
    this.#canvas.element.focus({ preventScroll: true });
  }

  // Stepping

  #showState(): void {
    const scene = this.#scene;
    if (!scene) return;
    const { state } = this.#transport;
    this.#inspector.showSteps(scene, state);
    this.#showCommands();
    if ((state.total ?? 0) > 0 && (state.position ?? 0) > 0) {
      this.#inspector.show(scene, inspect(scene, this.#contents, this.#selection));
      const focus = focusOf(scene, state);
      if (focus !== undefined && this.#picture) {
        const shown = this.#rectOf(focus);
        if (shown) this.#bringIntoView(focus, false);
      }
    }
    this.#highlight();
  }

  #showCommands(): void {
    const scene = this.#scene;
    if (!scene) return;
    const { state } = this.#transport;
    this.#steps.update(
      stepCommands(state, this.#selection.kind !== "none"),
      progressText(scene, state),
      Boolean(state.failed),
    );
  }

  #step(action: Command["action"]): void {
    const command = stepCommands(this.#transport.state, this.#selection.kind !== "none").find(
      (known) => known.action === action,
    );
    if (!command?.enabled) return;
    if (action !== "run-to") {
      void this.#ask({ kind: action });
      return;
    }
    const scene = this.#scene;
    if (!scene) return;
    const target =
      this.#selection.kind === "box"
        ? at(scene.boxes, this.#selection.box).id
        : writeSelection(scene, this.#selection);
    void this.#ask({ kind: "run_to", target });
  }

  async #ask(question: Question): Promise<void> {
    const waiting = setTimeout(
      () =>
        this.#notices.show(
          "The kernel has not answered yet: it is busy with another cell, or it is gone.",
          "info",
        ),
      WAITING_MS,
    );
    try {
      await this.#transport.ask(question);
    } catch (error) {
      this.#fail(error);
    } finally {
      clearTimeout(waiting);
    }
  }

  #askInitializer(name: string): Promise<ValueSummary> {
    const known = this.#summaries.get(name);
    if (known) return known;
    const asked = this.#transport.ask({ kind: "initializer", name });
    this.#summaries.set(name, asked);
    // A refusal is not remembered: the kernel may be back for the next click.
    asked.catch(() => this.#summaries.delete(name));
    return asked;
  }

  // Pointer, keys, buttons

  #click(target: Target): void {
    switch (target.kind) {
      case "toggle":
        this.#toggle(target.group);
        break;
      case "card":
        if (target.card.kind === "group") this.#toggle(target.card.index);
        else this.#select({ kind: "box", box: target.card.index });
        break;
      case "wire":
        this.#select({ kind: "value", value: target.values[0] ?? "" });
        break;
      case "stub":
        this.#jump(target.index);
        break;
      case "frame":
      case "empty":
        this.#select(NOTHING);
    }
  }

  #doubleClick(target: Target): void {
    if (target.kind === "frame") this.#toggle(target.group);
    if (target.kind !== "card" || target.card.kind === "group") return;
    const owned = this.#scene?.ownedBy.get(target.card.index) ?? [];
    for (const group of owned) this.#expanded = toggled(this.#expanded, group);
    const [first] = owned;
    if (first !== undefined) void this.#relayout({ kind: "hold", group: first });
  }

  /** Through a tunnel to its other end; where there are several, the value lights up all of them. */
  #jump(index: number): void {
    const picture = this.#picture;
    const stub = picture?.stubs[index];
    if (!picture || !stub) return;
    const far = new Set(
      stub.edges.map((edge) => {
        const folded = at(picture.folded, edge);
        return stub.side === "source" ? folded.target : folded.source;
      }),
    );
    const [key, ...more] = far;
    if (stub.values[0] !== undefined) this.#select({ kind: "value", value: stub.values[0] });
    if (key === undefined || more.length > 0) return;
    const card = picture.cards.find((known) => known.key === key);
    if (card) this.#canvas.moveTo(centreOn(card, this.#canvas.zoom, this.#canvas.size));
  }

  #tooltipOf(target: Target): string {
    const scene = this.#scene;
    if (!scene) return "";
    switch (target.kind) {
      case "wire":
        return target.tooltip;
      case "card": {
        const { card } = target;
        if (card.kind === "group") return this.#groupTooltip(card.index);
        const box = at(scene.boxes, card.index);
        const lines = [[box.op, box.detail].filter(Boolean).join("  "), box.name];
        for (const [severity, message] of box.problems) lines.push(`${severity}: ${message}`);
        return lines.filter(Boolean).join("\n");
      }
      case "toggle":
        return this.#groupTooltip(target.group);
      case "stub": {
        const stub = this.#picture?.stubs[target.index];
        const ends = stub?.edges.slice(0, 8).map((edge) => {
          const folded = this.#picture?.folded[edge];
          return folded
            ? keyTitle(scene, stub.side === "source" ? folded.target : folded.source)
            : "";
        });
        const where = stub?.side === "source" ? "goes on to" : "comes from";
        return `${stub?.values[0] ?? ""} ${where} ${ends?.join(", ") ?? ""}`;
      }
      default:
        return "";
    }
  }

  #groupTooltip(group: number): string {
    const scene = this.#scene;
    if (!scene) return "";
    const content = at(this.#contents, group);
    const action = this.#expanded.has(group) ? "close" : "open";
    return `${at(scene.groups, group).label}\n${countText(content)}: ${operatorsText(content, 6)}\nClick to ${action}`;
  }

  #view(action: ViewAction): void {
    const picture = this.#picture;
    switch (action) {
      case "fit":
        if (picture) this.#canvas.moveTo(wholeView(picture, this.#canvas.size));
        break;
      case "zoom-in":
        this.#canvas.zoomBy(1.25);
        break;
      case "zoom-out":
        this.#canvas.zoomBy(0.8);
        break;
      case "expand-all":
      case "collapse-all":
        this.#toggleGeneration(action === "expand-all");
        break;
      case "inspector":
        this.root.toggleAttribute("data-no-inspector");
        break;
      case "help":
        this.#toggleHelp(this.#help.hidden);
    }
  }

  #toggleHelp(open: boolean): void {
    this.#help.hidden = !open;
    if (!open) this.#canvas.element.focus({ preventScroll: true });
  }

  #key(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement;
    const command = typing ? undefined : commandOf(event);
    if (!command) return;
    // Enter on a button presses the button.
    if (command.kind === "toggle" && event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    event.stopPropagation();
    this.#obey(command);
  }

  #obey(command: KeyCommand): void {
    const scene = this.#scene;
    switch (command.kind) {
      case "step":
        this.#step(command.action);
        break;
      case "zoom":
        this.#canvas.zoomBy(command.factor);
        break;
      case "fit":
      case "inspector":
      case "help":
        this.#view(command.kind);
        break;
      case "search":
        this.#search.focus();
        break;
      case "next-hit":
      case "previous-hit":
        this.#goToHit(
          stepThrough(this.#hits.length, this.#hit, command.kind === "next-hit" ? 1 : -1),
        );
        break;
      case "clear":
        this.#clear();
        break;
      case "trace":
        this.#tracing = !this.#tracing;
        this.#highlight();
        break;
      case "move": {
        if (!scene) break;
        const from = anchorBox(scene, this.#selection);
        const to = from === undefined ? 0 : neighbour(scene, from, command.step);
        if (to !== undefined && scene.boxes[to]) this.#reveal({ kind: "box", box: to });
        break;
      }
      case "centre": {
        const box = scene && anchorBox(scene, this.#selection);
        if (box !== undefined) this.#bringIntoView(box, true);
        break;
      }
      case "toggle":
        this.#toggleSelected();
    }
  }

  #toggleSelected(): void {
    const scene = this.#scene;
    if (!scene || this.#selection.kind !== "box") return;
    const { box } = this.#selection;
    const group = scene.ownedBy.get(box)?.[0] ?? groupsAround(scene, box).at(-1);
    if (group !== undefined) this.#toggle(group);
  }

  #clear(): void {
    if (!this.#help.hidden) this.#toggleHelp(false);
    else if (this.#hits.length > 0) this.#leaveSearch();
    else if (this.#tracing) {
      this.#tracing = false;
      this.#highlight();
    } else this.#select(NOTHING);
  }

  #fail(error: unknown): void {
    this.#notices.show(error instanceof Error ? error.message : String(error));
  }
}
