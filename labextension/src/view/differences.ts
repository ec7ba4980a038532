/** A value beside another one: of another iteration, of the run before, of a compared runtime, or of another name. */
import { equalText, sideBySide } from "../core/differing";
import type { Against, Difference, Partner } from "../protocol/messages";
import { errorLine } from "./answers";
import { html, replace } from "./dom";
import type { Kernel } from "./kernel";
import { Viewer } from "./viewer";

const NAMES: Readonly<Record<Against, string>> = {
  value: "another value…",
  iteration: "another iteration",
  former: "the run before",
  compared: "the compared runtime",
};

/** What was compared with last: the next value is offered the same. */
let latest: Pick<Partner, "against" | "other"> | undefined;

export class Differences {
  readonly element = html("div", { class: "ox-differences" });
  readonly #name: string;
  readonly #kernel: Kernel;
  readonly #other = html("span", {});
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
    const select = html(
      "select",
      { "aria-label": `Compare ${this.#name} with` },
      html("option", { value: "" }, "nothing"),
      ...partners.map(({ against, label }) =>
        html("option", { value: against }, against === "iteration" ? NAMES.iteration : label),
      ),
      html("option", { value: "value" }, NAMES.value),
    );
    select.addEventListener("keydown", (event) => event.stopPropagation());
    const choose = (against: string, other?: string | number) => {
      const partner = partners.find((one) => one.against === against);
      replace(this.#other);
      if (against === "") this.#clear();
      else if (against === "value") this.#askName(typeof other === "string" ? other : "");
      else if (partner?.against === "iteration") this.#askIteration(partner);
      else if (partner) void this.#compare(partner.against, partner.other);
    };
    select.addEventListener("change", () => choose(select.value));
    replace(
      this.element,
      html("label", { class: "ox-choices" }, "Compare with", select, this.#other),
      this.#shown,
    );
    const again = latest && [...partners.map(({ against }) => against)].includes(latest.against);
    if (latest && again) {
      select.value = latest.against;
      choose(latest.against, latest.other);
    }
  }

  #clear(): void {
    this.#asked++;
    latest = undefined;
    replace(this.#shown);
  }

  #askName(name: string): void {
    const field = html("input", {
      type: "text",
      value: name,
      placeholder: "name of a value",
      spellcheck: "false",
      "aria-label": "The other value",
    });
    field.addEventListener("keydown", (event) => event.stopPropagation());
    field.addEventListener("change", () => {
      if (field.value.trim()) void this.#compare("value", field.value.trim());
    });
    replace(this.#other, field);
    field.focus();
  }

  #askIteration({ other, label }: Partner): void {
    const field = html("input", {
      type: "number",
      min: 1,
      value: Number(other) + 1,
      "aria-label": "The other iteration",
    });
    field.addEventListener("keydown", (event) => event.stopPropagation());
    field.addEventListener("input", () => {
      if (field.value !== "") void this.#compare("iteration", Math.trunc(Number(field.value)) - 1);
    });
    replace(this.#other, "run ", field, html("small", {}, ` ${label}`));
    void this.#compare("iteration", other);
  }

  async #compare(against: Against, other: string | number): Promise<void> {
    const asked = ++this.#asked;
    latest = { against, other };
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
