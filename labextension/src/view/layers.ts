/**
 * The elements of the drawing in layers: made when they come into view, no more at a time than a frame has room for.
 * Where another picture is drawn, what looks as before is only moved: most of what a text costs is to lay it out.
 */
import { svg } from "./dom";

export const LAYERS = ["frames", "wires", "headers", "stubs", "cards", "labels"] as const;
export type Layer = (typeof LAYERS)[number];

/** How many elements are made before the time is looked at. */
const SOME = 16;

/** How an element of a layer comes to be. */
export interface Making {
  /** Elements of which it says the same differ in nothing but their place. */
  likeness(index: number): string;
  make(index: number): SVGElement;
  place(index: number, element: SVGElement): void;
}

export class Layers {
  readonly elements = record((name) => svg("g", { class: `ox-layer ox-${name}` }));
  readonly shown = record(() => new Map<number, SVGElement>());
  /** What stood in the last picture and may be wanted in this one, by its likeness. */
  readonly #aside = record(() => new Map<string, SVGElement[]>());
  readonly #likeness = new WeakMap<SVGElement, string>();
  #until = Number.POSITIVE_INFINITY;
  #complete = true;

  /** Whether all that was wanted has been made. */
  get complete(): boolean {
    return this.#complete;
  }

  /** What is wanted from now on may take so long. */
  begin(ms: number): void {
    this.#until = performance.now() + ms;
    this.#complete = true;
  }

  /** Another picture comes: what stands may be of use in it, until `dropAside`. */
  setAside(...names: readonly Layer[]): void {
    for (const name of names) {
      for (const element of this.shown[name].values()) {
        const likeness = this.#likeness.get(element) ?? "";
        const alike = this.#aside[name].get(likeness);
        if (alike) alike.push(element);
        else this.#aside[name].set(likeness, [element]);
      }
      this.shown[name].clear();
    }
  }

  dropAside(): void {
    for (const name of LAYERS) {
      for (const element of [...this.#aside[name].values()].flat()) element.remove();
      this.#aside[name].clear();
    }
  }

  /** Takes away what is not among these. */
  keep(name: Layer, wanted: readonly number[]): void {
    const keep = new Set(wanted);
    const shown = this.shown[name];
    for (const [i, element] of shown)
      if (!keep.has(i)) {
        element.remove();
        shown.delete(i);
      }
  }

  /** What is set aside is taken wherever it is wanted; made is what cannot wait. */
  fill(
    name: Layer,
    wanted: readonly number[],
    making: Making,
    canWait: (index: number) => boolean,
  ): void {
    const shown = this.shown[name];
    const fresh = document.createDocumentFragment();
    let made = 0;
    for (const i of wanted) {
      if (shown.has(i)) continue;
      const likeness = making.likeness(i);
      let element = this.#aside[name].get(likeness)?.pop();
      if (!element) {
        if (canWait(i)) continue;
        if (++made % SOME === 0 && performance.now() > this.#until) {
          this.#complete = false;
          break;
        }
        element = making.make(i);
        this.#likeness.set(element, likeness);
        fresh.append(element);
      }
      making.place(i, element);
      element.setAttribute("data-index", String(i));
      shown.set(i, element);
    }
    this.elements[name].append(fresh);
  }
}

function record<T>(make: (name: Layer) => T): Record<Layer, T> {
  return {
    frames: make("frames"),
    wires: make("wires"),
    headers: make("headers"),
    stubs: make("stubs"),
    cards: make("cards"),
    labels: make("labels"),
  };
}
