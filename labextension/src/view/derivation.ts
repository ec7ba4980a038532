/** A derivation as a tree: what follows from one cause goes on below, several causes branch off. */
import { type Chain, chainsOf, type DerivationStep } from "../core/derivation";
import { shortName } from "../core/naming";
import type { DerivationRow } from "../protocol/messages";
import { breaking, html } from "./dom";

/** Of a long chain the middle is shown on request. */
const LONG = 6;
const SHOWN = 2;

export function derivationElement(
  rows: readonly DerivationRow[],
  selectValue: (value: string) => void,
): HTMLElement {
  const step = ({ what, fact, reason, value }: DerivationStep): HTMLElement => {
    const short = value === "" ? what : what.replace(value, shortName(value));
    const name =
      value === ""
        ? html("span", {}, ...breaking(short))
        : html("button", { type: "button", class: "ox-link", title: what }, ...breaking(short));
    name.addEventListener("click", () => {
      if (value !== "") selectValue(value);
    });
    return html(
      "div",
      { class: "ox-derived" },
      name,
      " = ",
      html("code", {}, ...breaking(fact)),
      reason ? html("small", { title: reason }, shortReason(reason)) : undefined,
    );
  };
  const chain = ({ steps, branches }: Chain, depth: number): HTMLElement => {
    const element = html("div", { class: "ox-chain" });
    if (steps.length <= LONG) element.append(...steps.map(step));
    else {
      const middle = steps.slice(SHOWN, -SHOWN);
      element.append(
        ...steps.slice(0, SHOWN).map(step),
        html("details", {}, html("summary", {}, `${middle.length} steps`), ...middle.map(step)),
        ...steps.slice(-SHOWN).map(step),
      );
    }
    if (branches.length > 0) {
      const inner = html("div", { class: "ox-branches" });
      inner.append(...branches.map((branch) => chain(branch, depth + 1)));
      const causes = `from ${branches.length} causes`;
      element.append(html("details", { open: depth < 2 }, html("summary", {}, causes), inner));
    }
    return element;
  };
  return html("div", {}, ...chainsOf(rows).map((each) => chain(each, 0)));
}

/** The rule that said it; the name of the node stands in the value's own already. */
function shortReason(reason: string): string {
  return reason.replace(/ at node '.*?'/, "");
}
