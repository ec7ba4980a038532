/** The numbers of a tensor: a table of facts, a histogram, and a viewer. */
import { numberFacts, sampleText } from "../core/statistics";
import { numberText } from "../core/stepping";
import type { Statistics } from "../protocol/messages";
import { Differences } from "./differences";
import { html, svg } from "./dom";
import type { Kernel } from "./kernel";
import { Viewer } from "./viewer";

export function statisticsElement(name: string, found: Statistics, kernel: Kernel): HTMLElement {
  const sample = sampleText(found);
  const head = found.head ?? [];
  const element = html(
    "div",
    { class: "ox-statistics" },
    html("code", {}, found.type),
    html(
      "dl",
      {},
      ...numberFacts(found).flatMap(({ label, text }) => [
        html("dt", {}, label),
        html("dd", {}, text),
      ]),
    ),
    sample ? html("p", { class: "ox-note" }, sample) : undefined,
    histogramElement(found),
    head.length > 0 ? headElement(head, more(found)) : undefined,
  );
  if (kernel.canAnswer({ kind: "view", name }) && found.elements !== 0)
    element.append(new Viewer(name, kernel).element);
  if (kernel.canAnswer({ kind: "partners", name }) && found.looked_at)
    element.append(new Differences(name, kernel).element);
  return element;
}

function more({ elements, head }: Statistics): boolean {
  return (elements ?? 0) > (head?.length ?? 0);
}

function histogramElement({ histogram }: Statistics): HTMLElement | undefined {
  if (!histogram) return undefined;
  const { low, high, counts } = histogram;
  const most = Math.max(...counts);
  const step = 100 / counts.length;
  const bars = counts.map((count, i) => {
    const height = count === 0 ? 0 : Math.max(0.8, (count / most) * 40);
    const bar = svg("rect", { x: i * step, y: 40 - height, width: step * 0.86, height });
    const [from, to] = [i, i + 1].map(
      (edge) => Number(low) + ((Number(high) - Number(low)) * edge) / counts.length,
    );
    bar.append(svg("title", {}, `${numberText(from)} to ${numberText(to)}: ${count}`));
    return bar;
  });
  return html(
    "figure",
    { class: "ox-histogram" },
    svg(
      "svg",
      {
        viewBox: "0 0 100 40",
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `Histogram from ${numberText(low)} to ${numberText(high)}`,
      },
      ...bars,
    ),
    html("figcaption", {}, html("span", {}, numberText(low)), html("span", {}, numberText(high))),
  );
}

/** The first elements: lines break between them, not behind a minus. */
export function headElement(head: readonly string[], goesOn: boolean): HTMLElement {
  const items = head.flatMap((text) => [html("span", {}, text), "  "]);
  return html("div", { class: "ox-head" }, ...items, goesOn ? "…" : undefined);
}
