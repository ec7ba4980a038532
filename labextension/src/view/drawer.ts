/** From what stands open to what is drawn; a layout that is cancelled leaves the view as it was. */
import type { Loaded } from "../core/reading";
import type { Crumbs } from "./crumbs";
import { messageOf } from "./kernel";
import type { Openness } from "./openness";
import type { Aim, Stage } from "./stage";

export interface DrawerEvents {
  /** The worker lays out: there is time. Comes at least once for each drawing that is not overtaken. */
  meanwhile(): void;
  /** Something else is drawn. */
  drawn(): void;
  /** What was to be drawn is not: what stands open is what stood open before, in this scene. */
  takenBack(drawn: Loaded): void;
}

export class Drawer {
  readonly #root: HTMLElement;
  readonly #stage: Stage;
  readonly #crumbs: Crumbs;
  readonly #openness: Openness;
  readonly #events: DrawerEvents;

  constructor(
    root: HTMLElement,
    stage: Stage,
    crumbs: Crumbs,
    openness: Openness,
    events: DrawerEvents,
  ) {
    this.#root = root;
    this.#stage = stage;
    this.#crumbs = crumbs;
    this.#openness = openness;
    this.#events = events;
  }

  async draw(loaded: Loaded, aim: Aim): Promise<void> {
    this.setBusy(true);
    const { expanded, entered } = this.#openness;
    this.#crumbs.show(loaded.scene, entered);
    try {
      const outcome = await this.#stage.show(loaded, expanded, aim, entered, () =>
        this.#events.meanwhile(),
      );
      if (outcome === "overtaken") return;
      this.#events.meanwhile();
      if (outcome === "cancelled") {
        await this.#takeBack(loaded);
        return;
      }
      if (loaded.scene.boxes.length === 0)
        this.#stage.notices.show("The graph is empty: there is nothing to draw.", "info");
      this.#events.drawn();
      await this.#stage.settle();
      if (this.#stage.isLayingOut) return;
      this.setBusy(false);
    } catch (error) {
      this.#events.meanwhile();
      this.fail(error);
    }
  }

  setBusy(busy: boolean): void {
    this.#root.toggleAttribute("data-busy", busy);
    this.#root.toggleAttribute("data-onnx-explorer-ready", !busy);
  }

  fail(error: unknown): void {
    this.#root.removeAttribute("data-busy");
    this.#stage.notices.show(messageOf(error));
  }

  async #takeBack(loaded: Loaded): Promise<void> {
    const { drawn } = this.#stage;
    if (drawn) {
      this.#openness.put(drawn.expanded, drawn.entered);
      this.#crumbs.show(loaded.scene, drawn.entered);
      this.#events.takenBack(drawn.loaded);
      this.setBusy(false);
      return;
    }
    // Nothing has been drawn yet: the outermost groups, closed; and where these are too many, rows.
    const closed = this.#openness.expanded.size > 1 || this.#openness.entered > 0;
    if (!closed) this.#stage.layOutInRows();
    this.#openness.put(new Set([0]), 0);
    await this.draw(loaded, { kind: "first" });
  }
}
