/** The search: its box in the bar, the hits and which of them is looked at. */
import { type Completions, completions } from "../core/completion";
import { idle, inPieces } from "../core/pace";
import { asksForNan, tellNan } from "../core/query";
import type { Scene } from "../core/scene";
import { type Hit, readying, search, stepThrough } from "../core/search";
import { type Selection, writeSelection } from "../core/selection";
import { messageOf } from "./kernel";
import { SearchBox } from "./search_box";

export interface FinderEvents {
  /** The hits are others now. */
  changed(): void;
  goTo(selection: Selection): void;
  left(): void;
  /** The nodes that read or have made a NaN; rejects where nobody can tell. */
  askNan(): Promise<{ readonly nodes: readonly string[]; readonly note?: string }>;
  told(message: string, kind: "error" | "info"): void;
}

export class Finder {
  readonly #box: SearchBox;
  readonly #events: FinderEvents;
  #scene: Scene | undefined;
  #hits: readonly Hit[] = [];
  #completions: Completions | undefined;
  #current = -1;
  #text = "";

  constructor(events: FinderEvents) {
    this.#events = events;
    this.#box = new SearchBox({
      query: (text) => this.#query(text),
      go: (index) => this.goTo(index),
      step: (direction) => this.step(direction),
      leave: () => this.#leaveField(),
    });
  }

  get element(): HTMLElement {
    return this.#box.element;
  }

  get boxes(): readonly number[] {
    return this.#hits.flatMap(({ box }) => box ?? []);
  }

  /** A new scene: the query begins anew. */
  show(scene: Scene): void {
    this.#scene = scene;
    void idle().then(() => inPieces(readying(scene)));
    this.searchFor("");
  }

  /** The same graph with other boxes or types: what is searched for stays, and the hit that is looked at. */
  reshape(scene: Scene): void {
    const hit = this.#hits[this.#current];
    const looked = this.#scene && hit && writeSelection(this.#scene, hit.selection);
    this.#scene = scene;
    void idle().then(() => inPieces(readying(scene)));
    this.#find(this.#text, looked);
  }

  focus(): void {
    this.#box.focus();
  }

  searchFor(text: string): void {
    this.#box.set(text);
    this.#query(text);
  }

  step(direction: 1 | -1): void {
    this.goTo(stepThrough(this.#hits.length, this.#current, direction));
  }

  goTo(index: number): void {
    const hit = this.#hits[index];
    if (!hit) return;
    this.#current = index;
    this.#show();
    this.#events.goTo(hit.selection);
  }

  #show(): void {
    this.#box.show(this.#hits, this.#current, this.#completions);
  }

  leave(): void {
    this.searchFor("");
    this.#events.left();
  }

  /** With hits on the drawing these stay, for `n` and `N`; another Escape, there, ends the search. */
  #leaveField(): void {
    if (this.boxes.length > 0) this.#events.left();
    else this.leave();
  }

  #query(text: string): void {
    this.#text = text;
    if (asksForNan(text)) void this.#findNan(text);
    this.#find(text);
  }

  /** Asked anew for each query: a run may have gone on. */
  async #findNan(text: string): Promise<void> {
    const scene = this.#scene;
    if (!scene) return;
    try {
      const { nodes, note } = await this.#events.askNan();
      tellNan(scene, nodes);
      if (note) this.#events.told(note, "info");
    } catch (error) {
      this.#events.told(messageOf(error), "error");
      return;
    }
    if (scene === this.#scene && text === this.#text) this.#find(text);
  }

  /** `looked` is the hit that is looked at, if it is found again. */
  #find(text: string, looked?: string): void {
    const before = this.#hits;
    const scene = this.#scene;
    this.#hits = scene ? search(scene, text) : [];
    this.#completions = scene && completions(scene, text);
    this.#current =
      scene && looked !== undefined
        ? this.#hits.findIndex(({ selection }) => writeSelection(scene, selection) === looked)
        : -1;
    this.#show();
    if (before.length + this.#hits.length > 0) this.#events.changed();
  }
}
