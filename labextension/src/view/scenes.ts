/** The scene that is looked at: read where it comes, with the constants that are asked for as boxes of their own. */
import {
  constantsOf,
  NO_CONSTANTS,
  type ShownConstants,
  withConstants,
} from "../core/constant_boxes";
import { type Loaded, readLoaded } from "../core/reading";
import { isSameGraph } from "../core/same_graph";
import { at, type Scene } from "../core/scene";
import type { Transport, Unsubscribe } from "../protocol/transport";

export interface SceneEvents {
  /** The bytes are on their way, or there are none yet. */
  waiting(empty: boolean): void;
  /** `before`: how the same graph came before, with other types or less inside of its nodes. */
  came(before: Scene | undefined): void;
  failed(error: unknown): void;
  /** Other constants are boxes than before. */
  reshaped(): void;
}

export class Scenes {
  readonly #transport: Transport;
  readonly #events: SceneEvents;
  /** Counts the scenes that have come. */
  #read = 0;
  #plain: Loaded | undefined;
  #shown: Loaded | undefined;

  constructor(transport: Transport, events: SceneEvents) {
    this.#transport = transport;
    this.#events = events;
  }

  /** What is drawn. */
  get loaded(): Loaded | undefined {
    return this.#shown;
  }

  /** As it came, with all constants folded into their nodes. A box stands at the same place in both. */
  get plain(): Loaded | undefined {
    return this.#plain;
  }

  follow(): Unsubscribe[] {
    return [
      this.#transport.onScene(() => void this.read()),
      this.#transport.onShared("constants", () => this.#reshape()),
      () => {
        this.#read++;
      },
    ];
  }

  async read(): Promise<void> {
    const bytes = this.#transport.scene;
    const read = ++this.#read;
    const empty = !bytes || bytes.byteLength === 0;
    this.#events.waiting(empty);
    if (empty) return;
    let loaded: Loaded;
    try {
      loaded = await readLoaded(bytes);
    } catch (error) {
      if (read === this.#read) this.#events.failed(error);
      return;
    }
    // Another scene may have come, or the page may have gone.
    if (read !== this.#read) return;
    const before = this.#plain?.scene;
    const { scene } = loaded;
    this.#plain = loaded;
    this.#shape();
    this.#events.came(before && isSameGraph(before, scene) ? before : undefined);
  }

  // Constants

  get allConstants(): boolean {
    return this.#transport.shared("constants") === true;
  }

  toggleAll(): void {
    this.#transport.share("constants", !this.allConstants);
  }

  /** Whether the constants of a box are shown; undefined where that is no question: it has none, or all are. */
  constantsOf(box: number | undefined): boolean | undefined {
    const scene = this.#plain?.scene;
    if (!scene || box === undefined || this.allConstants) return undefined;
    const id = scene.boxes[box]?.id;
    if (id === undefined || constantsOf(scene, box).length === 0) return undefined;
    return this.#ids.includes(id);
  }

  toggleOf(box: number | undefined): void {
    const shown = this.constantsOf(box);
    const scene = this.#plain?.scene;
    if (!scene || box === undefined || shown === undefined) return;
    const { id } = at(scene.boxes, box);
    const ids = shown ? this.#ids.filter((other) => other !== id) : [...this.#ids, id];
    this.#transport.share("constants", ids);
  }

  get #ids(): readonly string[] {
    const wanted = this.#transport.shared("constants");
    return typeof wanted === "boolean" ? [] : wanted;
  }

  #reshape(): void {
    if (!this.#plain) return;
    this.#shape();
    this.#events.reshaped();
  }

  #shape(): void {
    if (!this.#plain) return;
    const { scene, contents } = this.#plain;
    this.#shown = { scene: withConstants(scene, this.#wanted(scene)), contents };
  }

  #wanted(scene: Scene): ShownConstants {
    if (this.allConstants) return "all";
    const boxes = this.#ids.flatMap((id) => scene.boxOfId.get(id) ?? []);
    return boxes.length > 0 ? new Set(boxes) : NO_CONSTANTS;
  }
}
