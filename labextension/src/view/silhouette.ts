/** The graph from far away: a shape for each family of boxes, and one for all wires. */
import type { Paint } from "../core/paint";
import type { Picture } from "../core/picture";
import { at } from "../core/scene";
import { svg } from "./dom";

/** With `paints` boxes of one colour are one shape, and those without a colour stand back. */
export function silhouetteShapes(
  { wires, cards }: Picture,
  paints: ReadonlyMap<string, Paint> | undefined,
): SVGPathElement[] {
  const lines = wires.map(({ curve }) => {
    const first = at(curve, 0);
    const last = at(curve, curve.length - 1);
    return `M${Math.round(first.x)},${Math.round(first.y)}L${Math.round(last.x)},${Math.round(last.y)}`;
  });
  const byColour = new Map<string, string[]>();
  for (const { key, category, x, y, width, height } of cards) {
    const colour = paints ? (paints.get(key)?.colour ?? "") : category;
    const parts = byColour.get(colour) ?? [];
    parts.push(`M${Math.round(x)},${Math.round(y)}h${width}v${height}h${-width}z`);
    byColour.set(colour, parts);
  }
  return [
    svg("path", { class: "ox-silhouette-wires", d: lines.join("") }),
    ...[...byColour].map(([colour, parts]) =>
      svg("path", {
        class: "ox-silhouette-cards",
        "data-category": paints ? "other" : colour,
        style: paints && colour ? `fill:${colour}` : undefined,
        d: parts.join(""),
      }),
    ),
  ];
}
