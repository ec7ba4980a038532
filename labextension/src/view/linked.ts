/** What Python sees of the view, and may change: selection, open groups, the part shown, what is marked. */
import type { Rect } from "../core/curve";
import { groupsAt, pathsOf } from "../core/group_paths";
import type { Scene } from "../core/scene";
import {
  readSelection,
  type Selection,
  selectedIds,
  selectionOf,
  writeSelection,
} from "../core/selection";
import type { Transport, Unsubscribe } from "../protocol/transport";
import type { Openness } from "./openness";
import type { Aim, Stage } from "./stage";

/** After this long without a move Python is told. */
const REST_MS = 150;

export interface LinkEvents {
  readonly selection: () => Selection;
  /** Python has selected something else. */
  select(selection: Selection): void;
  reveal(box: number): void;
  marked(): void;
}

export class Linked {
  readonly #transport: Transport;
  readonly #stage: Stage;
  readonly #openness: Openness;
  readonly #events: LinkEvents;
  #scene: Scene | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** While a move is Python's own, it is not told of it. */
  #obeying = false;
  /** So is a selection. */
  #hearing = false;

  constructor(transport: Transport, stage: Stage, openness: Openness, events: LinkEvents) {
    this.#transport = transport;
    this.#stage = stage;
    this.#openness = openness;
    this.#events = events;
  }

  follow(): Unsubscribe[] {
    return [
      this.#transport.onSelected(() => this.#selected()),
      this.#transport.onShared("selection", () => this.#selectedNodes()),
      this.#transport.onShared("expanded", () => this.#expand()),
      this.#transport.onShared("view_box", () => this.#look()),
      this.#transport.onShared("highlighted", () => this.#mark()),
      this.#transport.onShared("focused", () => this.#focus()),
      () => clearTimeout(this.#timer),
    ];
  }

  load(scene: Scene): void {
    this.#scene = scene;
    this.#colour();
  }

  /** The groups that Python, or the notebook that was saved, wants to stand open. */
  get expanded(): ReadonlySet<number> | undefined {
    const paths = this.#transport.shared("expanded");
    return this.#scene && paths.length > 0 ? groupsAt(this.#scene, paths) : undefined;
  }

  /** Where a graph is looked at first; `box` stands for what is selected. */
  firstAim(box: number | undefined): Aim {
    const { world } = this;
    if (world) return { kind: "world", world };
    return box === undefined ? { kind: "first" } : { kind: "box", box };
  }

  /** The part of the drawing that is to be shown. */
  get world(): Rect | undefined {
    const [x, y, width, height] = this.#transport.shared("view_box");
    if (x === undefined || y === undefined || !width || !height) return undefined;
    return { x, y, width, height };
  }

  /** The box that was last to be brought into view. */
  get focused(): number | undefined {
    return this.#scene?.boxOfId.get(this.#transport.shared("focused").id ?? "");
  }

  /** The boxes that Python has marked. */
  get marked(): readonly number[] {
    const { ids = [] } = this.#transport.shared("highlighted");
    return ids.flatMap((id) => this.#scene?.boxOfId.get(id) ?? []);
  }

  /** What is drawn has changed. */
  drawn(): void {
    if (!this.#scene) return;
    this.#transport.share("expanded", pathsOf(this.#scene, this.#openness.expanded));
    this.moved();
  }

  moved(): void {
    if (!this.#scene || this.#obeying) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const { x, y, width, height } = this.#stage.world;
      this.#transport.share("view_box", [x, y, width, height].map(Math.round));
    }, REST_MS);
  }

  /** Python's own is not said to it again: where both select at once, each would go on saying what the other said before. */
  tellSelected(scene: Scene, selection: Selection): void {
    if (!this.#hearing)
      this.#transport.setSelected(writeSelection(scene, selection), selectedIds(scene, selection));
  }

  #selected(): void {
    const scene = this.#scene;
    const { selected } = this.#transport;
    if (!scene || selected === writeSelection(scene, this.#events.selection())) return;
    this.#hear(readSelection(scene, selected));
  }

  #selectedNodes(): void {
    const scene = this.#scene;
    if (!scene) return;
    const ids = this.#transport.shared("selection");
    const here = selectedIds(scene, this.#events.selection());
    if (JSON.stringify(ids) === JSON.stringify(here)) return;
    this.#hear(selectionOf(scene, ids));
  }

  #hear(selection: Selection): void {
    this.#hearing = true;
    this.#events.select(selection);
    this.#hearing = false;
  }

  #expand(): void {
    if (!this.#scene) return;
    const wanted = groupsAt(this.#scene, this.#transport.shared("expanded"));
    const { expanded, entered } = this.#openness;
    const same = wanted.size === expanded.size && [...wanted].every((group) => expanded.has(group));
    if (!same) this.#openness.restore(wanted, entered, { kind: "stay" });
  }

  #look(): void {
    const { world } = this;
    if (!world) return;
    const here = this.#stage.world;
    // What is shown as a whole already stays where it is: another view may be larger.
    const near = (a: number, b: number) => Math.abs(a - b) <= 1;
    if (near(here.x, world.x) && near(here.y, world.y) && near(here.width, world.width)) return;
    this.#obeying = true;
    this.#stage.showWorld(world);
    this.#obeying = false;
  }

  #mark(): void {
    this.#colour();
    this.#events.marked();
  }

  #colour(): void {
    const { colour = "" } = this.#transport.shared("highlighted");
    this.#stage.element.style.setProperty("--ox-mark", colour || "var(--ox-accent)");
  }

  #focus(): void {
    if (this.focused !== undefined) this.#events.reveal(this.focused);
  }
}
