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
  /** The ids of the nodes that are selected. */
  selection: readonly string[];
  /** The paths of the groups that stand open. */
  expanded: readonly string[];
  /** Whether constants are boxes of their own; or the ids of the nodes whose constants are. */
  constants: boolean | readonly string[];
  /** The part of the drawing that is shown: x, y, width, height. */
  view_box: readonly number[];
  /** Marked in a colour, by ids. */
  highlighted: { ids?: readonly string[]; colour?: string };
  /** What is to be brought into view; `count` tells one wish from the next. */
  focused: { id?: string; count?: number };
}

/** Where nothing has been said. */
export const UNSAID: Shared = {
  overlay_name: "",
  overlays: {},
  overlay_sizes: {},
  selection: [],
  expanded: [],
  constants: false,
  view_box: [],
  highlighted: {},
  focused: {},
};
