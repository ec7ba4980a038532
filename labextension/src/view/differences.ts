/** A value beside another one: of another step or iteration, of the run before, of a compared runtime, or of another name. */
import { equalText, partnerChoices, sideBySide } from "../core/differing";
import type { Difference, Partner } from "../protocol/messages";
import { errorLine } from "./answers";
import { html, replace } from "./dom";
import type { Kernel } from "./kernel";
import { Viewer } from "./viewer";

type Other = Pick<Partner, "against" | "other">;

/** What was compared with last: the next value is offered the same. */
let latest: (Other & { readonly choice: string }) | undefined;

export class Differences {
  readonly element = html("div", { class: "ox-differences" });
  readonly #name: string;
  readonly #kernel: Kernel;
  readonly #other = html("div", { class: "ox-partner" });
  readonly #shown = html("div", {});
  /** Counts questions: a late answer to an earlier one is dropped. */
  #asked = 0;

  constructor(name: string, kernel: Kernel) {
    this.#name = name;
    this.#kernel = kernel;
    void this.#offer();
  }

  async #offer(): Promise<void> {
    let partners: Partner[] = [];
    try {
      ({ partners } = await this.#kernel.ask({ kind: "partners", name: this.#name }));
    } catch {
      // Another value can be named all the same.
    }
    const choices = partnerChoices(partners);
    const select = html(
      "select",
      { "aria-label": `Compare ${this.#name} with` },
      html("option", { value: "" }, "nothing"),
      ...choices.map(({ choice, text }) => html("option", { value: choice }, text)),
    );
    select.addEventListener("keydown", (event) => event.stopPropagation());
    const choose = (choice: string, other?: string | number) => {
      const partner = choices.find((one) => one.choice === choice)?.partner;
      replace(this.#other);
      if (choice === "") this.#clear();
      else if (choice === "value") this.#askName();
      else if (partner?.steps) this.#askStep(partner, partner.steps, other);
      else if (partner?.count) this.#askIteration(partner, partner.count);
      else if (partner) void this.#compare(choice, partner);
    };
    select.addEventListener("change", () => choose(select.value));
    replace(
      this.element,
      html("label", { class: "ox-choices" }, "Compare with", select),
      this.#other,
      this.#shown,
    );
    const known = latest;
    if (
      known &&
      known.choice !== "value" &&
      choices.some(({ choice }) => choice === known.choice)
    ) {
      select.value = known.choice;
      choose(known.choice, known.other);
    }
  }

  #clear(): void {
    this.#asked++;
    latest = undefined;
    replace(this.#shown);
  }

  #askName(): void {
    const field = html("input", {
      type: "text",
      placeholder: "name of a value",
      spellcheck: "false",
      "aria-label": "The other value",
    });
    field.addEventListener("keydown", (event) => event.stopPropagation());
    field.addEventListener("change", () => {
      const other = field.value.trim();
      if (other) void this.#compare("value", { against: "value", other });
    });
    replace(this.#other, field);
    field.focus();
  }

  /** Which step, of those whose values have the same shape. */
  #askStep(partner: Partner, steps: NonNullable<Partner["steps"]>, wanted?: string | number): void {
    const asked = steps.findIndex(({ value }) => value === wanted);
    const usual = steps.findIndex(({ value }) => value === partner.other);
    const first = Math.max(0, asked < 0 ? usual : asked);
    this.#pick("The other step", 1, steps.length, first, (place) => {
      const { value = "", node = "" } = steps[place] ?? {};
      void this.#compare("step", { against: "value", other: value });
      return `${node} → ${value}`;
    });
  }

  #askIteration({ other }: Partner, count: number): void {
    this.#pick("The other round", 0, count, Number(other), (iteration) => {
      void this.#compare("iteration", { against: "iteration", other: iteration });
      return "";
    });
  }

  /** A slider with a number beside it, counted from `from`; arrow keys move both. `picked` says what stands there. */
  #pick(
    label: string,
    from: 0 | 1,
    count: number,
    first: number,
    picked: (place: number) => string,
  ): void {
    const last = from + count - 1;
    const range = { min: from, max: last };
    const slider = html("input", { type: "range", ...range, "aria-label": label });
    const field = html("input", { type: "number", ...range, "aria-label": `${label} by number` });
    const told = html("output", {});
    const go = (number: number) => {
      slider.value = String(number);
      if (Number(field.value) !== number) field.value = String(number);
      told.textContent = picked(number - from);
    };
    for (const one of [slider, field]) {
      one.addEventListener("keydown", (event) => event.stopPropagation());
      one.addEventListener("input", () => {
        const number = Math.trunc(Number(one.value));
        if (one.value !== "" && Number.isFinite(number)) go(Math.max(from, Math.min(last, number)));
      });
    }
    const among = from === 0 ? `0–${last}` : `of ${count}`;
    replace(this.#other, slider, field, html("small", {}, among), told);
    go(first + from);
  }

  async #compare(choice: string, { against, other }: Other): Promise<void> {
    const asked = ++this.#asked;
    latest = { choice, against, other };
    try {
      const name = this.#name;
      const found = await this.#kernel.ask({ kind: "difference", name, against, other });
      if (asked === this.#asked) this.#show(found, { against, other });
    } catch (error) {
      if (asked === this.#asked) replace(this.#shown, errorLine(error));
    }
  }

  #show(found: Difference, partner: Pick<Partner, "against" | "other">): void {
    replace(
      this.#shown,
      table(["", "this", "other", "difference"], sideBySide(found)),
      html("p", { class: "ox-note" }, equalText(found)),
      found.largest.length > 0 ? html("h4", {}, "Largest differences") : undefined,
      found.largest.length > 0
        ? table(
            ["at", "this", "other", "difference"],
            found.largest.map((one) => [
              `[${one.at.join(", ")}]`,
              one.ours,
              one.theirs,
              one.difference,
            ]),
          )
        : undefined,
      found.equal < found.elements
        ? new Viewer(this.#name, this.#kernel, partner, found.largest[0]?.at).element
        : undefined,
    );
  }
}

function table(head: readonly string[], rows: readonly string[][]): HTMLElement {
  const cells = (row: readonly string[]) =>
    row.map((text, i) => html(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, text));
  return html(
    "table",
    { class: "ox-side-by-side" },
    html("thead", {}, html("tr", {}, ...head.map((text) => html("th", { scope: "col" }, text)))),
    html("tbody", {}, ...rows.map((row) => html("tr", {}, ...cells(row)))),
  );
}
