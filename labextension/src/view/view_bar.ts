/** The buttons of the view. Where the bar is narrow, those that are seldom used stand in a menu. */
import { button } from "./bar";
import { html } from "./dom";

export type ViewAction =
  | "go-back"
  | "go-forward"
  | "fit"
  | "zoom-in"
  | "zoom-out"
  | "expand-all"
  | "collapse-all"
  | "constants"
  | "table"
  | "inspector"
  | "help";

/** Narrower explorers, in pixels, have what is seldom used in the menu, and the narrowest all but what is used all the time. */
const WIDE = 1281;
const NARROW = 641;

const ACTIONS: readonly [ViewAction, label: string, hint: string, room: number][] = [
  ["go-back", "Back", "Back to where you were ([)", 0],
  ["go-forward", "Forward", "Forward again (])", 0],
  ["expand-all", "Open more groups", "Open one more level of groups", WIDE],
  ["collapse-all", "Close groups", "Close the innermost level of groups", WIDE],
  ["constants", "Constants", "Weights and other constants as boxes of their own (k)", WIDE],
  ["zoom-out", "Zoom out", "Zoom out (-)", WIDE],
  ["zoom-in", "Zoom in", "Zoom in (+)", WIDE],
  ["fit", "Fit", "Show the whole graph (f)", 0],
  ["table", "Table of nodes", "Show or hide the table of nodes (l)", NARROW],
  ["help", "Keys", "Keys and legend (?)", WIDE],
  ["inspector", "Inspector", "Show or hide the inspector (i)", 0],
];

/** One may press these again and again. */
const REPEATED: ReadonlySet<ViewAction> = new Set([
  "zoom-in",
  "zoom-out",
  "expand-all",
  "collapse-all",
]);

interface Item {
  readonly element: HTMLElement;
  /** The width from which on it stands in the bar. */
  readonly room: number;
}

export class ViewBar {
  readonly element: HTMLDivElement;
  readonly #buttons = new Map<ViewAction, HTMLButtonElement>();
  readonly #items: readonly Item[];
  readonly #more = button("more", "More", "More buttons for the view");
  readonly #menu = html("div", {
    class: "ox-more-menu",
    role: "group",
    "aria-label": "More buttons for the view",
    // A click between two of them is one in here.
    tabindex: -1,
    hidden: true,
  });
  readonly #holder = html("div", { class: "ox-more" }, this.#more, this.#menu);
  #width = Number.POSITIVE_INFINITY;

  /** `first` stands before the buttons. */
  constructor(act: (action: ViewAction) => void, first: HTMLElement) {
    for (const [action, label, hint] of ACTIONS) {
      const element = button(action, label, hint);
      element.append(html("span", {}, label));
      if (action === "fit") element.setAttribute("data-onnx-explorer-fit", "");
      element.addEventListener("click", () => {
        act(action);
        if (!REPEATED.has(action)) this.#close();
      });
      this.#buttons.set(action, element);
    }
    this.#items = [
      { element: first, room: NARROW },
      ...ACTIONS.map(([action, , , room]) => ({ element: this.#of(action), room })),
    ];
    this.element = html("div", { class: "ox-views", role: "toolbar", "aria-label": "View" });
    this.#more.setAttribute("aria-expanded", "false");
    this.#more.addEventListener("click", () => this.#open(this.#menu.hidden));
    this.#holder.addEventListener("keydown", (event) => this.#press(event));
    this.#holder.addEventListener("focusout", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.#holder.contains(relatedTarget)))
        this.#open(false);
    });
    this.#place();
  }

  /** A button that stays down. */
  press(action: ViewAction, down: boolean): void {
    this.#of(action).setAttribute("aria-pressed", String(down));
  }

  enable(action: ViewAction, on: boolean): void {
    this.#of(action).disabled = !on;
  }

  /** Keeps to the room that the explorer has. */
  follow(root: HTMLElement): () => void {
    const observer = new ResizeObserver(() => {
      // Off the page there is no width.
      if (root.clientWidth > 0) this.#fit(root.clientWidth);
    });
    observer.observe(root);
    return () => observer.disconnect();
  }

  #of(action: ViewAction): HTMLButtonElement {
    const known = this.#buttons.get(action);
    if (!known) throw new RangeError(`the bar has no button for ${action}`);
    return known;
  }

  #fit(width: number): void {
    const before = this.#width;
    this.#width = width;
    const moved = this.#items.some(({ room }) => before < room !== width < room);
    if (moved) this.#place();
  }

  #place(): void {
    const [bar, menu] = [true, false].map((inBar) =>
      this.#items.flatMap(({ element, room }) => (this.#width >= room === inBar ? [element] : [])),
    );
    this.#menu.hidden = true;
    this.#more.setAttribute("aria-expanded", "false");
    this.#menu.replaceChildren(...(menu ?? []));
    this.#holder.hidden = menu?.length === 0;
    // The inspector's button stands beside the inspector.
    this.element.replaceChildren(...(bar ?? []));
    this.element.insertBefore(this.#holder, this.#of("inspector"));
  }

  #open(wanted: boolean): void {
    this.#menu.hidden = !wanted;
    this.#more.setAttribute("aria-expanded", String(wanted));
    if (wanted) this.#choices[0]?.focus();
  }

  /** What had the focus in the menu is gone with it: keys stay in the explorer. */
  #close(): void {
    if (this.#menu.hidden) return;
    const held = this.#menu.contains(document.activeElement);
    this.#open(false);
    if (held) this.#more.focus();
  }

  get #choices(): HTMLElement[] {
    return [...this.#menu.querySelectorAll<HTMLElement>("button:enabled, select:enabled")];
  }

  #press(event: KeyboardEvent): void {
    if (this.#menu.hidden) return;
    const { key, target } = event;
    const choices = this.#choices;
    const here = choices.indexOf(target as HTMLElement);
    const places: Record<string, number> = {
      ArrowDown: here + 1,
      ArrowUp: here < 0 ? choices.length - 1 : here - 1,
      Home: 0,
      End: choices.length - 1,
    };
    if (key === "Escape") this.#close();
    // Its arrow keys choose.
    else if (target instanceof HTMLSelectElement || !Object.hasOwn(places, key)) return;
    else choices.at((places[key] ?? 0) % choices.length)?.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
