/** What is said about the thing under the pointer. */
import { keyTitle } from "./arrange";
import { countText, type GroupContent, operatorsText } from "./card";
import { groupTitle } from "./naming";
import type { Picture, PictureCard } from "./picture";
import { at, type Scene } from "./scene";
import { siblingsOf } from "./siblings";

export function cardTooltip(scene: Scene, card: PictureCard): string {
  const box = at(scene.boxes, card.index);
  const problems = box.problems.map(([severity, message]) => `${severity}: ${message}`);
  if (box.kind === "initializer") {
    const type = box.outputs[0]?.[2] ?? "";
    return [box.name, type, box.detail === type ? "" : box.detail].filter(Boolean).join("\n");
  }
  const head = [box.op, box.detail].filter(Boolean).join("  ");
  return [head, box.name, ...problems].filter(Boolean).join("\n");
}

export function groupTooltip(
  scene: Scene,
  content: GroupContent,
  group: number,
  open: boolean,
): string {
  const { label } = at(scene.groups, group);
  const counted = `${countText(content)}: ${operatorsText(content, 6)}`;
  const same = content.alike.filter((other) => other !== group);
  const names = same.slice(0, MOST_ENDS).map((other) => at(scene.groups, other).label);
  const more = same.length > names.length ? `, and ${same.length - names.length} more` : "";
  const alike = same.length > 0 ? `\nThe same inside: ${names.join(", ")}${more}` : "";
  return `${label}\n${counted}${alike}\nClick to ${open ? "close" : "open"}`;
}

/** So many kinds of groups are told of, and of each so many differences. */
const MOST_KINDS = 4;
const MOST_TOLD = 2;

/** In what groups beside one differ from it. */
export function besideTooltip(
  scene: Scene,
  contents: readonly GroupContent[],
  group: number,
): string {
  const { alike, near } = at(contents, group);
  const { others } = siblingsOf(scene, contents, group);
  const isNear = new Set(near);
  const nearly = others.filter(({ groups }) => isNear.has(groups[0] ?? -1));
  const same = alike.length > 1 ? `${alike.length} groups hold the same` : "";
  const more = near.length - Math.max(1, alike.length);
  const holds = more === 1 ? "1 other holds" : `${more} others hold`;
  const head =
    more <= 0 ? same : same ? `${same}, ${more} more nearly` : `${holds} nearly the same`;
  const told = nearly.slice(0, MOST_KINDS).map(({ groups, differences = [] }) => {
    const [first = 0, ...like] = groups;
    const name = `${groupTitle(scene, first)}${like.length > 0 ? ` and ${like.length} like it` : ""}`;
    const texts = [...new Set(differences.map(({ text }) => text))];
    const left = texts.length > MOST_TOLD ? `, and ${texts.length - MOST_TOLD} more` : "";
    return `${name}: ${texts.slice(0, MOST_TOLD).join(", ") || "wired otherwise"}${left}`;
  });
  const kinds =
    nearly.length > told.length ? [`and ${nearly.length - told.length} kinds more`] : [];
  return [head, ...told, ...kinds, "Click to open it beside them"].join("\n");
}

/** How many far ends are named. */
const MOST_ENDS = 8;

export function stubTooltip(scene: Scene, picture: Picture, index: number): string {
  const { edges, side, values } = at(picture.stubs, index);
  const ends = edges.map((edge) => {
    const { source, target } = at(picture.folded, edge);
    return keyTitle(scene, side === "source" ? target : source);
  });
  const named = [...new Set(ends)];
  const more = named.length > MOST_ENDS ? `, and ${named.length - MOST_ENDS} more` : "";
  const where = side === "source" ? "goes on to" : "comes from";
  return `${values.join(", ")} ${where} ${named.slice(0, MOST_ENDS).join(", ")}${more}\nClick to follow`;
}
