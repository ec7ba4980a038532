/** Back and forward through what has been looked at. */
import { groupIn, groupsIn, selectionIn } from "../core/same_graph";
import type { Scene } from "../core/scene";
import type { Selection } from "../core/selection";
import { Trail } from "../core/trail";
import type { Zoom } from "../core/viewport";
import type { ViewBar } from "./view_bar";

/** What is looked at, and how. */
export interface Place {
  readonly selection: Selection;
  readonly expanded: ReadonlySet<number>;
  readonly entered: number;
  readonly zoom: Zoom;
}

export class Visits {
  readonly #trail = new Trail<Place>();
  readonly #bar: ViewBar;
  readonly #here: () => Place;
  readonly #restore: (place: Place) => void;

  constructor(bar: ViewBar, here: () => Place, restore: (place: Place) => void) {
    this.#bar = bar;
    this.#here = here;
    this.#restore = restore;
  }

  /** Another graph: no way leads back to the last one. */
  begin(): void {
    this.#trail.clear();
    this.#trail.go(this.#here());
    this.#showButtons();
  }

  /** The same graph in another scene. */
  follow(before: Scene, after: Scene): void {
    if (before.groups.length === after.groups.length) return;
    this.#trail.rename(({ selection, expanded, entered, zoom }) => ({
      selection: selectionIn(before, after, selection),
      expanded: groupsIn(before, after, expanded),
      entered: groupIn(before, after, entered),
      zoom,
    }));
  }

  /** A change that a person may want to take back; the view that it leads to is noted when it is left. */
  visit(change: () => void): void {
    const before = this.#here();
    this.#trail.update(before);
    change();
    const after = this.#here();
    if (!same(before, after)) this.#trail.go(after);
    this.#showButtons();
  }

  /** What was to be shown is not: the way there lies ahead, or behind, as before. */
  stay(): void {
    const { expanded, entered } = this.#here();
    this.#trail.stay((place) => place.expanded === expanded && place.entered === entered);
    this.#showButtons();
  }

  back(): void {
    if (this.#trail.canGoBack) this.#travel(() => this.#trail.back());
  }

  forward(): void {
    if (this.#trail.canGoForward) this.#travel(() => this.#trail.forward());
  }

  #travel(move: () => Place | undefined): void {
    this.#trail.update(this.#here());
    const place = move();
    this.#showButtons();
    if (place) this.#restore(place);
  }

  #showButtons(): void {
    this.#bar.enable("go-back", this.#trail.canGoBack);
    this.#bar.enable("go-forward", this.#trail.canGoForward);
  }
}

function same(a: Place, b: Place): boolean {
  return (
    a.selection === b.selection &&
    a.expanded === b.expanded &&
    a.entered === b.entered &&
    a.zoom.k === b.zoom.k &&
    a.zoom.x === b.zoom.x &&
    a.zoom.y === b.zoom.y
  );
}
