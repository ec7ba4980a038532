/** The elements of the drawing in layers: made when they come into view, no more at a time than a frame has room for. */
import { svg } from "./dom";

export const LAYERS = ["frames", "wires", "headers", "stubs", "cards", "labels"] as const;
export type Layer = (typeof LAYERS)[number];

/** How many elements are made before the time is looked at. */
const SOME = 16;

export class Layers {
  readonly elements = record((name) => svg("g", { class: `ox-layer ox-${name}` }));
  readonly shown = record(() => new Map<number, SVGElement>());
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

  clear(): void {
    for (const name of LAYERS) {
      this.elements[name].replaceChildren();
      this.shown[name].clear();
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

  fill(name: Layer, wanted: readonly number[], make: (index: number) => SVGElement): void {
    const shown = this.shown[name];
    const fresh = document.createDocumentFragment();
    let made = 0;
    for (const i of wanted) {
      if (shown.has(i)) continue;
      if (++made % SOME === 0 && performance.now() > this.#until) {
        this.#complete = false;
        break;
      }
      const element = make(i);
      element.setAttribute("data-index", String(i));
      shown.set(i, element);
      fresh.append(element);
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
