/** The what-if panel: other sizes, input types and attributes, tried before they are taken over. */

import type { Scene } from "../core/scene";
import type { Selection } from "../core/selection";
import {
  type Field,
  initializerField,
  modelFields,
  type NodeFields,
  nodeFields,
  outcomeText,
} from "../core/what_if";
import type { Change, Question, StepState, WhatIfState } from "../protocol/messages";
import { html, replace } from "./dom";
import { icon } from "./icons";
import { keepFields } from "./kept_fields";
import { type Kernel, messageOf } from "./kernel";

type WhatIfQuestion = Extract<Question, { kind: "what_if" | "change" | "take_back" | "reset" }>;

export class WhatIfPanel {
  readonly element = html("div", { class: "ox-what-if" });
  readonly #kernel: Kernel;
  readonly #outcome = html("div", { class: "ox-outcome", role: "status" });
  readonly #model = html("div", {});
  readonly #node = html("div", {});
  readonly #takeOver = html("button", { type: "button", class: "ox-primary" }, "Take over");
  readonly #reset = html("button", { type: "button", class: "ox-primary" }, "Reset");
  #scene: Scene | undefined;
  #selection: Selection = { kind: "none" };
  #visible = false;
  #active = false;
  #drawn = "";
  #asked = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#takeOver.title = "Make the changed model the model of this explorer";
    this.#takeOver.addEventListener("click", () => void kernel.move({ kind: "take_over" }));
    this.#reset.title = "Take all changes back";
    this.#reset.addEventListener("click", () => void this.#ask({ kind: "reset" }));
    this.element.append(
      this.#outcome,
      html("div", { class: "ox-run-again" }, this.#takeOver, this.#reset),
      this.#model,
      this.#node,
    );
  }

  opened(): void {
    this.#visible = true;
    void this.#ask({ kind: "what_if" });
    void this.#showNode();
  }

  select(scene: Scene, selection: Selection): void {
    this.#scene = scene;
    this.#selection = selection;
    if (this.#visible) void this.#showNode();
  }

  /** What was tried may have been taken over. */
  show({ what_if: active = false }: StepState): void {
    if (active === this.#active) return;
    this.#active = active;
    this.sceneCame();
  }

  sceneCame(): void {
    if (this.#visible) void this.#ask({ kind: "what_if" });
  }

  /** What is refused is told beside its field, and what was typed stays there. */
  async #ask(question: WhatIfQuestion, problem?: HTMLElement): Promise<void> {
    if (problem) tell(problem, "");
    try {
      this.#draw(await this.#kernel.ask(question));
    } catch (error) {
      if (problem) tell(problem, messageOf(error));
      else replace(this.#outcome, html("p", { class: "ox-error" }, messageOf(error)));
    }
  }

  #draw(state: WhatIfState): void {
    const active = state.changes.length > 0;
    this.#takeOver.disabled = !active;
    this.#takeOver.toggleAttribute("data-stale", active);
    this.#reset.disabled = !active;
    replace(
      this.#outcome,
      ...state.changes.map((change) => this.#chip(change)),
      html("p", { class: "ox-note" }, outcomeText(state)),
      ...state.gone.map((text) => finding(text, "gone")),
      ...state.new.map((text) => finding(text, "new")),
    );
    const fields = modelFields(state);
    const key = JSON.stringify(fields);
    if (key === this.#drawn) return;
    this.#drawn = key;
    const sizes = fields.filter(({ change }) => change.what === "size");
    const types = fields.filter(({ change }) => change.what === "type");
    keepFields(this.#model, () =>
      replace(
        this.#model,
        sizes.length > 0 ? html("h4", {}, "Sizes") : undefined,
        sizes.length > 0
          ? html("div", { class: "ox-sizes" }, ...sizes.map((one) => this.#field(one)))
          : undefined,
        types.length > 0 ? html("h4", {}, "Types of inputs") : undefined,
        ...types.map((one) => this.#field(one)),
      ),
    );
  }

  async #showNode(): Promise<void> {
    const asked = ++this.#asked;
    const found =
      this.#scene &&
      nodeFields(this.#scene, this.#selection, (box) =>
        this.#kernel.manual(box, () => {
          if (asked === this.#asked) void this.#showNode();
        }),
      );
    if (!found) {
      replace(
        this.#node,
        html("p", { class: "ox-note" }, "Select a node to change its attributes."),
      );
      return;
    }
    const fields = [...found.fields, ...(await this.#initializers(found))];
    if (asked !== this.#asked) return;
    keepFields(this.#node, () =>
      replace(
        this.#node,
        html("h4", {}, found.title),
        ...fields.map((one) => this.#field(one)),
        found.note ? html("p", { class: "ox-note" }, found.note) : undefined,
      ),
    );
  }

  async #initializers({ initializers }: NodeFields): Promise<Field[]> {
    const asked = initializers.map(async (name) =>
      initializerField(name, await this.#kernel.initializer(name)),
    );
    return Promise.all(asked).catch(() => []);
  }

  #field({ change, label, text, placeholder = "", hint }: Field): HTMLElement {
    const problem = html("p", { class: "ox-error", role: "alert", hidden: true });
    const named = {
      size: "Size",
      type: "Type of",
      attribute: "Attribute",
      initializer: "Values of",
    };
    const field = html("input", {
      type: "text",
      value: text,
      placeholder: change.what === "size" ? label : placeholder,
      spellcheck: "false",
      "aria-label": `${named[change.what]} ${label}`,
    });
    field.title = hint;
    const enter = () => {
      if (field.value === field.defaultValue) return;
      field.defaultValue = field.value;
      const back = field.value.trim() === "" && change.what !== "attribute";
      const question = { kind: back ? "take_back" : "change", ...change, text: field.value };
      void this.#ask(question as WhatIfQuestion, problem);
    };
    field.addEventListener("change", enter);
    // A browser knows of no change where the text was put back into a field that was made anew.
    field.addEventListener("blur", enter);
    field.addEventListener("keydown", ({ key }) => key === "Enter" && enter());
    return html(
      "div",
      { class: "ox-change", "data-what": change.what },
      html("label", {}, html("span", {}, label), field),
      problem,
    );
  }

  #chip(change: Change & { told: string }): HTMLElement {
    const label = `Take back ${change.told}`;
    const remove = html(
      "button",
      { type: "button", class: "ox-remove", "aria-label": label, title: "Take back" },
      icon("close"),
    );
    remove.addEventListener("click", () => {
      const { told: _, ...rest } = change;
      void this.#ask({ kind: "take_back", ...rest }).then(() => this.#showNode());
    });
    return html("span", { class: "ox-changed" }, html("code", {}, change.told), remove);
  }
}

function finding(text: string, fate: "gone" | "new"): HTMLElement {
  const said = fate === "gone" ? "disappears" : "appears";
  return html("p", { class: "ox-finding", "data-fate": fate }, html("b", {}, said), ` ${text}`);
}

function tell(line: HTMLElement, text: string): void {
  line.textContent = text;
  line.hidden = text === "";
}
