/** What Python and the drawing both see and may both change: each is a synced trait of the widget. */
import type { Figure } from "./scene";

/** An overlay as a person gives it in Python: by ids of boxes. */
export interface GivenOverlay {
  unit: string;
  combine: "sum" | "max";
  values: Record<string, Figure>;
}

export interface Shared {
  /** The name of what boxes are coloured by; "" for what they do. */
  overlay_name: string;
  overlays: Record<string, GivenOverlay>;
  /** Sizes that open dims are taken for, by their names. */
  overlay_sizes: Record<string, number>;
}

/** Where nothing has been said. */
export const UNSAID: Shared = { overlay_name: "", overlays: {}, overlay_sizes: {} };
