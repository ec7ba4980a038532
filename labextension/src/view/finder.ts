/** The search: its box in the bar, the hits and which of them is looked at. */
import { inPieces } from "../core/pace";
import { lowering } from "../core/query";
import type { Scene } from "../core/scene";
import { type Hit, search, stepThrough } from "../core/search";
import { SearchBox } from "./bar";

export interface FinderEvents {
  /** The hits are others now. */
  changed(): void;
  goTo(box: number): void;
  left(): void;
}

export class Finder {
  readonly #box: SearchBox;
  readonly #events: FinderEvents;
  #scene: Scene | undefined;
  #hits: readonly Hit[] = [];
  #current = -1;

  constructor(events: FinderEvents) {
    this.#events = events;
    this.#box = new SearchBox({
      query: (text) => this.#query(text),
      go: (index) => this.goTo(index),
      step: (direction) => this.step(direction),
      leave: () => this.leave(),
    });
  }

  get element(): HTMLElement {
    return this.#box.element;
  }

  get boxes(): readonly number[] {
    return this.#hits.map(({ box }) => box);
  }

  /** A new scene: the query begins anew. */
  show(scene: Scene): void {
    this.#scene = scene;
    whenIdle(() => void inPieces(lowering(scene)));
    this.searchFor("");
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
    this.#box.show(this.#hits, index);
    this.#events.goTo(hit.box);
  }

  leave(): void {
    this.searchFor("");
    this.#events.left();
  }

  #query(text: string): void {
    this.#hits = this.#scene ? search(this.#scene, text) : [];
    this.#current = -1;
    this.#box.show(this.#hits, this.#current);
    this.#events.changed();
  }
}

function whenIdle(act: () => void): void {
  if (typeof requestIdleCallback === "function") requestIdleCallback(act);
  else setTimeout(act, 1000);
}
