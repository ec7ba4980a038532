/** What is said about what the pointer is over. */
import { miniatureText } from "../core/miniature";
import type { Observed } from "../core/observed";
import { overlayTitle } from "../core/overlay";
import type { Painting } from "../core/paint";
import type { Picture } from "../core/picture";
import type { Loaded } from "../core/reading";
import { at } from "../core/scene";
import { besideTooltip, cardTooltip, groupTooltip, stubTooltip } from "../core/tooltip";
import type { Miniature } from "../protocol/messages";
import type { Target } from "./target";

/** What is drawn, and what has come to be known of it. */
export interface Drawing {
  readonly loaded: Loaded;
  readonly picture: Picture;
  readonly expanded: ReadonlySet<number>;
  readonly observed: Observed;
  /** What labels said before a what-if. */
  readonly was: ReadonlyMap<string, string>;
  readonly miniatures: ReadonlyMap<string, Miniature>;
  readonly painting: Painting | undefined;
}

export function hintOf(target: Target, drawing: Drawing): string {
  const { picture, expanded } = drawing;
  const { scene, contents } = drawing.loaded;
  const ofGroup = (group: number) =>
    groupTooltip(scene, at(contents, group), group, expanded.has(group));
  switch (target.kind) {
    case "wire":
      return [target.tooltip, ...observedTexts(target, drawing)].join("\n");
    case "card": {
      const { kind, index, key } = target.card;
      const text = kind === "group" ? ofGroup(index) : cardTooltip(scene, target.card);
      return [text, paintText(key, drawing)].filter(Boolean).join("\n");
    }
    case "alike":
      return besideTooltip(scene, contents, target.group);
    case "toggle":
      return [ofGroup(target.group), paintText(`g${target.group}`, drawing)]
        .filter(Boolean)
        .join("\n");
    case "stub":
      return stubTooltip(scene, picture, target.index);
    case "enter":
      return "Make this group the whole view (z)";
    default:
      return "";
  }
}

/** What a label's own hint does not say yet. */
function observedTexts(
  { values, tooltip }: Extract<Target, { kind: "wire" }>,
  { observed, was, miniatures }: Drawing,
): string[] {
  const seen = values.slice(0, 8).flatMap((value) => {
    const type = observed.get(value);
    return type === undefined ? [] : [values.length > 1 ? `${value}: ${type}` : type];
  });
  const before = values.slice(0, 8).flatMap((value) => {
    const label = was.get(value);
    return label === undefined ? [] : [`before: ${label}`];
  });
  const [value = "", ...more] = values;
  const small = observed.has(value) ? miniatures.get(value) : undefined;
  const numbers = small && more.length === 0 ? [`values: ${miniatureText(small)}`] : [];
  const told = tooltip.includes("observed: ") ? [] : seen.map((text) => `observed: ${text}`);
  return [...before, ...told, ...numbers];
}

function paintText(key: string, { painting }: Drawing): string {
  const paint = painting?.cards.get(key);
  return painting && paint ? `${overlayTitle(painting.overlay.name)}: ${paint.text}` : "";
}
