/** The scene that is looked at: read where it comes, with the constants that are asked for as boxes of their own. */
import {
  constantsOf,
  NO_CONSTANTS,
  type ShownConstants,
  withConstants,
} from "../core/constant_boxes";
import { type Interior, interiorOf, readInteriors, withInteriors } from "../core/interiors";
import { type Loaded, readLoaded } from "../core/reading";
import { isSameGraph } from "../core/same_graph";
import { at, type Scene } from "../core/scene";
import type { Shared } from "../protocol/shared";
import type { Transport, Unsubscribe } from "../protocol/transport";

export interface SceneEvents {
  /** The bytes are on their way, or there are none yet. */
  waiting(empty: boolean): void;
  /** `before`: how the same graph came before, with other types or less inside of its nodes. */
  came(before: Scene | undefined): void;
  failed(error: unknown): void;
  /** Other constants are boxes than before; `drawn` where the drawing shows them so already. */
  reshaped(drawn: boolean): void;
}

export class Scenes {
  readonly #transport: Transport;
  readonly #events: SceneEvents;
  /** Counts the scenes that have come. */
  #read = 0;
  /** As it came. */
  #bare: Loaded | undefined;
  /** What is inside of `plain`, and what it was made of. */
  #interiors: readonly Interior[] = [];
  #within: Loaded | undefined;
  #plain: Loaded | undefined;
  /** What `plain` becomes where a run goes into this. */
  #foreseen:
    | { readonly interior: Interior; readonly of: Loaded; readonly made: Loaded }
    | undefined;
  #shown: Loaded | undefined;
  /** Which constants were asked for in what has been made of the scene. */
  #asked = new WeakMap<Loaded, Shared["constants"]>();

  constructor(transport: Transport, events: SceneEvents) {
    this.#transport = transport;
    this.#events = events;
  }

  /** What is drawn. */
  get loaded(): Loaded | undefined {
    return this.#shown;
  }

  /** With what is inside of operators, and all constants folded into their nodes. A box stands at the same place in both. */
  get plain(): Loaded | undefined {
    return this.#plain;
  }

  follow(): Unsubscribe[] {
    return [
      this.#transport.onScene(() => void this.read()),
      this.#transport.onInteriors(() => void this.#readInside()),
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
    this.#bare = undefined;
    let loaded: Loaded;
    try {
      loaded = await readLoaded(bytes);
    } catch (error) {
      if (read === this.#read) this.#events.failed(error);
      return;
    }
    // Another scene may have come, or the page may have gone.
    if (read !== this.#read) return;
    this.#bare = loaded;
    await this.#readInside();
  }

  /** What is inside of the scene that is here; one that is on its way comes with it. */
  async #readInside(): Promise<void> {
    const bare = this.#bare;
    if (!bare) return;
    const read = ++this.#read;
    const known = this.#interiors;
    let interiors: readonly Interior[];
    try {
      const foreseen = this.#foreseen ? [this.#foreseen.interior] : [];
      interiors = await readInteriors(this.#transport.interiors, [...known, ...foreseen]);
    } catch (error) {
      if (read === this.#read) this.#events.failed(error);
      return;
    }
    if (read !== this.#read) return;
    const plain = this.#within === bare ? this.#plain : undefined;
    const goesOn = plain !== undefined && known.every((each, i) => each === interiors[i]);
    this.#interiors = interiors;
    this.#within = bare;
    this.#take(
      goesOn
        ? this.#extended(plain, interiors.slice(known.length))
        : withInteriors(bare, interiors),
    );
  }

  #extended(plain: Loaded, more: readonly Interior[]): Loaded {
    const { interior, of, made } = this.#foreseen ?? {};
    return made && of === plain && more.length === 1 && more[0] === interior
      ? made
      : withInteriors(plain, more);
  }

  /** The scene with a function that no run has gone into yet, as it will be drawn. */
  withForeseen(line: string): Loaded | undefined {
    const of = this.#plain;
    if (!of) return undefined;
    const interior = interiorOf(line);
    const made = withInteriors(of, [interior]);
    this.#foreseen = { interior, of, made };
    return this.#shaped(made);
  }

  #take(loaded: Loaded): void {
    const before = this.#plain?.scene;
    const { scene } = loaded;
    this.#plain = loaded;
    this.#asked = new WeakMap();
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

  /** What was to be drawn in place of this is not: the constants in it are asked for again. */
  takeBack(drawn: Loaded): void {
    const constants = this.#asked.get(drawn);
    if (constants === undefined || drawn === this.#shown) return;
    this.#shown = drawn;
    this.#transport.share("constants", constants);
    this.#events.reshaped(true);
  }

  #reshape(): void {
    const asked = this.#shown && this.#asked.get(this.#shown);
    const wanted = this.#transport.shared("constants");
    if (!this.#plain || JSON.stringify(asked) === JSON.stringify(wanted)) return;
    this.#shape();
    this.#events.reshaped(false);
  }

  #shape(): void {
    if (!this.#plain) return;
    this.#shown = this.#shaped(this.#plain);
    this.#asked.set(this.#shown, this.#transport.shared("constants"));
  }

  #shaped({ scene, contents }: Loaded): Loaded {
    return { scene: withConstants(scene, this.#wanted(scene)), contents };
  }

  #wanted(scene: Scene): ShownConstants {
    if (this.allConstants) return "all";
    const boxes = this.#ids.flatMap((id) => scene.boxOfId.get(id) ?? []);
    return boxes.length > 0 ? new Set(boxes) : NO_CONSTANTS;
  }
}
