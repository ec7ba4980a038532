/** Findings: what is wrong, how it can be mended, what follows from it, and what that kind of mistake means. */
import type { Line } from "../core/lines";
import type { CodeWords } from "../protocol/messages";
import { pending } from "./answers";
import { breaking, html, svg } from "./dom";
import { signShape } from "./shapes";

type Problem = Extract<Line, { kind: "problem" }>;

export function problemElement(
  { severity, text, code, repairs, followers: { length } }: Problem,
  link: HTMLElement | undefined,
  followers: readonly (HTMLElement | undefined)[],
  askCode: (code: string) => Promise<CodeWords>,
): HTMLElement {
  const sign = svg(
    "svg",
    { class: "ox-line-sign", viewBox: "-8 -8 16 16" },
    signShape(0, 0, severity),
  );
  const below = html("div", { class: "ox-problem-more" });
  for (const repair of repairs)
    below.append(html("p", { class: "ox-repair" }, html("b", {}, "Mend: "), repair));
  if (followers.length > 0) {
    const title = length === 1 ? "1 more follows" : `${length} more follow`;
    const shown = followers.filter((follower) => follower !== undefined);
    below.append(html("details", {}, html("summary", {}, title), ...shown));
  }
  if (code) below.append(meaning(code, askCode));
  return html(
    "div",
    { class: "ox-problem", "data-severity": severity, "data-code": code || undefined },
    sign,
    html("span", {}, ...breaking(text)),
    link,
    below.childElementCount > 0 ? below : undefined,
  );
}

/** The words of a code are asked for when they are wanted. */
function meaning(code: string, askCode: (code: string) => Promise<CodeWords>): HTMLElement {
  const element = html("details", {}, html("summary", {}, "What does this mean?"));
  element.addEventListener("toggle", () => {
    if (element.childElementCount === 1) element.append(pending(askCode(code), codeElement));
  });
  return element;
}

function codeElement({ headline, meaning, example, remedy }: CodeWords): HTMLElement {
  return html(
    "div",
    { class: "ox-code" },
    html("b", {}, headline),
    html("p", {}, meaning),
    example ? html("p", {}, html("i", {}, "For example: "), example) : undefined,
    html("p", {}, html("i", {}, "What to do: "), remedy),
  );
}
