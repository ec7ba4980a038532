/** The explorer: holds what is open and selected, and brings scene, drawing, inspector and kernel together. */
import type { LayoutText } from "../core/arrange";
import { isConstant } from "../core/constant_boxes";
import { groupsAround } from "../core/expansion";
import { highlight, type Tracing } from "../core/highlight";
import { inspect } from "../core/inspection";
import { NO_WORDS } from "../core/node_inspection";
import { idle, nextFrame } from "../core/pace";
import { neighbour, type Step } from "../core/paths";
import type { Loaded } from "../core/reading";
import { at, type Scene } from "../core/scene";
import {
  anchorBox,
  groupOf,
  NOTHING,
  readSelection,
  type Selection,
  selectionOf,
  selectionOfBox,
} from "../core/selection";
import { oddBoxes } from "../core/siblings";
import { nodeMarks } from "../core/stepping";
import type { Transport, Unsubscribe } from "../protocol/transport";
import { Crumbs } from "./crumbs";
import { Drawer } from "./drawer";
import { Finder } from "./finder";
import { Inspector } from "./inspector";
import { Kernel } from "./kernel";
import { obeyKeys } from "./keyboard";
import { Linked } from "./linked";
import { NodeTableView } from "./node_table";
import { Openness } from "./openness";
import { Painter } from "./painter";
import { click, doubleClick, type Pointed, selectAround } from "./pointer";
import { rootElement } from "./root";
import { Running } from "./running";
import { Scenes } from "./scenes";
import { type Aim, Stage } from "./stage";
import { followTheme } from "./theme";
import { type ViewAction, ViewBar } from "./view_bar";
import { type Place, Visits } from "./visits";

export class Explorer {
  readonly root: HTMLDivElement;
  readonly #transport: Transport;
  readonly #stage: Stage;
  readonly #crumbs: Crumbs;
  readonly #running: Running;
  readonly #views: ViewBar;
  readonly #visits: Visits;
  readonly #finder: Finder;
  readonly #kernel: Kernel;
  readonly #inspector: Inspector;
  readonly #painter: Painter;
  readonly #table: NodeTableView;
  readonly #linked: Linked;
  readonly #scenes: Scenes;
  readonly #ends: Unsubscribe[] = [];
  readonly #openness = new Openness((aim) => this.#redraw(aim));
  readonly #drawer: Drawer;
  #selection: Selection = NOTHING;
  /** The selection that the page shows. */
  #told: Selection | undefined;
  #tracing: Tracing = "off";
  #drawing = Promise.resolve();

  constructor(transport: Transport, layout: LayoutText) {
    this.#transport = transport;
    this.#scenes = new Scenes(transport, {
      waiting: (empty) => this.#waitForScene(empty),
      came: (before) => this.#sceneCame(before),
      failed: (error) => this.#drawer.fail(error),
      reshaped: (drawn) => this.#reshaped(drawn),
    });
    this.#crumbs = new Crumbs((group) => this.#visits.visit(() => this.#openness.enter(group)));
    this.#stage = new Stage(layout, this.#crumbs.element, {
      click: (target) => this.#visits.visit(() => click(target, this.#pointed)),
      doubleClick: (target) => doubleClick(target, this.#pointed),
      labelled: (values) => this.#running.miniatures.want(values),
      moved: () => this.#linked.moved(),
    });
    this.#linked = new Linked(transport, this.#stage, this.#openness, {
      selection: () => this.#selection,
      select: (selection) => this.#goTo(selection),
      reveal: (box) => this.#visits.visit(() => this.#show(box)),
      marked: () => this.#highlight(),
    });
    this.#kernel = new Kernel(transport, this.#stage.notices);
    this.#running = new Running(transport, this.#kernel, this.#stage, this.#openness, {
      observed: () => {
        if (this.#selection.kind === "value") this.#inspect();
      },
      withForeseen: (line) => this.#scenes.withForeseen(line),
      select: (id) => {
        const box = this.#loaded?.scene.boxOfId.get(id);
        if (box !== undefined) this.#goTo({ kind: "box", box });
      },
    });
    this.#table = new NodeTableView({
      goTo: (box) => this.#goTo({ kind: "box", box }),
      close: () => this.#view("table"),
    });
    this.#painter = new Painter(transport, this.#stage, (overlay, sizes) =>
      this.#table.setOverlay(overlay, sizes),
    );
    this.#views = new ViewBar((action) => this.#view(action), this.#painter.element);
    this.#visits = new Visits(
      this.#views,
      () => ({
        selection: this.#selection,
        expanded: this.#openness.expanded,
        entered: this.#openness.entered,
        zoom: this.#stage.zoom,
      }),
      (place) => this.#restore(place),
    );
    this.#finder = new Finder({
      changed: () => this.#highlight(),
      goTo: (selection) => this.#goTo(selection),
      left: () => this.#stage.focus(),
      askNan: () => transport.ask({ kind: "nan" }),
      told: (message, kind) => this.#stage.notices.show(message, kind),
    });
    this.#inspector = new Inspector({
      selectBox: (box) => this.#goTo({ kind: "box", box }),
      selectGroup: (group) => this.#goTo({ kind: "group", group }),
      selectValue: (value) => this.#goTo({ kind: "value", value }),
      trace: (tracing) => this.#trace(tracing),
      toggleConstants: () => this.#toggleConstants(),
      lookInside: (box) => this.#visits.visit(() => this.#running.lookInside(box)),
      searchFor: (text) => {
        this.#finder.searchFor(text);
        this.#finder.goTo(0);
      },
      kernel: this.#kernel,
    });
    this.root = rootElement({
      bar: [this.#finder.element, this.#running.element, this.#views.element],
      main: [this.#stage.element, this.#inspector.element],
      below: [this.#table.element, this.#running.timeline.element],
    });
    this.#drawer = new Drawer(this.root, this.#stage, this.#crumbs, this.#openness, {
      meanwhile: () => {
        if (this.#told !== this.#selection) this.#showSelection();
      },
      drawn: () => {
        this.#highlight();
        this.#painter.repaint();
        this.#linked.drawn();
        void this.#running.observe();
      },
      takenBack: (drawn) => {
        this.#scenes.takeBack(drawn);
        this.#visits.stay();
        this.#linked.drawn();
      },
    });
    this.#inspector.add(this.#running.debugger.element);
    this.root.toggleAttribute("data-alone", !transport.canAnswer({ kind: "step" }));
    obeyKeys(this.root, {
      step: ({ action }) => this.#running.step(action),
      zoom: ({ factor }) => this.#stage.zoomBy(factor),
      trace: ({ tracing }) => this.#trace(tracing),
      move: ({ step }) => this.#move(step),
      fit: () => this.#view("fit"),
      inspector: () => this.#view("inspector"),
      inputs: () => this.#running.debugger.toggle("inputs"),
      watch: () => this.#running.debugger.watch(),
      "what-if": () => this.#running.debugger.toggle("what-if"),
      help: () => this.#view("help"),
      table: () => this.#view("table"),
      constants: ({ of }) => {
        if (of === "all") this.#scenes.toggleAll();
        else this.#toggleConstants();
      },
      overlay: ({ direction }) => this.#painter.cycle(direction),
      "go-back": () => this.#view("go-back"),
      "go-forward": () => this.#view("go-forward"),
      search: () => this.#finder.focus(),
      "next-hit": () => this.#finder.step(1),
      "previous-hit": () => this.#finder.step(-1),
      clear: () => this.#clear(),
      enter: () => this.#visits.visit(() => this.#enterSelected()),
      up: () => this.#up(),
      group: () => this.#visits.visit(() => selectAround(this.#pointed)),
      centre: () => this.#visits.visit(() => this.#centre()),
      toggle: () => this.#toggleSelected(),
    });
  }

  /** Call once the root is in the page. */
  start(): void {
    this.#ends.push(
      followTheme(this.root, () => {
        this.#stage.themeChanged();
        this.#painter.repaint();
      }),
      this.#views.follow(this.root),
      ...this.#painter.follow(),
      ...this.#linked.follow(),
      ...this.#scenes.follow(),
      this.#transport.onState(() => void this.#showState()),
    );
    this.#views.press("constants", this.#scenes.allConstants);
    void this.#scenes.read();
  }

  dispose(): void {
    for (const end of this.#ends) end();
    this.#stage.dispose();
    this.root.remove();
  }

  // Scene and open groups

  get #loaded(): Loaded | undefined {
    return this.#scenes.loaded;
  }

  #waitForScene(empty: boolean): void {
    const { notices } = this.#stage;
    notices.clear();
    if (empty) notices.show("Waiting for the kernel to send the graph…", "info");
    else this.#drawer.setBusy(true);
  }

  #sceneCame(before: Scene | undefined): void {
    const { loaded, plain } = this.#scenes;
    if (!loaded || !plain) return;
    const { scene } = loaded;
    this.#kernel.forget();
    this.#running.load(plain, before);
    if (before) this.#table.follow(plain.scene);
    else this.#table.load(plain.scene);
    this.#linked.load(plain.scene);
    this.#painter.load(plain.scene);
    // What stands open stays open, and the view stays.
    if (before) this.#openness.follow(before, plain.scene);
    else this.#openness.begin(plain.scene, this.#linked.expanded);
    if (!before || before.boxes.length > plain.scene.boxes.length) this.#stage.reset();
    if (before) this.#finder.reshape(scene);
    else this.#finder.show(scene);
    const ids = this.#transport.shared("selection");
    this.#selection =
      ids.length > 1 ? selectionOf(scene, ids) : readSelection(scene, this.#transport.selected);
    const anchor = anchorBox(scene, this.#selection) ?? this.#linked.focused;
    if (anchor !== undefined && !before) this.#openness.open(groupsAround(scene, anchor));
    const follows = this.#showState();
    if (before) this.#visits.follow(before, plain.scene);
    else this.#visits.begin();
    // What is new of a selection that is told of already can wait until there is time.
    this.#told = before && follows ? this.#selection : undefined;
    if (follows) {
      const seen = this.#drawing.then(nextFrame).then(idle);
      void seen.then(() => loaded === this.#loaded && this.#showSelection());
      return;
    }
    this.#redraw(before ? { kind: "stay" } : this.#linked.firstAim(anchor));
  }

  /** Constants have become boxes, or are boxes no more: in the drawing already, or not yet. */
  #reshaped(drawn: boolean): void {
    const { loaded } = this.#scenes;
    if (!loaded) return;
    this.#views.press("constants", this.#scenes.allConstants);
    this.#finder.reshape(loaded.scene);
    this.#showSelection();
    if (!drawn) this.#redraw({ kind: "keep", box: this.#anchor });
  }

  #redraw(aim: Aim): void {
    if (this.#loaded) this.#drawing = this.#drawer.draw(this.#loaded, aim);
  }

  #enterSelected(): void {
    const group = this.#loaded && groupOf(this.#loaded.scene, this.#selection);
    if (group !== undefined && group !== this.#openness.entered) this.#openness.enter(group);
  }

  #restore({ selection, expanded, entered, zoom }: Place): void {
    this.#select(selection);
    if (!this.#openness.restore(expanded, entered, { kind: "zoom", zoom }))
      this.#stage.moveTo(zoom);
  }

  // Selection

  /** The box that stands for what is selected. */
  get #anchor(): number | undefined {
    return this.#loaded && anchorBox(this.#loaded.scene, this.#selection);
  }

  /** The same wish twice takes it back. */
  #trace(tracing: Tracing): void {
    this.#tracing = tracing === this.#tracing ? "off" : tracing;
    this.#inspector.showTracing(this.#tracing);
    this.#highlight();
  }

  #toggleConstants(): void {
    if (this.#selection.kind === "box") this.#scenes.toggleOf(this.#selection.box);
  }

  #select(wanted: Selection): void {
    this.#choose(wanted);
    this.#showSelection();
  }

  /** Selects; what is selected is to be shown yet. */
  #choose(wanted: Selection): void {
    if (!this.#loaded) return;
    const selection =
      wanted.kind === "box" ? selectionOfBox(this.#loaded.scene, wanted.box) : wanted;
    this.#selection = selection;
    this.#kernel.retryWords();
    this.#linked.tellSelected(this.#loaded.scene, selection);
  }

  #goTo(selection: Selection): void {
    this.#visits.visit(() => this.#reveal(selection));
  }

  /** Selects, opens the groups around it and brings it into view. */
  #reveal(selection: Selection): void {
    if (!this.#loaded) return;
    const { scene } = this.#loaded;
    this.#choose(selection);
    const box = this.#anchor;
    if (box !== undefined)
      if (selection.kind !== "group") this.#show(box);
      else if (!this.#openness.revealGroup(scene, selection.group, box))
        this.#stage.bringIntoView(box, true);
    // While the worker lays out there is time to tell of it; but keys mean it already.
    if (this.#stage.isLayingOut) this.#running.select(selection);
    else this.#showSelection();
  }

  #show(box: number): void {
    if (!this.#loaded || this.#openness.reveal(this.#loaded.scene, box)) return;
    this.#stage.bringIntoView(box, true);
  }

  #showSelection(): void {
    if (!this.#loaded) return;
    this.#told = this.#selection;
    this.#inspect();
    const box = this.#anchor;
    const isNode = this.#selection.kind !== "group" && !isConstant(this.#loaded.scene, box);
    this.#table.select(isNode ? box : undefined);
    this.#running.select(this.#selection);
    this.#highlight();
  }

  #inspect(): void {
    if (!this.#loaded) return;
    const { scene, contents } = this.#loaded;
    const selection = this.#selection;
    const words =
      selection.kind === "box"
        ? this.#kernel.words(at(scene.boxes, selection.box), () => {
            if (selection === this.#selection) this.#inspect();
          })
        : NO_WORDS;
    const inspection = inspect(scene, contents, selection, words, this.#running.observed);
    const constants = this.#scenes.constantsOf(
      selection.kind === "box" ? selection.box : undefined,
    );
    this.#inspector.show(scene, { ...inspection, constants });
  }

  #highlight(): void {
    const { picture } = this.#stage;
    if (!this.#loaded || !picture) return;
    const { scene, contents } = this.#loaded;
    this.#stage.setHighlight(
      highlight(
        scene,
        picture,
        this.#selection,
        this.#finder.boxes,
        nodeMarks(scene, this.#transport.state),
        this.#tracing,
        this.#linked.marked,
        oddBoxes(scene, contents, this.#selection),
      ),
    );
  }

  /** Whether the drawing is made anew for it. */
  #showState(): boolean {
    if (!this.#loaded) return false;
    const { state } = this.#transport;
    this.#inspector.showSteps(this.#loaded.scene, state);
    this.#highlight();
    const follows = this.#running.showState();
    // What is selected may have been computed by now.
    if ((state.total ?? 0) > 0 && this.#selection.kind !== "none") this.#inspect();
    return follows;
  }

  // Pointer, keys, buttons

  /** What a click is about. */
  get #pointed(): Pointed {
    return {
      loaded: this.#loaded,
      selection: this.#selection,
      select: (selection) => this.#select(selection),
      open: (group) => this.#reveal({ kind: "group", group }),
      openness: this.#openness,
      running: this.#running,
      stage: this.#stage,
    };
  }

  #view(action: ViewAction): void {
    switch (action) {
      case "go-back":
        this.#visits.back();
        break;
      case "go-forward":
        this.#visits.forward();
        break;
      case "fit":
        this.#visits.visit(() => this.#stage.showWhole());
        break;
      case "zoom-in":
        this.#stage.zoomBy(1.25);
        break;
      case "zoom-out":
        this.#stage.zoomBy(0.8);
        break;
      case "expand-all":
      case "collapse-all":
        this.#visits.visit(() => this.#changeLevel(action === "expand-all"));
        break;
      case "constants":
        this.#scenes.toggleAll();
        break;
      case "inspector":
        this.root.toggleAttribute("data-no-inspector");
        break;
      case "table":
        this.#table.toggle();
        if (this.#table.isOpen) void this.#painter.askSizes();
        else this.#stage.focus();
        break;
      case "help":
        this.#stage.toggleHelp(!this.#stage.helpIsOpen);
    }
  }

  #changeLevel(more: boolean): void {
    if (this.#loaded) this.#openness.changeLevel(this.#loaded.scene, more, this.#anchor);
  }

  #centre(): void {
    if (this.#anchor !== undefined) this.#stage.bringIntoView(this.#anchor, true);
  }

  #up(): void {
    const parent = this.#loaded?.scene.groups[this.#openness.entered]?.parent ?? -1;
    if (parent >= 0) this.#visits.visit(() => this.#openness.enter(parent));
  }

  #move(step: Step): void {
    if (!this.#loaded) return;
    const { scene } = this.#loaded;
    const from = this.#anchor;
    const to = from === undefined ? 0 : neighbour(scene, from, step);
    if (to !== undefined && scene.boxes[to]) this.#goTo({ kind: "box", box: to });
  }

  #toggleSelected(): void {
    const group = this.#loaded && groupOf(this.#loaded.scene, this.#selection);
    if (group !== undefined) this.#openness.toggle(group);
  }

  #clear(): void {
    if (this.#stage.cancel()) return;
    if (this.#stage.helpIsOpen) this.#stage.toggleHelp(false);
    else if (this.#finder.boxes.length > 0) this.#finder.leave();
    else if (this.#tracing !== "off") this.#trace("off");
    else if (this.#selection.kind === "none") this.#painter.choose("");
    else this.#visits.visit(() => this.#select(NOTHING));
  }
}
