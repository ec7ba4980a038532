/** What elements that stand already wear: selection, hits, traces, steps, breakpoints, colours of an overlay. */
import type { PictureLabel } from "../core/edge_labels";
import type { Highlight } from "../core/highlight";
import type { Paint, Painting } from "../core/paint";
import type { Picture, PictureCard, PictureFrame, PictureWire } from "../core/picture";
import type { Miniature } from "../protocol/messages";
import { backWidth, type MarkerIds, miniatureShape, oddBadge, paintTag, stepBadge } from "./shapes";

export interface Dress {
  readonly highlight: Highlight;
  /** The ids of nodes that have a breakpoint. */
  readonly stops: ReadonlySet<string>;
  readonly painting: Painting | undefined;
  /** What the labels of values said before a what-if. */
  readonly changed: ReadonlyMap<string, string>;
  /** Values that a run has made, at the size of a label. */
  readonly miniatures: ReadonlyMap<string, Miniature>;
  readonly markers: MarkerIds;
}

export function dressCard(card: PictureCard, element: SVGElement, dress: Dress): void {
  const { cards, hits, traced, marks, marked, odd } = dress.highlight;
  flag(element, "data-selected", cards.has(card.key));
  flag(element, "data-hit", hits.has(card.key));
  flag(element, "data-marked", marked.has(card.key));
  wearOdd(card, element, odd.has(card.key));
  flag(element, "data-faded", traced !== undefined && !traced.cards.has(card.key));
  flag(element, "data-breakpoint", dress.stops.has(element.getAttribute("data-box-id") ?? ""));
  wearPaint(card, element, dress.painting?.cards.get(card.key));
  const mark = marks.get(card.key);
  if (element.getAttribute("data-step") === (mark ?? null)) return;
  element.querySelector(":scope > .ox-badge")?.remove();
  if (mark) {
    element.setAttribute("data-step", mark);
    element.append(stepBadge(card, mark));
  } else element.removeAttribute("data-step");
}

/** A sign on what is otherwise in groups beside. */
function wearOdd(card: PictureCard, element: SVGElement, odd: boolean): void {
  if (element.hasAttribute("data-odd") === odd) return;
  flag(element, "data-odd", odd);
  if (odd) element.append(oddBadge(card));
  else element.querySelector(":scope > .ox-odd")?.remove();
}

export function dressFrame(frame: PictureFrame, element: SVGElement, dress: Dress): void {
  flag(element, "data-selected", frame.group === dress.highlight.group);
}

function wearPaint(card: PictureCard, element: SVGElement, paint: Paint | undefined): void {
  const worn = paint ? `${paint.colour} ${paint.text}` : null;
  if (element.getAttribute("data-painted") === worn) return;
  element.querySelector(":scope > .ox-tag")?.remove();
  if (!paint || worn === null) {
    element.removeAttribute("data-painted");
    return;
  }
  element.setAttribute("data-painted", worn);
  element.style.setProperty("--ox-paint", paint.colour);
  element.style.setProperty("--ox-ink", paint.ink);
  if (!paint.told) element.append(paintTag(card, paint.text));
}

export function dressWire(
  wire: PictureWire,
  element: SVGElement,
  picture: Picture,
  { highlight, markers }: Dress,
): void {
  const hot = isHot(wire, picture, highlight);
  flag(element, "data-hot", hot);
  const { traced } = highlight;
  flag(
    element,
    "data-faded",
    traced !== undefined && !wire.edges.some((edge) => traced.edges.has(edge)),
  );
  const line = element.querySelector(".ox-wire-line");
  if (line?.hasAttribute("marker-end") && wire.mark !== "mismatch")
    line.setAttribute("marker-end", `url(#${hot ? markers.hot : markers.plain})`);
}

function isHot({ values, edges }: PictureWire, picture: Picture, highlight: Highlight): boolean {
  const { cards, values: hotValues, traced } = highlight;
  // A path is lit from end to end, and nothing beside it.
  if (traced) return edges.some((edge) => traced.edges.has(edge));
  if (values.some((value) => hotValues.has(value))) return true;
  if (cards.size === 0) return false;
  return edges.some((edge) => {
    const folded = picture.folded[edge];
    return folded !== undefined && (cards.has(folded.source) || cards.has(folded.target));
  });
}

export function dressLabel(
  label: PictureLabel,
  element: SVGElement,
  { highlight, changed, miniatures }: Dress,
): void {
  wearMiniature(label, element, miniatures.get(label.value));
  const { values, traced } = highlight;
  flag(element, "data-hot", values.has(label.value));
  flag(element, "data-changed", changed.has(label.value));
  const isTraced = label.edges.some((edge) => traced?.edges.has(edge));
  flag(element, "data-faded", traced !== undefined && !isTraced);
}

/** What elements wear: labels are dressed far more often than their values become others. */
const WORN = new WeakMap<SVGElement, Miniature>();

function wearMiniature(
  label: PictureLabel,
  element: SVGElement,
  small: Miniature | undefined,
): void {
  if (WORN.get(element) === small) return;
  if (small) WORN.set(element, small);
  else WORN.delete(element);
  const worn = element.querySelector(":scope > .ox-miniature");
  const wanted = small && label.room > 0 ? miniatureShape(label, small) : undefined;
  element
    .querySelector(":scope > .ox-label-back")
    ?.setAttribute("width", String(backWidth(label, wanted !== undefined)));
  if (!wanted) worn?.remove();
  else if (!worn) element.append(wanted);
  else if (worn.innerHTML !== wanted.innerHTML) worn.replaceWith(wanted);
}

function flag(element: Element, name: string, on: boolean): void {
  if (on) element.setAttribute(name, "");
  else element.removeAttribute(name);
}
