/** Icons as paths on a 16 × 16 field: fonts differ in which glyphs they have. */
import { svg } from "./dom";

const PATHS = {
  restart: "M3 3v10M13 3.5v9L5.5 8z",
  back: "M12 3v10L4.5 8z",
  step: "M4 3v10l6.5-5zM12.5 3v10",
  step_into:
    "M6.8 1.5h2.4v5.2H12L8 11 4 6.7h2.8zM8 12.4m-1.9 0a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0-3.8 0",
  step_out:
    "M6.8 10.6h2.4V5.8H12L8 1.5 4 5.8h2.8zM8 12.8m-1.9 0a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0-3.8 0",
  breakpoint: "M8 8m-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0",
  run: "M2.5 3v10L8 8zM8.5 3v10L14 8z",
  "run-to": "M2.5 3.5v9L8 8zM12 8m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0",
  pause: "M4 3h2.6v10H4zM9.4 3H12v10H9.4z",
  search: "M7 7m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0M10 10l3.5 3.5",
  previous: "M3.5 10L8 5.5 12.5 10",
  next: "M3.5 6L8 10.5 12.5 6",
  "go-back": "M10 3.5L5.5 8l4.5 4.5",
  "go-forward": "M6 3.5L10.5 8L6 12.5",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  "zoom-in": "M8 3v10M3 8h10",
  "zoom-out": "M3 8h10",
  inspector: "M2.5 3h11v10h-11zM9.5 3v10",
  table: "M2.5 3h11v10h-11zM2.5 6.4h11M2.5 9.7h11M6.4 6.4V13",
  constants: "M2 2.5h5v4H2zM9 2.5h5v4H9zM4.5 6.5L7 11M11.5 6.5L9 11M6 11h4v2.5H6z",
  help: "M5.8 6.2C5.8 3.3 10.4 3.4 10.3 6.2C10.2 7.8 8 8 8 9.8M8 12.1v.9",
  more: "M3 7.2v1.6h1.6V7.2zM7.2 7.2v1.6h1.6V7.2zM11.4 7.2v1.6H13V7.2z",
  close: "M4 4l8 8M12 4l-8 8",
  "expand-all": "M4 6.5L8 2.5l4 4M4 9.5l4 4 4-4",
  "collapse-all": "M4 2.5l4 4 4-4M4 13.5l4-4 4 4",
} as const;

export type IconName = keyof typeof PATHS;

const SOLID: ReadonlySet<IconName> = new Set([
  "restart",
  "back",
  "step",
  "step_into",
  "step_out",
  "run",
  "run-to",
  "breakpoint",
  "pause",
  "more",
]);

export function icon(name: IconName): SVGSVGElement {
  return svg(
    "svg",
    {
      class: SOLID.has(name) ? "ox-icon ox-icon-solid" : "ox-icon",
      viewBox: "0 0 16 16",
      "aria-hidden": "true",
    },
    svg("path", { d: PATHS[name] }),
  );
}
