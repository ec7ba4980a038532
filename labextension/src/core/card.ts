/** What stands in a box, and how large that makes it. Sizes are in pixels at zoom 1. */
import { likenessSteps } from "./alike";
import { boxName, groupTitle } from "./naming";
import { finish, MANY, type Steps } from "./pace";
import { at, type Box, type Scene } from "./scene";

export type TextRole = "title" | "detail" | "name" | "label" | "frame";

/** The width of a text as the page will draw it. */
export type Measure = (text: string, role: TextRole) => number;

export interface CardLine {
  readonly text: string;
  readonly role: TextRole;
  readonly x: number;
  /** Of the baseline. */
  readonly y: number;
  readonly width: number;
}

/** A switch inside a box, for a body that the node owns. */
export interface CardChip {
  readonly group: number;
  readonly label: string;
  readonly open: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Card {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly CardLine[];
  readonly chips: readonly CardChip[];
}

const PAD_LEFT = 14;
const PAD_RIGHT = 12;
const WIDEST = 232;
const NARROWEST = 76;
/** Of the box of a constant. */
const SMALL = 36;
const CHIP_HEIGHT = 16;
/** Room for the switch that opens a collapsed group. */
const SWITCH_WIDTH = 16;
/** Room for the warning sign in a box's corner. */
const SIGN_WIDTH = 18;

/** Shortens from the front, since the end of a path tells nodes apart. */
export function fitEnd(text: string, width: number, role: TextRole, measure: Measure): string {
  if (measure(text, role) <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (measure(`…${text.slice(middle)}`, role) <= width) high = middle;
    else low = middle + 1;
  }
  return `…${text.slice(low)}`;
}

export function fitStart(text: string, width: number, role: TextRole, measure: Measure): string {
  if (measure(text, role) <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${text.slice(0, middle)}…`, role) <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}

/** Shortens in the middle: what tells names apart may stand at either end. */
export function fitEnds(text: string, width: number, role: TextRole, measure: Measure): string {
  if (measure(text, role) <= width) return text;
  const cut = (kept: number) => {
    const front = Math.ceil(kept / 2);
    return `${text.slice(0, front).trimEnd()}…${text.slice(text.length - kept + front).trimStart()}`;
  };
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(cut(middle), role) <= width) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

interface Row {
  readonly texts: readonly { text: string; role: TextRole; x: number; width: number }[];
  readonly width: number;
  readonly height: number;
}

const LINE_HEIGHT: Record<TextRole, number> = {
  title: 17,
  detail: 14,
  name: 13,
  label: 12,
  frame: 16,
};
const BASELINE: Record<TextRole, number> = { title: 13, detail: 11, name: 10, label: 9, frame: 12 };

function stack(
  rows: readonly Row[],
  extra: number,
  chips: readonly Omit<CardChip, "y">[] = [],
  narrowest = NARROWEST,
): Card {
  const widest = Math.max(0, ...rows.map((row) => row.width), ...chips.map((c) => c.x + c.width));
  const width = Math.ceil(
    Math.min(WIDEST, Math.max(narrowest, widest + PAD_LEFT + PAD_RIGHT + extra)),
  );
  let y = 5;
  const lines: CardLine[] = [];
  for (const row of rows) {
    for (const text of row.texts)
      lines.push({ ...text, x: PAD_LEFT + text.x, y: y + BASELINE[text.role] });
    y += row.height;
  }
  const placed = chips.map((chip) => ({ ...chip, x: PAD_LEFT + chip.x, y: y + 2 }));
  if (placed.length > 0) y += CHIP_HEIGHT + 4;
  return { width, height: y + 5, lines, chips: placed };
}

function row(text: string, role: TextRole, measure: Measure): Row {
  const width = measure(text, role);
  return {
    texts: [{ text, role, x: 0, width }],
    width,
    height: LINE_HEIGHT[role],
  };
}

function withDetail(head: Row, detail: string, measure: Measure): Row {
  const width = measure(detail, "detail");
  const x = head.width + 8;
  return {
    texts: [...head.texts, { text: detail, role: "detail", x, width }],
    width: x + width,
    height: head.height,
  };
}

/** Operator and detail share a line where they fit. */
function headRows(title: string, detail: string, measure: Measure): Row[] {
  const inner = WIDEST - PAD_LEFT - PAD_RIGHT;
  const head = row(fitStart(title, inner, "title", measure), "title", measure);
  if (detail === "") return [head];
  const both = head.width + 8 + measure(detail, "detail");
  if (both <= 168) return [withDetail(head, detail, measure)];
  return [head, row(fitStart(detail, inner, "detail", measure), "detail", measure)];
}

export function boxCard(
  scene: Scene,
  index: number,
  expanded: ReadonlySet<number>,
  measure: Measure,
): Card {
  const box = at(scene.boxes, index);
  const extra = box.problems.length > 0 ? SIGN_WIDTH : 0;
  const inner = WIDEST - PAD_LEFT - PAD_RIGHT - extra;
  if (box.kind === "input" || box.kind === "output") {
    const name = fitEnd(boxName(scene, index) || box.id, inner, "title", measure);
    return stack([row(name, "title", measure)], extra);
  }
  if (box.kind === "initializer") {
    const detail = row(fitStart(box.detail, inner, "detail", measure), "detail", measure);
    const name = fitEnd(boxName(scene, index), Math.max(110, detail.width), "name", measure);
    return stack([row(name, "name", measure), detail], extra, [], SMALL);
  }
  const rows = headRows(titleOf(box), box.detail, measure);
  const name = boxName(scene, index);
  if (name !== "" && name.toLowerCase() !== box.op.toLowerCase()) {
    // The name never makes a box wider than its operator needs, within reason: columns stay narrow.
    const room = Math.min(inner, Math.max(140, ...rows.map((r) => r.width)));
    rows.push(row(fitEnd(name, room, "name", measure), "name", measure));
  }
  let x = 0;
  const chips = (scene.ownedBy.get(index) ?? []).map((group) => {
    const label = fitStart(groupTitle(scene, group), 90, "name", measure);
    const width = Math.ceil(measure(label, "name")) + 24;
    const chip = { group, label, open: expanded.has(group), x, width, height: CHIP_HEIGHT };
    x += width + 5;
    return chip;
  });
  return stack(rows, extra, chips);
}

/** How the title fills its box when the other texts are too small to be read: a factor and a new baseline. */
export function farTitle({ lines, width, height }: Card): { scale: number; y: number } | undefined {
  const title = lines.find(({ role }) => role === "title");
  if (!title) return undefined;
  const room = width - title.x - PAD_RIGHT / 2;
  const scale = Math.min(room / title.width, (height - 6) / LINE_HEIGHT.title, 2.4);
  return { scale: Math.max(1, scale), y: height / 2 + 4.4 * Math.max(1, scale) };
}

export function titleOf(box: Box): string {
  return box.op || box.name || box.id;
}

/** What a collapsed group holds, counted with everything inside it. */
export interface GroupContent {
  readonly nodes: number;
  /** Operators with their counts, the most frequent first. */
  readonly operators: readonly (readonly [op: string, count: number])[];
  readonly errors: number;
  readonly warnings: number;
  /** The groups beside it that hold the same, itself included; empty where it is alone. */
  readonly alike: readonly number[];
  /** Those that hold the same or nearly, itself included; empty where no other is nearly the same. */
  readonly near: readonly number[];
}

/** How many groups there are like one: `×12` where they are equal, `≈12` where they are nearly. */
export function likenessText({ alike, near }: GroupContent): string {
  if (alike.length > 1) return `×${alike.length}`;
  return near.length > 1 ? `≈${near.length}` : "";
}

export function groupContents(scene: Scene): GroupContent[] {
  return finish(contentSteps(scene));
}

export function* contentSteps(scene: Scene): Steps<GroupContent[]> {
  const counts = scene.groups.map(() => ({
    nodes: 0,
    operators: new Map<string, number>(),
    errors: 0,
    warnings: 0,
  }));
  for (const [i, box] of scene.boxes.entries()) {
    if (i % MANY === 0) yield;
    for (let g = box.group; g >= 0; g = at(scene.groups, g).parent) {
      const count = at(counts, g);
      for (const [severity] of box.problems)
        if (severity === "error") count.errors++;
        else count.warnings++;
      if (box.kind !== "node") continue;
      count.nodes++;
      count.operators.set(box.op, (count.operators.get(box.op) ?? 0) + 1);
      // What an operator stands for is no part of the model.
      if (at(scene.groups, g).kind === "operator") break;
    }
  }
  const { alike, near } = yield* likenessSteps(scene);
  return counts.map(({ nodes, operators, errors, warnings }, group) => ({
    alike: at(alike, group),
    near: at(near, group),
    nodes,
    operators: [...operators].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
    errors,
    warnings,
  }));
}

export function countText(content: GroupContent): string {
  return content.nodes === 1 ? "1 node" : `${content.nodes} nodes`;
}

export function operatorsText(content: GroupContent, most = 3): string {
  const shown = content.operators
    .slice(0, most)
    .map(([op, count]) => (count > 1 ? `${count} ${op}` : op));
  return content.operators.length > most ? `${shown.join(", ")}, …` : shown.join(", ");
}

export function groupCard(scene: Scene, group: number, content: GroupContent, measure: Measure) {
  const label = groupTitle(scene, group) || "group";
  const extra = content.errors + content.warnings > 0 ? SIGN_WIDTH : 0;
  const inner = WIDEST - PAD_LEFT - PAD_RIGHT - SWITCH_WIDTH - extra;
  const times = likenessText(content);
  const beside = times === "" ? 0 : measure(times, "detail") + 8;
  const name = row(fitEnd(label, inner - beside, "title", measure), "title", measure);
  const title: Row = times === "" ? name : withDetail(name, times, measure);
  const summary = `${countText(content)}: ${operatorsText(content, 2)}`;
  const rows: Row[] = [
    {
      ...title,
      texts: title.texts.map((t) => ({ ...t, x: SWITCH_WIDTH + t.x })),
      width: title.width + SWITCH_WIDTH,
    },
    row(fitStart(summary, 196, "name", measure), "name", measure),
  ];
  return stack(rows, extra);
}

export const FRAME_HEADER = 26;
export const FRAME_PAD = 12;

/** How much larger the titles of frames may become when they are far away. */
export const FAR_TITLE = 1.9;

/** Ports stand on a rank of their own; the gap behind it serves as the frame's header or padding. */
export function frameInsets(hasIns: boolean, hasOuts: boolean): { top: number; bottom: number } {
  return { top: hasIns ? 4 : FRAME_HEADER, bottom: hasOuts ? 0 : FRAME_PAD };
}

export function frameTitleWidth(title: string, measure: Measure): number {
  return Math.ceil(measure(title, "frame")) + 34;
}
