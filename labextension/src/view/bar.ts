/** The bar on top: its buttons, and stepping in the middle; `search_box.ts` stands left of it, `view_bar.ts` right. */
import type { Command } from "../core/stepping";
import { html } from "./dom";
import { type IconName, icon } from "./icons";

export function button(action: IconName, label: string, hint: string): HTMLButtonElement {
  return html(
    "button",
    { type: "button", class: "ox-button", "data-action": action, "aria-label": label, title: hint },
    icon(action),
  );
}

/** Where a run is, and the same with names in full. */
export interface Progress {
  readonly text: string;
  readonly whole: string;
}

export class StepBar {
  readonly element = html("div", { class: "ox-steps", role: "toolbar", "aria-label": "Stepper" });
  readonly #buttons = new Map<Command["action"], HTMLButtonElement>();
  readonly #status = html("span", { class: "ox-status", role: "status" });
  readonly #act: (action: Command["action"]) => void;

  constructor(act: (action: Command["action"]) => void) {
    this.#act = act;
  }

  update(commands: readonly Command[], { text, whole }: Progress, failed: boolean): void {
    for (const { action, label, hint, enabled } of commands) {
      const known = this.#buttons.get(action) ?? this.#add(action, label, hint);
      known.disabled = !enabled;
      known.title = hint;
    }
    this.say(text, whole);
    this.#status.toggleAttribute("data-failed", failed);
  }

  /** Stands there until something else is to be said. */
  say(status: string, whole = status): void {
    this.#status.textContent = status;
    this.#status.title = whole;
    if (!this.#status.isConnected) this.element.append(this.#status);
  }

  #add(action: Command["action"], label: string, hint: string): HTMLButtonElement {
    const made = button(action, label, hint);
    if (action === "step" || action === "run") made.append(html("span", {}, label));
    made.addEventListener("click", () => this.#act(action));
    this.#buttons.set(action, made);
    this.element.append(made);
    return made;
  }
}
