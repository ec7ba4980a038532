/** A slider over the nodes of the main graph: back and forward in the run. */
import type { Question, StepState } from "../protocol/messages";
import { html } from "./dom";

export class Timeline {
  readonly element: HTMLElement;
  readonly #slider = html("input", { type: "range", min: 0, step: 1, "aria-label": "Timeline" });
  readonly #text = html("output", {});
  readonly #ask: (question: Question) => Promise<void>;
  #wanted: number | undefined;
  #busy = false;

  constructor(ask: (question: Question) => Promise<void>) {
    this.#ask = ask;
    this.element = html("div", { class: "ox-timeline", hidden: true }, this.#slider, this.#text);
    this.#slider.title = "Drag through the run";
    this.#slider.addEventListener("input", () => {
      this.#wanted = Number(this.#slider.value);
      this.#tell();
      void this.#go();
    });
  }

  show({ total = 0, position = 0, running = false, failed }: StepState): void {
    this.element.hidden = total === 0;
    this.#slider.max = String(total);
    this.#slider.disabled = running && !this.#busy;
    this.element.toggleAttribute("data-failed", Boolean(failed));
    // Under the hand the slider stays where it was dragged to.
    if (this.#wanted === undefined && !this.#busy) this.#slider.value = String(position);
    this.#tell();
  }

  #tell(): void {
    this.#text.textContent = `${this.#slider.value} / ${this.#slider.max}`;
  }

  /** One question at a time; of those that come meanwhile the last one counts. */
  async #go(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#wanted !== undefined) {
      const position = this.#wanted;
      this.#wanted = undefined;
      await this.#ask({ kind: "goto", position });
    }
    this.#busy = false;
  }
}
