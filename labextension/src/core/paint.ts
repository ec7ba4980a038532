/** How an overlay colours what is drawn: a colour and a text for each box, and what the legend says. */
import { OPEN } from "./expression";
import { numberOf, symbolsOf } from "./figures";
import { amountText, type Overlay } from "./overlay";
import type { Picture } from "./picture";
import {
  colourOf,
  inkOn,
  MOST_WORDS,
  type Scale,
  scaleFor,
  shareOf,
  type Theme,
  wordColour,
} from "./scale";

export interface Paint {
  readonly colour: string;
  readonly ink: string;
  readonly text: string;
  /** Whether the legend tells the text, so that it need not stand on the box. */
  readonly told: boolean;
}

export interface WordEntry {
  readonly word: string;
  readonly colour: string;
  readonly count: number;
}

export type Legend =
  | {
      readonly kind: "numbers";
      readonly scale: Scale;
      readonly low: string;
      readonly high: string;
      /** Whether a logarithm can tell the numbers apart. */
      readonly canBeLogarithmic: boolean;
    }
  | { readonly kind: "words"; readonly entries: readonly WordEntry[] };

export interface Painting {
  readonly overlay: Overlay;
  /** By the keys of cards. */
  readonly cards: ReadonlyMap<string, Paint>;
  readonly legend: Legend;
  /** The open sizes that the numbers depend on, with what they are taken for. */
  readonly sizes: readonly (readonly [symbol: string, size: number])[];
}

export interface Wishes {
  readonly theme: Theme;
  readonly scale?: "linear" | "logarithmic" | undefined;
  readonly sizes: ReadonlyMap<string, number>;
}

export function paint(picture: Picture, overlay: Overlay, wishes: Wishes): Painting {
  const symbols = overlay.kind === "numbers" ? symbolsOf(overlay.values) : [];
  const sizes = symbols.map((name) => [name, wishes.sizes.get(name) ?? OPEN] as const);
  const painted =
    overlay.kind === "words"
      ? paintWords(picture, overlay)
      : paintNumbers(picture, overlay, new Map(sizes), wishes);
  return { overlay, sizes, ...painted };
}

function paintNumbers(
  picture: Picture,
  overlay: Overlay,
  sizes: ReadonlyMap<string, number>,
  { theme, scale: wanted }: Wishes,
): Pick<Painting, "cards" | "legend"> {
  const totals = new Map<string, { total: number; boxes: number[] }>();
  overlay.values.forEach((figure, box) => {
    const number = numberOf(figure, sizes);
    const key = picture.standIn[box];
    if (number === undefined || key === undefined) return;
    const known = totals.get(key);
    if (!known) totals.set(key, { total: number, boxes: [box] });
    else {
      known.total =
        overlay.combine === "max" ? Math.max(known.total, number) : known.total + number;
      known.boxes.push(box);
    }
  });
  const shown = new Set(picture.cards.map(({ key }) => key));
  const numbers = [...totals].flatMap(([key, { total }]) => (shown.has(key) ? [total] : []));
  const scale = scaleFor(numbers, wanted);
  const cards = new Map<string, Paint>();
  for (const [key, { total, boxes }] of totals) {
    // Nothing is not little: it has no colour.
    if (total === 0 && scale.low >= 0) continue;
    const colour = colourOf(shareOf(total, scale), theme);
    const [only, ...more] = boxes;
    const own = more.length === 0 && only !== undefined ? overlay.texts?.get(only) : undefined;
    cards.set(key, {
      colour,
      ink: inkOn(colour),
      text: own ?? amountText(total, overlay.unit),
      told: false,
    });
  }
  return {
    cards,
    legend: {
      kind: "numbers",
      scale,
      low: amountText(scale.low, overlay.unit),
      high: amountText(scale.high, overlay.unit),
      canBeLogarithmic: numbers.every((number) => number >= 0) && numbers.some((n) => n > 0),
    },
  };
}

/** A box of several words has no colour. */
function paintWords(picture: Picture, overlay: Overlay): Pick<Painting, "cards" | "legend"> {
  const counts = new Map<string, number>();
  const words = new Map<string, Set<string>>();
  overlay.values.forEach((value, box) => {
    const key = picture.standIn[box];
    if (value === "" || key === undefined) return;
    const word = String(value);
    counts.set(word, (counts.get(word) ?? 0) + 1);
    words.set(key, (words.get(key) ?? new Set()).add(word));
  });
  const entries = [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([word, count], place): WordEntry => ({ word, count, colour: wordColour(place) }));
  const colours = new Map(entries.map(({ word, colour }) => [word, colour]));
  const cards = new Map<string, Paint>();
  for (const [key, found] of words) {
    const [word, ...more] = found;
    if (word === undefined) continue;
    const colour = more.length === 0 ? colours.get(word) : undefined;
    if (colour) cards.set(key, { colour, ink: inkOn(colour), text: word, told: true });
  }
  return { cards, legend: { kind: "words", entries: entries.slice(0, MOST_WORDS + 4) } };
}
