/** A node that failed: what came and what it clashes with, what it read, and fields to try again with. */
import { placeholderOf } from "../core/attribute_fields";
import type { Failing, FailingInput } from "../core/debugging";
import type { Clash, Question } from "../protocol/messages";
import { html } from "./dom";

const FORMS = "3, [[1, 2], [3, 4]], zeros[2, 3] …";

export function failureElement(
  failing: Failing,
  clash: Clash | undefined,
  ask: (question: Question) => void,
): HTMLElement {
  return html(
    "div",
    { class: "ox-failing" },
    clash
      ? html(
          "dl",
          {},
          html("dt", {}, "came"),
          html("dd", {}, clash.found),
          // What follows may be the rule that is broken, or the other of two sizes that clash.
          html("dt", {}, "but"),
          html("dd", {}, clash.expected),
        )
      : undefined,
    html("h4", {}, "What it read"),
    ...failing.inputs.map((input) => inputRow(input, ask)),
    failing.attributes.length > 0 ? html("h4", {}, "Try it with another attribute") : undefined,
    failing.attributes.length > 0 ? attributeForm(failing, ask) : undefined,
  );
}

function inputRow({ port, name, summary }: FailingInput, ask: (q: Question) => void): HTMLElement {
  const field = html("input", {
    type: "text",
    placeholder: FORMS,
    spellcheck: "false",
    "aria-label": `Another value for ${name}`,
  });
  const button = html("button", { type: "submit", class: "ox-dim" }, "set");
  const form = html("form", {}, field, button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim() !== "") ask({ kind: "set", name, text: field.value });
  });
  return html(
    "div",
    { class: "ox-read" },
    html("div", {}, html("small", {}, port), " ", html("b", {}, name), " "),
    html("code", {}, summary?.type ?? "not known"),
    form,
  );
}

function attributeForm({ attributes }: Failing, ask: (q: Question) => void): HTMLElement {
  const fields = attributes.map((known) => {
    const { name, text, hint } = known;
    const field = html("input", {
      type: "text",
      value: text,
      placeholder: placeholderOf(known),
      spellcheck: "false",
      "aria-label": name,
    });
    field.title = hint;
    return { name, text, field };
  });
  const form = html(
    "form",
    { class: "ox-attributes" },
    ...fields.map(({ name, field }) => html("label", {}, html("span", {}, name), field)),
    html("button", { type: "submit", class: "ox-dim" }, "try again"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const changed = fields.filter(({ text, field }) => field.value !== text && field.value.trim());
    const given = changed.map(({ name, field }) => [name, field.value] as const);
    ask({ kind: "retry", attributes: Object.fromEntries(given) });
  });
  return form;
}
