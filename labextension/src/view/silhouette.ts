/** The graph from far away: a shape for each family of boxes, and one for all wires. */
import type { Picture } from "../core/picture";
import { at } from "../core/scene";
import { svg } from "./dom";

export function silhouetteShapes({ wires, cards }: Picture): SVGPathElement[] {
  const lines = wires.map(({ curve }) => {
    const first = at(curve, 0);
    const last = at(curve, curve.length - 1);
    return `M${Math.round(first.x)},${Math.round(first.y)}L${Math.round(last.x)},${Math.round(last.y)}`;
  });
  const byCategory = new Map<string, string[]>();
  for (const { category, x, y, width, height } of cards) {
    const parts = byCategory.get(category) ?? [];
    parts.push(`M${Math.round(x)},${Math.round(y)}h${width}v${height}h${-width}z`);
    byCategory.set(category, parts);
  }
  return [
    svg("path", { class: "ox-silhouette-wires", d: lines.join("") }),
    ...[...byCategory].map(([category, parts]) =>
      svg("path", { class: "ox-silhouette-cards", "data-category": category, d: parts.join("") }),
    ),
  ];
}
