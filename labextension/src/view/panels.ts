/** The debugger's panels: a strip of names, of which each opens and closes its panel. */
import { html } from "./dom";

export interface Panel {
  readonly element: HTMLElement;
  /** It has come into sight. */
  opened(): void;
}

interface Entry {
  readonly button: HTMLButtonElement;
  readonly mark: HTMLElement;
  readonly holder: HTMLElement;
  readonly panel: Panel;
}

export class Panels {
  readonly element = html("div", { class: "ox-panels" });
  readonly #strip = html("div", { class: "ox-strip", role: "group", "aria-label": "Panels" });
  readonly #entries = new Map<string, Entry>();

  constructor() {
    this.element.append(this.#strip);
  }

  add(name: string, title: string, hint: string, panel: Panel): void {
    const mark = html("small", {});
    const button = html(
      "button",
      { type: "button", class: "ox-tab", "data-panel": name, "aria-expanded": "false" },
      title,
      mark,
    );
    button.title = hint;
    button.addEventListener("click", () => this.open(name, !this.isOpen(name)));
    const holder = html(
      "section",
      { class: "ox-panel", "data-panel": name, "aria-label": title, hidden: true },
      panel.element,
    );
    this.#entries.set(name, { button, mark, holder, panel });
    this.#strip.append(button);
    this.element.append(holder);
  }

  /** A count or a sign behind the name on the strip. */
  mark(name: string, mark: string): void {
    const entry = this.#entries.get(name);
    if (entry && entry.mark.textContent !== mark) entry.mark.textContent = mark;
  }

  isOpen(name: string): boolean {
    return this.#entries.get(name)?.holder.hidden === false;
  }

  open(name: string, wanted: boolean): void {
    const entry = this.#entries.get(name);
    if (!entry || this.isOpen(name) === wanted) return;
    entry.holder.hidden = !wanted;
    entry.button.setAttribute("aria-expanded", String(wanted));
    if (!wanted) return;
    entry.panel.opened();
    this.#reveal(entry.holder);
  }

  /** In narrow cells all that is said scrolls as one: a key may open a panel above what is seen of it. */
  #reveal(holder: HTMLElement): void {
    const scroller = this.element.closest(".ox-inspector");
    if (!scroller) return;
    // The strip stays in sight by itself: where it belongs, it stands right above the panel.
    const top = holder.getBoundingClientRect().top - this.#strip.offsetHeight;
    const above = top - scroller.getBoundingClientRect().top;
    if (above < 0) scroller.scrollTop += above;
  }
}
