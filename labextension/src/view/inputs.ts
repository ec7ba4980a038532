/** The panel of inputs: how each is filled, the open sizes, and a new run from them. */
import { FILLING_NAMES, fillingsOf, sizeHint } from "../core/inputs";
import type { InputRow, InputsState, Question, SizeRow, StepState } from "../protocol/messages";
import { html, replace } from "./dom";
import { type Kernel, messageOf } from "./kernel";
import { laterPiece, pieces } from "./long_list";
import { isPicture, pixelsOf } from "./picked";

type InputQuestion = Extract<Question, { kind: "inputs" | "fill" | "size" | "seed" }>;

/** A row or a field, and what it was built from: a field in use is built anew only when that is another. */
interface Built {
  readonly element: HTMLElement;
  readonly problem: HTMLElement;
  readonly from: string;
}

export class InputPanel {
  readonly element = html("div", { class: "ox-inputs" });
  readonly #kernel: Kernel;
  readonly #rows = html("div", { class: "ox-input-rows" });
  readonly #sizes = html("div", { class: "ox-sizes" });
  readonly #run = html("button", { type: "button", class: "ox-primary" }, "Run with these");
  readonly #note = html("p", { class: "ox-note", role: "status" });
  readonly #built = new Map<string, Built>();
  #drawn: readonly (readonly InputRow[])[] = [];
  #pieces: { seen: boolean; element: HTMLElement }[] = [];
  #shown: number | undefined;
  #changes = 0;
  #visible = false;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#run.title = "Begin a new run from these inputs, to a breakpoint or to the end";
    this.#run.addEventListener("click", () => void kernel.move({ kind: "begin" }));
    this.element.append(
      this.#rows,
      this.#sizes,
      html("div", { class: "ox-run-again" }, this.#run, this.#note),
    );
  }

  opened(): void {
    this.#visible = true;
    void this.#refresh();
  }

  /** Another model: nothing built for the last one is of use. */
  forget(): void {
    this.#built.clear();
    this.#pieces = [];
    this.#shown = undefined;
    if (this.#visible) void this.#refresh();
  }

  show({ inputs = 0, stale = false, running = false }: StepState): void {
    this.#changes = inputs;
    this.#run.disabled = running;
    this.#run.toggleAttribute("data-stale", stale);
    this.#note.textContent = stale ? "The run on its way began with other inputs." : "";
    if (this.#visible && this.#shown !== inputs) void this.#refresh();
  }

  async #refresh(): Promise<void> {
    if (this.#shown === this.#changes) return;
    this.#shown = this.#changes;
    try {
      this.#draw(await this.#kernel.ask({ kind: "inputs" }));
    } catch (error) {
      this.#shown = undefined;
      replace(this.#rows, html("p", { class: "ox-error", role: "alert" }, messageOf(error)));
    }
  }

  /** What is refused is told beside the field, and what was typed stays there. */
  async #change(key: string, question: InputQuestion, buffers: ArrayBuffer[] = []): Promise<void> {
    const problem = () => this.#built.get(key)?.problem;
    try {
      const answer = await this.#kernel.ask(question, buffers);
      this.#draw(answer);
      const row = answer.rows.find(({ name }) => `row ${name}` === key);
      tell(problem(), row?.problem ?? "");
    } catch (error) {
      tell(problem(), messageOf(error));
    }
  }

  #draw({ rows, sizes, seed }: InputsState): void {
    this.#drawn = pieces(rows);
    const none = html("p", { class: "ox-note" }, "The model has no inputs.");
    place(
      this.#rows,
      rows.length > 0 ? this.#drawn.map((piece, i) => this.#piece(piece.length, i)) : [none],
    );
    const fields = sizes.map((size) =>
      this.#kept(`size ${size.name}`, size, () => this.#size(size)),
    );
    const random = rows.some(({ how }) => how === "random");
    if (random) fields.push(this.#kept("seed", seed, () => this.#seed(seed)));
    place(this.#sizes, fields);
  }

  /** Some of the rows, filled when it is first seen: there may be thousands. */
  #piece(rows: number, index: number): HTMLElement {
    const known = this.#pieces[index];
    if (known) {
      if (known.seen) this.#fill(known.element, index);
      return known.element;
    }
    const later = (): HTMLElement =>
      laterPiece(rows, (element) => {
        this.#pieces[index] = { seen: true, element };
        this.#fill(element, index);
      });
    const seen = index === 0;
    const element = seen ? html("div", {}) : later();
    if (seen) this.#fill(element, index);
    this.#pieces[index] = { seen, element };
    return element;
  }

  #fill(element: HTMLElement, index: number): void {
    const rows = this.#drawn[index] ?? [];
    place(
      element,
      rows.map((row) => this.#kept(`row ${row.name}`, row, () => this.#row(row))),
    );
  }

  #kept(key: string, from: unknown, make: () => Omit<Built, "from">): HTMLElement {
    const text = JSON.stringify(from);
    const known = this.#built.get(key);
    if (known?.from === text) return known.element;
    const built = { ...make(), from: text };
    this.#built.set(key, built);
    return built.element;
  }

  #row(row: InputRow): Omit<Built, "from"> {
    const { name, how, text } = row;
    const key = `row ${name}`;
    const problem = problemLine(row.problem);
    const field = html("textarea", {
      rows: 2,
      spellcheck: "false",
      placeholder: "1 2 3, [[1, 2], [3, 4]] or zeros[2, 3]",
      "aria-label": `Numbers for ${name}`,
      hidden: how !== "list",
    });
    if (how === "list") field.value = text;
    const send = () => {
      if (field.value.trim() !== "")
        void this.#change(key, { kind: "fill", name, how: "list", text: field.value });
    };
    field.addEventListener("change", send);
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      send();
    });
    const select = html(
      "select",
      { "aria-label": `How ${name} is filled` },
      ...fillingsOf(row).map((one) => html("option", { value: one }, FILLING_NAMES[one])),
    );
    select.value = how;
    select.addEventListener("change", () => {
      const chosen = select.value;
      field.hidden = chosen !== "list";
      if (chosen === "list") field.focus();
      else if (chosen === "random" || chosen === "zeros" || chosen === "ones")
        void this.#change(key, { kind: "fill", name, how: chosen });
    });
    const element = html(
      "div",
      { class: "ox-input", "data-input": name },
      html("div", { class: "ox-input-head" }, html("b", {}, name), html("code", {}, row.type)),
      html("div", { class: "ox-input-how" }, select, this.#fileButton(row, key), shownType(row)),
      field,
      problem,
    );
    return { element, problem };
  }

  #fileButton(row: InputRow, key: string): HTMLElement {
    const { name, image } = row;
    const picker = html("input", {
      type: "file",
      accept: `.npy,.npz${image ? ",image/*" : ""}`,
      "aria-label": `File for ${name}`,
      hidden: true,
    });
    const button = html("button", { type: "button", class: "ox-dim" }, "File…");
    button.title = `An array (.npy, .npz)${image ? " or an image" : ""} for ${name}`;
    button.addEventListener("click", () => picker.click());
    picker.addEventListener("change", () => {
      const file = picker.files?.[0];
      picker.value = "";
      if (file) void this.#read(row, key, file);
    });
    return html("span", {}, button, picker);
  }

  async #read({ name, image }: InputRow, key: string, file: File): Promise<void> {
    try {
      if (image && isPicture(file)) {
        const { data, height, width } = await pixelsOf(file, image);
        const about = { file: file.name, height, width };
        await this.#change(key, { kind: "fill", name, how: "image", ...about }, [data]);
      } else {
        const data = await file.arrayBuffer();
        await this.#change(key, { kind: "fill", name, how: "file", file: file.name }, [data]);
      }
    } catch (error) {
      tell(this.#built.get(key)?.problem, messageOf(error));
    }
  }

  #size(row: SizeRow): Omit<Built, "from"> {
    const { name, size, fixed } = row;
    const problem = problemLine("");
    const field = numberField(size, `Size ${name}`, (chosen) =>
      this.#change(`size ${name}`, { kind: "size", name, size: chosen }),
    );
    field.disabled = fixed !== "";
    const hint = sizeHint(row);
    const label = html("label", { title: hint }, html("span", {}, name), field);
    const told = hint ? html("small", {}, hint) : undefined;
    return { element: html("div", { class: "ox-size" }, label, told, problem), problem };
  }

  #seed(seed: number): Omit<Built, "from"> {
    const problem = problemLine("");
    const field = numberField(seed, "Seed", (chosen) =>
      this.#change("seed", { kind: "seed", seed: chosen }),
    );
    const label = html("label", {}, html("span", {}, "seed"), field);
    label.title = "Another seed draws other random inputs";
    return { element: html("div", { class: "ox-size" }, label, problem), problem };
  }
}

function shownType({ how, text, shown, type }: InputRow): HTMLElement {
  const name = how === "file" ? html("small", { title: text }, text) : undefined;
  return html("span", { class: "ox-became" }, name, shown === type ? "" : `→ ${shown}`);
}

function problemLine(text: string): HTMLElement {
  const line = html("p", { class: "ox-error", role: "alert", hidden: text === "" }, text);
  return line;
}

function tell(line: HTMLElement | undefined, text: string): void {
  if (!line) return;
  line.textContent = text;
  line.hidden = text === "";
}

function numberField(
  value: number,
  label: string,
  changed: (value: number) => void,
): HTMLInputElement {
  const field = html("input", { type: "number", min: 0, step: 1, value, "aria-label": label });
  field.addEventListener("change", () => {
    if (field.value !== "") changed(Math.trunc(Number(field.value)));
  });
  return field;
}

/** Puts elements in this order and moves none that stands right: a moved field loses its focus. */
function place(parent: HTMLElement, wanted: readonly HTMLElement[]): void {
  for (const child of [...parent.children])
    if (!wanted.includes(child as HTMLElement)) child.remove();
  wanted.forEach((element, i) => {
    if (parent.children[i] !== element) parent.insertBefore(element, parent.children[i] ?? null);
  });
}
