/** The watch list: expressions, what they come to, and their curves over the run. */
import { numberText } from "../core/stepping";
import { spark } from "../core/watching";
import type { StepState, WatchRow } from "../protocol/messages";
import { html, replace, svg } from "./dom";
import { icon } from "./icons";
import { type Kernel, messageOf } from "./kernel";

const WIDTH = 84;
const HEIGHT = 16;

export class WatchPanel {
  readonly element = html("div", { class: "ox-watches" });
  readonly #kernel: Kernel;
  readonly #rows = html("ul", { "aria-label": "Watched expressions" });
  readonly #field = html("input", {
    type: "text",
    spellcheck: "false",
    placeholder: "mean(abs(x))",
    "aria-label": "Expression to watch",
  });
  readonly #problem = html("p", { class: "ox-error", role: "alert", hidden: true });
  #drawn = "";

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#field.title =
      "Names of values, numbers, + - * / % **, comparisons, indices, and functions such as mean, max, norm, isnan";
    const form = html(
      "form",
      { class: "ox-watch-form" },
      this.#field,
      html("button", { type: "submit", class: "ox-dim" }, "watch"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#add();
    });
    this.element.append(this.#rows, form, this.#problem);
    this.#rows.addEventListener("keydown", (event) => {
      const row = event.target instanceof Element ? event.target.closest("li") : null;
      if (!row || (event.key !== "Delete" && event.key !== "Backspace")) return;
      event.preventDefault();
      event.stopPropagation();
      void this.#remove(row.dataset.watch ?? "");
    });
  }

  opened(): void {}

  /** Ready to type, beginning with a value's name. */
  begin(name: string): void {
    if (name && this.#field.value === "") this.#field.value = name;
    this.#field.focus();
    this.#field.setSelectionRange(this.#field.value.length, this.#field.value.length);
  }

  show({ watches = [], running = false, position = 0, total = 0 }: StepState): void {
    if (running) return;
    const ended = total > 0 && position >= total;
    const key = JSON.stringify([watches, ended]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    this.#rows.hidden = watches.length === 0;
    replace(this.#rows, ...watches.map((row) => this.#row(row, ended)));
  }

  /** What is refused is told below the field, and what was typed stays there. */
  async #add(): Promise<void> {
    this.#tell("");
    try {
      await this.#kernel.ask({ kind: "watch", text: this.#field.value });
      this.#field.value = "";
    } catch (error) {
      this.#tell(messageOf(error));
    }
  }

  async #remove(text: string): Promise<void> {
    try {
      await this.#kernel.ask({ kind: "unwatch", text });
      this.#field.focus();
    } catch (error) {
      this.#tell(messageOf(error));
    }
  }

  #tell(text: string): void {
    this.#problem.textContent = text;
    this.#problem.hidden = text === "";
  }

  #row({ text, shown, problem, points }: WatchRow, ended: boolean): HTMLElement {
    const remove = html(
      "button",
      { type: "button", class: "ox-remove", "aria-label": `Watch ${text} no longer` },
      icon("close"),
    );
    remove.title = "Watch it no longer (Delete)";
    remove.addEventListener("click", () => void this.#remove(text));
    const value = problem
      ? html("span", { class: "ox-watched", "data-problem": true, title: problem }, problem)
      : html("span", { class: "ox-watched" }, shown || lastText(points, ended));
    value.toggleAttribute("data-absent", !problem && shown === "");
    const code = html("code", { title: text }, text);
    const curve = points.length > 1 ? sparkElement(text, points) : undefined;
    return html("li", { "data-watch": text }, code, curve, remove, value);
  }
}

function lastText(points: WatchRow["points"], ended: boolean): string {
  const last = points.at(-1);
  if (last !== undefined) return `last ${numberText(last)}`;
  return ended ? "seen only inside its loop, branch or function" : "not computed yet";
}

function sparkElement(text: string, points: readonly (number | string)[]): SVGSVGElement {
  const { lines, gaps, end } = spark(points, WIDTH - 4, HEIGHT - 4);
  const finite = points.map(Number).filter(Number.isFinite);
  const range = `${numberText(Math.min(...finite))} to ${numberText(Math.max(...finite))}`;
  const label = `${text}: ${points.length} values, ${range}`;
  return svg(
    "svg",
    { class: "ox-spark", viewBox: `-2 -2 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    svg("title", {}, label),
    ...gaps.map((x) => svg("path", { class: "ox-gap", d: `M${x} 0V${HEIGHT - 4}` })),
    ...lines.map((d) => svg("path", { d })),
    end ? svg("circle", { cx: end[0], cy: end[1], r: 2 }) : undefined,
  );
}
