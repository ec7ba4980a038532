import type { Measure, TextRole } from "../core/card";

/** Sizes and weights of the drawing's texts; `widget.css` sets the same. */
const FONTS: Record<TextRole, string> = {
  title: "600 12.5px",
  detail: "11px",
  name: "10px",
  label: "10px",
  frame: "600 11.5px",
};

export const FONT_FAMILY =
  'system-ui, -apple-system, "Segoe UI", "Liberation Sans", "DejaVu Sans", Arial, sans-serif';

/** Measures on a canvas, since a detached cell has no layout; without one it estimates. */
export function textMeasure(): Measure {
  const context = document.createElement("canvas").getContext("2d");
  const known = new Map<string, number>();
  let set: TextRole | undefined;
  return (text, role) => {
    const key = `${role} ${text}`;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    let width = text.length * 6.2;
    if (context) {
      // To set a font costs more than to measure with it.
      if (set !== role) context.font = `${FONTS[role]} ${FONT_FAMILY}`;
      set = role;
      width = context.measureText(text).width;
    }
    if (known.size > 20_000) known.clear();
    known.set(key, width);
    return width;
  };
}
