/** SVG of each thing in the picture. */

import { type CardLine, FAR_TITLE, farTitle } from "../core/card";
import type { Rect } from "../core/curve";
import type { PictureLabel } from "../core/edge_labels";
import { LABEL_LINE, SIGN_ROOM } from "../core/labels";
import { bars, MINIATURE } from "../core/miniature";
import type { PictureCard, PictureFrame, PictureStub, PictureWire } from "../core/picture";
import type { Scene } from "../core/scene";
import type { Miniature } from "../protocol/messages";
import type { Mark, Severity } from "../protocol/scene";
import { svg } from "./dom";

export interface MarkerIds {
  readonly plain: string;
  readonly hot: string;
  readonly mismatch: string;
}

/** The width of a letter in a tag, or a little more. */
const TAG_LETTER = 5.4;

const move = (x: number, y: number) =>
  `translate(${Math.round(x * 10) / 10},${Math.round(y * 10) / 10})`;

function text(role: string, x: number, y: number, content: string): SVGTextElement {
  return svg("text", { class: `ox-text-${role}`, x, y }, content);
}

/** A triangle pointing right, or down when open. */
function switchShape(x: number, y: number, open: boolean): SVGPathElement {
  return svg("path", {
    class: "ox-switch",
    d: open ? `M${x - 4},${y - 2}h8l-4,5z` : `M${x - 2},${y - 4}v8l5,-4z`,
  });
}

/** What makes a group the whole view; it shows under the pointer. */
function enterShape(group: number, x: number, y: number): SVGGElement {
  return svg(
    "g",
    { class: "ox-enter", "data-enter": group, transform: move(x, y) },
    svg("rect", { x: -9, y: -9, width: 18, height: 18, rx: 4 }),
    svg("path", { d: "M-4,-1V-4H-1M1,-4H4V-1M4,1V4H1M-1,4H-4V1" }),
  );
}

/** A triangle for mismatch and error, a disc for what is not known, each with its letter. */
export function signShape(x: number, y: number, kind: Mark | Severity): SVGGElement {
  const unknown = kind === "unknown";
  const outline = unknown
    ? svg("circle", { r: 6.5, class: "ox-sign-outline" })
    : svg("path", { d: "M0,-7L7.4,6H-7.4z", class: "ox-sign-outline" });
  const letter = svg(
    "text",
    { class: "ox-sign-letter", y: unknown ? 3.6 : 4.4 },
    unknown ? "?" : "!",
  );
  return svg("g", { class: "ox-sign", "data-sign": kind, transform: move(x, y) }, outline, letter);
}

/** Frames inside each other take turns with two colours. */
const depthOf = ({ depth }: PictureFrame) => depth % 2;

/** Puts what a shape has drawn around its own corner where it belongs. */
export function placeShape({ x, y }: Rect, element: SVGElement): void {
  element.setAttribute("transform", move(x, y));
}

export function frameShape(frame: PictureFrame): SVGGElement {
  const { width, height, group } = frame;
  return svg(
    "g",
    { class: "ox-frame", "data-frame": group, "data-depth": depthOf(frame) },
    svg("rect", { class: "ox-frame-face", width, height, rx: 10 }),
  );
}

/** The width of a letter in a frame's title, or a little more. */
const LETTER = 7;

/** The same of how many nodes are in it. */
const SMALL_LETTER = 6;

/** What a header tells of its group. */
export interface GroupCounts {
  readonly nodes: string;
  /** How many groups there are like it, "" where it is alone. */
  readonly likeness: string;
}

function headerAlike({ title, width, group }: PictureFrame, times: string): SVGElement | undefined {
  const x = 24 + title.length * LETTER + 10;
  const room = times.length * LETTER;
  if (times === "" || x + room + 8 > width) return undefined;
  const line: CardLine = { text: times, role: "detail", x, y: 17, width: room };
  return alikeShape(group, line, text("detail", x, 17, times));
}

/** Behind words of a header. */
function headerBack(x: number, width: number): SVGRectElement {
  return svg("rect", {
    class: "ox-header-back",
    x,
    y: 3,
    width: Math.max(0, width),
    height: 20,
    rx: 7,
  });
}

/** Lies over the wires that enter the frame, so that a click on it is a click on the header and its title can be read. */
export function headerShape(frame: PictureFrame, counts?: GroupCounts): SVGGElement {
  const { width, title, group } = frame;
  const alike = headerAlike(frame, counts?.likeness ?? "");
  const titled =
    24 + title.length * LETTER + (alike ? (counts?.likeness.length ?? 0) * LETTER + 18 : 0);
  const nodes = counts?.nodes ?? "";
  const count = text("name", width - 30, 17, nodes);
  const hasCount = width > title.length * LETTER + 130;
  const name = text("frame", 24, 17, title);
  const larger = Math.max(1, Math.min(FAR_TITLE, (width - 30) / (title.length * LETTER)));
  const [dx, dy] = [24 * (1 - larger), 13 + 4 * larger - 17 * larger];
  name.style.setProperty("--ox-far", `translate(${dx}px, ${dy}px) scale(${larger})`);
  count.setAttribute("text-anchor", "end");
  return svg(
    "g",
    {
      class: "ox-header",
      "data-on": depthOf(frame),
      "data-group": group,
      "data-toggle": group,
      role: "button",
      "aria-expanded": "true",
      "aria-label": `Close ${title}`,
    },
    svg("rect", {
      class: "ox-header-hit",
      x: 1,
      y: 1,
      width: Math.max(0, width - 2),
      height: 22,
      rx: 8,
    }),
    headerBack(4, Math.min(titled, width - 8)),
    hasCount
      ? headerBack(width - 30 - nodes.length * SMALL_LETTER, nodes.length * SMALL_LETTER)
      : undefined,
    switchShape(14, 13, true),
    name,
    alike,
    hasCount ? count : undefined,
    width > title.length * LETTER + 60 ? enterShape(group, width - 15, 13) : undefined,
  );
}

function cardFace(card: PictureCard): SVGElement[] {
  const { width, height, kind } = card;
  if (kind === "input" || kind === "output")
    return [svg("rect", { class: "ox-card-face", width, height, rx: height / 2 })];
  if (kind === "initializer")
    return [svg("rect", { class: "ox-card-face", width, height, rx: 1.5 })];
  const face = svg("rect", { class: "ox-card-face", width, height, rx: 6 });
  const behind = [6, 3].map((shift) =>
    svg("rect", { class: "ox-card-face ox-card-behind", x: shift, y: shift, width, height, rx: 6 }),
  );
  const band = svg("path", {
    class: "ox-card-band",
    d: `M6,0.5H7V${height - 0.5}H6A5.5,5.5 0 0 1 0.5,${height - 6}V6A5.5,5.5 0 0 1 6,0.5z`,
  });
  const stacked = kind === "group" || card.card.chips.some((chip) => !chip.open);
  return stacked ? [...behind, face, band] : [face, band];
}

export function cardShape(scene: Scene, card: PictureCard): SVGGElement {
  const { width, kind, index, category, sign } = card;
  const isGroup = kind === "group";
  const group = svg("g", {
    class: "ox-card",
    "data-kind": kind,
    "data-category": category,
    "data-key": card.key,
    "data-box-id": isGroup ? undefined : (scene.boxes[index]?.id ?? ""),
    "data-group": isGroup ? index : undefined,
    "data-toggle": isGroup ? index : undefined,
    "data-outside": card.outside,
  });
  group.append(...cardFace(card));
  if (isGroup) group.append(switchShape(16, 14, false), enterShape(index, width - 14, 36));
  const pill = kind === "input" || kind === "output";
  for (const line of card.card.lines) {
    const element = text(line.role, pill ? width / 2 : line.x, line.y, line.text);
    if (pill) element.setAttribute("text-anchor", "middle");
    if (line.role === "title") element.style.setProperty("--ox-far", farTransform(card, line));
    // Of a group the only detail is how many are like it.
    group.append(isGroup && line.role === "detail" ? alikeShape(index, line, element) : element);
  }
  for (const chip of card.card.chips)
    group.append(
      svg(
        "g",
        {
          class: "ox-chip",
          "data-group": chip.open ? undefined : chip.group,
          "data-toggle": chip.group,
          transform: move(chip.x, chip.y),
        },
        svg("rect", { width: chip.width, height: chip.height, rx: 8 }),
        switchShape(10, 8, chip.open),
        text("name", 18, 11.5, chip.label),
      ),
    );
  if (sign) group.append(signShape(width - 13, 13, sign));
  if (kind === "node") group.append(stopShape(card, scene.boxes[index]?.id ?? ""));
  return group;
}

/** The number of groups that are like this one: it opens the group beside what tells it from others. */
function alikeShape(group: number, { x, y, width }: CardLine, count: SVGElement): SVGGElement {
  return svg(
    "g",
    { class: "ox-alike", "data-alike": group },
    svg("rect", { x: x - 4, y: y - 11, width: width + 8, height: 15, rx: 7.5 }),
    count,
  );
}

/** The left edge of a node, which takes a breakpoint, and the disc that shows one. */
function stopShape({ height }: PictureCard, id: string): SVGGElement {
  const middle = Math.min(height / 2, 15);
  return svg(
    "g",
    { class: "ox-stop", "data-stop": id },
    svg("title", {}, "Breakpoint"),
    svg("rect", { x: -7, y: 0, width: 14, height }),
    svg("circle", { cx: 0, cy: middle, r: 5.5 }),
  );
}

/** Leads the title to its place and size when it stands in its box alone. */
function farTransform({ card, kind, width }: PictureCard, line: CardLine): string {
  const far = farTitle(card);
  if (!far) return "none";
  const x = kind === "input" || kind === "output" ? width / 2 : line.x;
  const dx = x * (1 - far.scale);
  const dy = far.y - line.y * far.scale;
  return `translate(${dx.toFixed(1)}px, ${dy.toFixed(1)}px) scale(${far.scale.toFixed(3)})`;
}

/** What a step did to a card. */
export function stepBadge(card: PictureCard, mark: string): SVGGElement {
  const badge = svg("g", { class: "ox-badge", "data-step": mark, transform: move(card.width, 0) });
  badge.append(svg("circle", { r: 7.5 }));
  const strokes: Record<string, string> = {
    done: "M-3.2,0.2L-0.8,2.6L3.4,-2.4",
    failed: "M-2.6,-2.6L2.6,2.6M2.6,-2.6L-2.6,2.6",
    current: "M-1.8,-3L2.8,0L-1.8,3z",
  };
  badge.append(svg("path", { d: strokes[mark] ?? "" }));
  return badge;
}

/** An unequal sign, where groups beside have something else: no higher or lower than its box, where labels of edges lie. */
export function oddBadge({ width, height }: PictureCard): SVGGElement {
  const badge = svg("g", { class: "ox-odd", transform: move(width, height - 8.5) });
  badge.append(svg("title", {}, "Otherwise in groups beside: see the inspector"));
  badge.append(svg("circle", { r: 7.5 }));
  badge.append(svg("path", { d: "M-3.4,-1.7H3.4M-3.4,1.7H3.4M1.9,-4.2L-1.9,4.2" }));
  return badge;
}

/** The number or word of an overlay, on the lower edge of its box. */
export function paintTag(card: PictureCard, content: string): SVGGElement {
  const width = Math.ceil(content.length * TAG_LETTER) + 10;
  // Their name stands in the middle.
  const isEnd = card.kind === "input" || card.kind === "output";
  return svg(
    "g",
    { class: "ox-tag", transform: move(card.width - width - 6, card.height - (isEnd ? 3 : 6)) },
    svg("rect", { width, height: 13, rx: 6.5 }),
    text("tag", width / 2, 9.6, content),
  );
}

export function wireShape(wire: PictureWire, markers: MarkerIds): SVGGElement {
  const group = svg("g", { class: "ox-wire", "data-mark": wire.mark });
  if (wire.mark === "mismatch") group.append(svg("path", { class: "ox-wire-teeth" }));
  const marker = wire.mark === "mismatch" ? markers.mismatch : markers.plain;
  group.append(
    svg("path", {
      class: "ox-wire-line",
      "marker-end": wire.arrow ? `url(#${marker})` : undefined,
    }),
    svg("path", { class: "ox-wire-hit" }),
  );
  if (wire.sign) group.append(signShape(wire.sign.x, wire.sign.y, wire.mark));
  return group;
}

export function placeWireShape({ path }: PictureWire, element: SVGElement): void {
  for (const child of element.children)
    if (child instanceof SVGPathElement) child.setAttribute("d", path);
}

/** How far what is behind a label reaches: no wire shows between it and its value. */
export function backWidth({ width, scale, room }: PictureLabel, hasValue: boolean): number {
  return width / scale - (hasValue ? 0 : room);
}

export function labelShape(label: PictureLabel): SVGGElement {
  const { scale, mark } = label;
  const marked = mark !== "known";
  const group = svg("g", {
    class: "ox-label",
    "data-mark": mark,
    "data-observed": label.observed,
    "data-from-file": label.fromFile,
  });
  const middle = (LABEL_LINE * label.lines.length) / 2;
  const height = label.height / scale;
  group.append(
    svg("rect", { class: "ox-label-back", width: backWidth(label, false), height, rx: 3 }),
  );
  if (marked) group.append(signShape(8, middle, mark));
  const left = marked ? SIGN_ROOM : 0;
  const centre = left + (label.width / scale - left - label.room) / 2;
  const element = svg("text", {
    class: "ox-text-label",
    "data-onnx-explorer-edge-label": true,
  });
  label.lines.forEach((line, i) => {
    element.append(svg("tspan", { x: centre, y: 10 + i * LABEL_LINE }, line));
  });
  group.append(element);
  return group;
}

/** Of the frames, which are in the order of painting, it has the innermost one's colour behind its letters. */
export function placeLabelShape(
  { x, y, width, height, scale, value }: PictureLabel,
  element: SVGElement,
  frames: readonly PictureFrame[],
): void {
  element.setAttribute("transform", `${move(x, y)}${scale === 1 ? "" : ` scale(${scale})`}`);
  element.querySelector(":scope > text")?.setAttribute("data-edge-value", value);
  const [px, py] = [x + width / 2, y + height / 2];
  const behind = frames.findLast(
    (frame) =>
      px >= frame.x && px <= frame.x + frame.width && py >= frame.y && py <= frame.y + frame.height,
  );
  if (behind) element.setAttribute("data-on", String(depthOf(behind)));
  else element.removeAttribute("data-on");
}

/** A value at the end of its label: itself, or a histogram; in red with a cross where it has NaN. */
export function miniatureShape(label: PictureLabel, small: Miniature): SVGGElement {
  const { width, height } = MINIATURE;
  const x = label.width / label.scale - label.room + 3;
  const y = (LABEL_LINE * label.lines.length) / 2 - height / 2;
  const bad = small.nan > 0 || small.infinite > 0;
  const group = svg("g", { class: "ox-miniature", "data-bad": bad, transform: move(x, y) });
  group.append(
    svg("rect", { class: "ox-miniature-face", x: -1, y: -1, width: width + 2, height: height + 2 }),
  );
  if (small.text !== undefined)
    group.append(svg("text", { x: width / 2, y: height - 1.5 }, small.text));
  for (const bar of bars(small)) group.append(svg("rect", { class: "ox-miniature-bar", ...bar }));
  if (bad && small.text === undefined)
    group.append(svg("path", { class: "ox-miniature-cross", d: `M${width - 7},2l5,5m0,-5l-5,5` }));
  return group;
}

export function stubShape(stub: PictureStub): SVGGElement {
  const { width, height, side } = stub;
  const arrow = svg("path", {
    class: "ox-stub-arrow",
    d: side === "source" ? "M7,6h6v4h-6zM13,4l5,4l-5,4z" : "M4,4l5,4l-5,4zM9,6h5v4h-5z",
  });
  return svg(
    "g",
    { class: "ox-stub" },
    svg("rect", { width, height, rx: height / 2 }),
    arrow,
    text("name", 20, 11.5, stub.text),
  );
}

export function arrowMarker(id: string, kind: string): SVGMarkerElement {
  return svg(
    "marker",
    {
      id,
      viewBox: "0 0 8 8",
      refX: 7.4,
      refY: 4,
      markerWidth: 8,
      markerHeight: 8,
      orient: "auto",
      markerUnits: "userSpaceOnUse",
      class: `ox-arrow ox-arrow-${kind}`,
    },
    svg("path", { d: "M0,0.6L8,4L0,7.4L1.8,4z" }),
  );
}
