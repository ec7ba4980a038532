/** What is being laid out, for how long already, and the way out of it. */
import { button } from "./bar";
import { html } from "./dom";

/** What takes less long is not worth a word. */
const SHOWN_AFTER_MS = 300;
const TICK_MS = 100;

/** What is under way. */
export interface Work {
  readonly title: string;
  readonly boxes: number;
  readonly levels: number;
}

export class LayoutProgress {
  readonly element: HTMLDivElement;
  readonly #panel: HTMLDivElement;
  readonly #said = html("p", { class: "ox-said", role: "status" });
  readonly #title = html("strong", {});
  readonly #numbers = html("span", { class: "ox-progress-numbers" });
  readonly #bar = html("progress", { "aria-label": "Laid out" });
  #timer: ReturnType<typeof setTimeout> | undefined;
  #began = 0;
  #laid = 0;
  #work: Work | undefined;

  constructor(cancel: () => void) {
    const stop = button("close", "Cancel", "Cancel the layout (Esc)");
    stop.append(html("span", {}, "Cancel"));
    stop.addEventListener("click", cancel);
    this.#panel = html(
      "div",
      { class: "ox-progress", "data-onnx-explorer-progress": true, hidden: true },
      html("div", {}, this.#title, this.#numbers, this.#bar),
      stop,
    );
    this.element = html("div", {}, this.#panel, this.#said);
  }

  get isShown(): boolean {
    return !this.#panel.hidden;
  }

  begin(work: Work): void {
    clearTimeout(this.#timer);
    // What replaces something that a person is already waiting for goes on being told of.
    if (!this.#work) this.#began = performance.now();
    this.#work = work;
    this.#laid = 0;
    const shown = SHOWN_AFTER_MS - (performance.now() - this.#began);
    this.#timer = setTimeout(() => this.#tell(), Math.max(0, shown));
  }

  /** One level more has been laid out. */
  advance(): void {
    this.#laid++;
  }

  /** `said` is heard where the work had been told of. */
  end(said = ""): void {
    clearTimeout(this.#timer);
    this.#work = undefined;
    if (this.isShown) this.#said.textContent = said;
    this.#panel.hidden = true;
  }

  #tell(): void {
    const work = this.#work;
    if (!work) return;
    const boxes = `${work.boxes} ${work.boxes === 1 ? "box" : "boxes"}`;
    this.#title.textContent = `Laying out ${work.title}`;
    // Heard once; the seconds are for the eye.
    if (!this.isShown)
      this.#said.textContent = `Laying out ${work.title}, ${boxes}. Escape cancels.`;
    this.#panel.hidden = false;
    const tick = () => {
      const seconds = ((performance.now() - this.#began) / 1000).toFixed(1);
      const laid = Math.min(this.#laid, work.levels);
      const levels = work.levels > 1 ? `${laid} of ${work.levels} laid out · ` : "";
      this.#numbers.textContent = `${boxes} · ${levels}${seconds} s`;
      this.#bar.hidden = work.levels < 2;
      this.#bar.max = work.levels;
      this.#bar.value = laid;
      this.#timer = setTimeout(tick, TICK_MS);
    };
    tick();
  }
}
