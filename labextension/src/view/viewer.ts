/** The viewer of a value: a window of it in one of several views; the kernel sends only what is shown. */
import { VIEW_NAMES, windowText, withRole } from "../core/windows";
import type { Partner, ValueWindow, WindowChoice } from "../protocol/messages";
import { errorLine } from "./answers";
import { html, replace } from "./dom";
import type { Kernel } from "./kernel";
import { lineElement } from "./line";
import { pictureElement } from "./pictures";
import { tableElement, textElement, topElement } from "./tables";

export class Viewer {
  readonly element = html("div", { class: "ox-viewer" });
  readonly #name: string;
  readonly #key: string;
  readonly #kernel: Kernel;
  readonly #views = html("div", { class: "ox-views-of", role: "group", "aria-label": "Views" });
  readonly #controls = html("div", { class: "ox-choices" });
  readonly #picture = html("div", { class: "ox-window" });
  readonly #note = html("p", { class: "ox-note" });
  #choice: WindowChoice;
  #controlled = "";
  /** Counts questions: a late answer to an earlier one is dropped. */
  #asked = 0;

  /** Of a value, or of its difference to another one; `at` is where to look first. */
  constructor(
    name: string,
    kernel: Kernel,
    partner?: Pick<Partner, "against" | "other">,
    at?: readonly number[],
  ) {
    this.#name = name;
    this.#kernel = kernel;
    this.#key = partner ? JSON.stringify([name, partner.against]) : name;
    const start = at ? { at: [...at] } : {};
    this.#choice = { ...start, ...kernel.choices.get(this.#key), ...partner };
    this.element.append(this.#views, this.#controls, this.#picture, this.#note);
    void this.#ask();
  }

  #choose(choice: WindowChoice): void {
    this.#choice = { ...this.#choice, ...choice };
    this.#kernel.choices.set(this.#key, this.#choice);
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const shown = await this.#kernel.window(this.#name, this.#choice);
      if (asked === this.#asked) this.#show(shown);
    } catch (error) {
      if (asked === this.#asked) replace(this.#picture, errorLine(error));
    }
  }

  #show(shown: ValueWindow): void {
    this.element.dataset.view = shown.view;
    this.#offerViews(shown);
    this.#offerChoices(shown);
    replace(this.#picture, this.#drawn(shown));
    const text = windowText(shown);
    this.#note.textContent = text;
    this.#note.hidden = text === "";
  }

  #offerViews({ view, views }: ValueWindow): void {
    this.#views.hidden = views.length < 2;
    if (this.#views.childElementCount === views.length) {
      for (const known of this.#views.children)
        known.setAttribute("aria-pressed", String(known.getAttribute("data-view") === view));
      return;
    }
    const buttons = views.map((one) => {
      const pressed = String(one === view);
      const button = html(
        "button",
        { type: "button", class: "ox-dim", "data-view": one, "aria-pressed": pressed },
        VIEW_NAMES[one],
      );
      // Which axes are shown and where a table starts means nothing in another view.
      button.addEventListener("click", () => this.#choose({ view: one, axes: [], start: [] }));
      return button;
    });
    replace(this.#views, ...buttons);
  }

  /** Built anew only when it offers something else: a field that is being used keeps its focus. */
  #offerChoices(shown: ValueWindow): void {
    const { view, sizes, axes, items, layout, channels, channel } = shown;
    const offered = JSON.stringify([view, sizes, axes, items, layout, channels, channel === -1]);
    if (offered === this.#controlled) return;
    this.#controlled = offered;
    const parts: HTMLElement[] = [];
    if (items !== undefined)
      parts.push(
        this.#number("Item", shown.item ?? 0, items - 1, 1, (item) => this.#choose({ item })),
      );
    if (view === "image") parts.push(...this.#imageChoices(shown));
    else if (view !== "text" && sizes.length > 1) parts.push(...this.#axisChoices(shown));
    if (view === "table" || view === "text") parts.push(...this.#starts(shown));
    replace(this.#controls, ...parts);
    this.#controls.hidden = parts.length === 0;
  }

  #axisChoices(shown: ValueWindow): HTMLElement[] {
    const { sizes, axes, at } = shown;
    const two = axes.length === 2;
    const roles: [string, string][] = two
      ? [
          ["0", "↓ rows"],
          ["1", "→ columns"],
        ]
      : [["0", "→ along"]];
    const indices = [...at];
    return sizes.map((size, axis) => {
      const own = axes.indexOf(axis);
      const free = sizes.length > axes.length;
      const select = html(
        "select",
        { "aria-label": `Axis ${axis}`, title: `Axis ${axis} of ${size} elements` },
        ...roles.map(([value, text]) => html("option", { value }, text)),
        free || own < 0 ? html("option", { value: "at" }, "at") : undefined,
      );
      select.value = own < 0 ? "at" : String(own);
      quiet(select);
      select.addEventListener("change", () => {
        const role = select.value === "at" ? "at" : Number(select.value);
        this.#choose(withRole({ ...shown, at: indices }, axis, role));
      });
      const index =
        own >= 0
          ? undefined
          : field(at[axis] ?? 0, size - 1, 1, `Index of axis ${axis}`, (i) => {
              indices[axis] = i;
              this.#choose({ at: [...indices] });
            });
      return html("label", {}, select, index, html("small", {}, `/${size}`));
    });
  }

  #imageChoices(shown: ValueWindow): HTMLElement[] {
    const { layout = "", layouts = [], channels = 1, channel = 0, sizes, at } = shown;
    const select = html(
      "select",
      { "aria-label": "Layout" },
      ...layouts.map((one) => html("option", { value: one }, one)),
    );
    select.value = layout;
    quiet(select);
    select.addEventListener("change", () =>
      this.#choose({ layout: select.value, channel: undefined }),
    );
    const parts: HTMLElement[] = [html("label", {}, "Layout", select)];
    if (layout.startsWith("N") && (sizes[0] ?? 1) > 1)
      parts.push(
        this.#number("Image", at[0] ?? 0, (sizes[0] ?? 1) - 1, 1, (i) => this.#choose({ at: [i] })),
      );
    const coloured = channels === 3 || channels === 4;
    if (coloured) {
      const colours = html("input", { type: "checkbox" });
      colours.checked = channel < 0;
      colours.addEventListener("change", () =>
        this.#choose({ channel: colours.checked ? undefined : 0 }),
      );
      parts.push(html("label", {}, colours, "colours"));
    }
    if (channel >= 0 && channels > 1)
      parts.push(
        this.#number("Channel", channel, channels - 1, 1, (i) => this.#choose({ channel: i })),
      );
    return parts;
  }

  #starts({ view, sizes, axes, start, rows, columns }: ValueWindow): HTMLElement[] {
    const sizesShown = axes.map((axis) => sizes[axis] ?? 1);
    const two = axes.length === 2;
    const shown = view === "text" ? [rows] : two ? [rows, columns] : [columns];
    const given = two || view === "text" ? [...start] : [start[1] ?? 0];
    return sizesShown.flatMap((size, i) => {
      const count = shown[i] ?? 1;
      const first = given[i] ?? 0;
      if (count + first >= size && first === 0) return [];
      const label = two ? (i === 0 ? "From row" : "From column") : "From";
      return [
        this.#number(label, first, size - 1, count, (from) => {
          given[i] = from;
          this.#choose({ start: given.slice(0, axes.length) });
        }),
      ];
    });
  }

  #number(
    label: string,
    value: number,
    max: number,
    step: number,
    changed: (value: number) => void,
  ): HTMLElement {
    return html("label", {}, label, field(value, max, step, label, changed));
  }

  #drawn(shown: ValueWindow): HTMLElement {
    switch (shown.view) {
      case "table":
        return tableElement(shown);
      case "heat":
      case "image":
        return pictureElement(shown);
      case "line":
        return lineElement(shown);
      case "top":
        return topElement(shown);
      case "text":
        return textElement(shown);
    }
  }
}

/** What is typed is a number, not a command of the explorer or of the notebook. */
function quiet(element: HTMLElement): void {
  element.addEventListener("keydown", (event) => event.stopPropagation());
}

function field(
  value: number,
  max: number,
  step: number,
  label: string,
  changed: (value: number) => void,
): HTMLInputElement {
  const input = html("input", { type: "number", min: 0, max, step, value, "aria-label": label });
  input.title = `0 to ${max}`;
  quiet(input);
  input.addEventListener("input", () => changed(Math.max(0, Math.trunc(Number(input.value)))));
  return input;
}
