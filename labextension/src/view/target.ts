import type { PictureCard } from "../core/picture";

/** What the pointer is on. */
export type Target =
  | { readonly kind: "toggle"; readonly group: number }
  /** `also`: beside what is selected already. */
  | { readonly kind: "card"; readonly card: PictureCard; readonly also: boolean }
  /** The edge of a node that takes a breakpoint. */
  | { readonly kind: "stop"; readonly id: string }
  /** A group is to become the whole view. */
  | { readonly kind: "enter"; readonly group: number }
  /** The number of groups that are like this one. */
  | { readonly kind: "alike"; readonly group: number }
  | { readonly kind: "frame"; readonly group: number }
  | { readonly kind: "wire"; readonly values: readonly string[]; readonly tooltip: string }
  | { readonly kind: "stub"; readonly index: number }
  | { readonly kind: "empty" };
