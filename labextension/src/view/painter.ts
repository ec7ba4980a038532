/** The overlay: chosen in the bar or in Python, painted on the boxes, told by the legend. */
import {
  BUILT_IN,
  type Overlay,
  overlayOf,
  overlayTitle,
  RANGE,
  type Ranges,
  rangeOverlay,
} from "../core/overlay";
import { type Painting, paint } from "../core/paint";
import type { Theme } from "../core/scale";
import type { Scene } from "../core/scene";
import type { Transport, Unsubscribe } from "../protocol/transport";
import { html, replace } from "./dom";
import { messageOf } from "./kernel";
import { Legend } from "./legend";
import type { Stage } from "./stage";

const NOTHING_RUN = "Run the model, or step through it: then its activations have a range.";

type Changed = (overlay: Overlay | undefined, sizes: ReadonlyMap<string, number>) => void;

export class Painter {
  /** The menu in the bar. */
  readonly element: HTMLLabelElement;
  readonly legend: Legend;
  readonly #select = html("select", {
    "data-onnx-explorer-overlay": true,
    title: "What boxes are coloured by (v)",
  });
  readonly #transport: Transport;
  readonly #stage: Stage;
  readonly #tell: Changed;
  #scene: Scene | undefined;
  #overlay: Overlay | undefined;
  #painting: Painting | undefined;
  #scale: "linear" | "logarithmic" | undefined;
  /** And of which state of the run. */
  #ranges: { readonly of: string; readonly ranges: Ranges } | undefined;
  #asking = false;
  /** Sizes that a run would have, and of which inputs. */
  #sizes: { readonly inputs: number; readonly sizes: ReadonlyMap<string, number> } | undefined;

  /** `changed` hears of another overlay, and of other sizes. */
  constructor(transport: Transport, stage: Stage, changed: Changed) {
    this.#tell = changed;
    this.#transport = transport;
    this.#stage = stage;
    this.legend = new Legend({
      clear: () => this.choose(""),
      setScale: (scale) => {
        this.#scale = scale;
        this.repaint();
      },
      setSize: (symbol, size) =>
        transport.share("overlay_sizes", { ...transport.shared("overlay_sizes"), [symbol]: size }),
    });
    stage.element.append(this.legend.element);
    this.element = html(
      "label",
      { class: "ox-overlay-menu" },
      html("span", { class: "ox-hidden-label" }, "Colour by"),
      this.#select,
    );
    this.#select.addEventListener("change", () => this.choose(this.#select.value));
  }

  follow(): Unsubscribe[] {
    return [
      this.#transport.onShared("overlays", () => this.#changed()),
      this.#transport.onShared("overlay_name", () => this.#changed()),
      this.#transport.onShared("overlay_sizes", () => {
        this.#told();
        this.repaint();
      }),
      this.#transport.onState(() => this.#stepped()),
    ];
  }

  load(scene: Scene): void {
    this.#scene = scene;
    this.#ranges = undefined;
    this.#sizes = undefined;
    this.#changed();
  }

  choose(name: string): void {
    this.#transport.share("overlay_name", name);
  }

  /** The next of the menu, or the one before. */
  cycle(direction: 1 | -1): void {
    const options = [...this.#select.options].filter(({ disabled }) => !disabled);
    const here = options.findIndex(({ value }) => value === this.#select.value);
    const next = options[(here + direction + options.length) % options.length];
    if (next) this.choose(next.value);
  }

  /** The picture is another, or the theme. */
  repaint(): void {
    const { picture } = this.#stage;
    const scene = this.#scene;
    if (!scene || !picture) return;
    this.#painting = undefined;
    if (this.#overlay) {
      const theme = this.#theme;
      const wishes = { theme, scale: this.#scale, sizes: this.#sizesNow(scene) };
      this.#painting = paint(picture, this.#overlay, wishes);
      this.legend.show(this.#painting, theme);
      if (this.#painting.sizes.length > 0) void this.askSizes();
    }
    this.#stage.setPainting(this.#painting);
  }

  #sizesNow(scene: Scene): ReadonlyMap<string, number> {
    const chosen = Object.entries(this.#transport.shared("overlay_sizes"));
    return new Map([...scene.sizes, ...(this.#sizes?.sizes ?? []), ...chosen]);
  }

  #told(): void {
    if (this.#scene) this.#tell(this.#overlay, this.#sizesNow(this.#scene));
  }

  get #theme(): Theme {
    return this.#stage.element.closest("[data-theme=dark]") ? "dark" : "light";
  }

  #changed(): void {
    if (!this.#scene) return;
    const name = this.#transport.shared("overlay_name");
    const given = this.#transport.shared("overlays");
    this.#showMenu(name, Object.keys(given));
    if (name !== this.#overlay?.name) this.#scale = undefined;
    this.#overlay = overlayOf(this.#scene, name, given);
    if (name === RANGE && !Object.hasOwn(given, name)) {
      this.#showRanges();
      return;
    }
    if (name === "") this.legend.hide();
    else if (!this.#overlay)
      this.legend.wait(name, "There is no overlay of this name in this explorer.");
    this.#told();
    this.repaint();
  }

  #showMenu(name: string, given: readonly string[]): void {
    const canRun = this.#transport.canAnswer({ kind: "ranges" });
    const builtIn = BUILT_IN.filter((each) => !given.includes(each));
    const option = (value: string, text = value) =>
      html("option", { value, disabled: value === RANGE && !canRun }, text);
    replace(
      this.#select,
      option("", "colour: operator"),
      ...[...builtIn, ...given].map((each) => option(each, overlayTitle(each))),
    );
    this.#select.value = [...builtIn, ...given].includes(name) ? name : "";
    this.element.toggleAttribute("data-chosen", name !== "");
  }

  /** Open sizes are taken for those that a run would have. */
  async askSizes(): Promise<void> {
    const inputs = this.#transport.state.inputs ?? 0;
    if (this.#sizes?.inputs === inputs || !this.#transport.canAnswer({ kind: "inputs" })) return;
    this.#sizes = { inputs, sizes: this.#sizes?.sizes ?? new Map() };
    try {
      const { sizes } = await this.#transport.ask({ kind: "inputs" });
      this.#sizes = { inputs, sizes: new Map(sizes.map(({ name, size }) => [name, size])) };
      this.#told();
      this.repaint();
    } catch {
      // Without a kernel they are what the scene says, or 1.
    }
  }

  // What a run has shown

  #stepped(): void {
    if (this.#transport.shared("overlay_name") === RANGE) this.#showRanges();
    else if (this.#painting && this.#painting.sizes.length > 0) void this.askSizes();
  }

  #showRanges(): void {
    const { position = 0, turns = 0, running } = this.#transport.state;
    const state = `${turns} ${position}`;
    if (!this.#scene || running || this.#asking) return;
    if (position === 0) {
      this.#overlay = undefined;
      this.repaint();
      this.legend.wait(RANGE, NOTHING_RUN);
    } else if (this.#ranges?.of === state) {
      this.#overlay = rangeOverlay(this.#scene, this.#ranges.ranges);
      this.#told();
      this.repaint();
    } else void this.#askRanges(state);
  }

  async #askRanges(state: string): Promise<void> {
    this.#asking = true;
    try {
      const { ranges } = await this.#transport.ask({ kind: "ranges" });
      this.#ranges = { of: state, ranges };
    } catch (error) {
      this.#ranges = { of: state, ranges: {} };
      this.legend.wait(RANGE, messageOf(error));
      return;
    } finally {
      this.#asking = false;
    }
    if (this.#transport.shared("overlay_name") === RANGE) this.#showRanges();
  }
}
