/** A scale of colours: its lightness grows evenly, so that it is read the same with any kind of colour vision. */

/** From dark to bright, in even steps of OKLCH lightness. */
const STOPS: readonly (readonly [red: number, green: number, blue: number])[] = [
  [0x31, 0x17, 0x6b],
  [0x22, 0x3a, 0x89],
  [0x00, 0x5d, 0x92],
  [0x08, 0x7b, 0x96],
  [0x03, 0x99, 0x9c],
  [0x0d, 0xb8, 0x99],
  [0x70, 0xd0, 0x8b],
  [0xb7, 0xe2, 0x7f],
  [0xf9, 0xf0, 0x80],
];

export type Theme = "light" | "dark";

/** Hues after Okabe and Ito for words, which have no order. */
const WORD_COLOURS = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#f0e442",
  "#5e4fa2",
] as const;

export const OTHER_WORDS = "#9a9fa6";

/** The colour of a share from 0 to 1. What is large stands out from the page: dark on light, bright on dark. */
export function colourOf(share: number, theme: Theme): string {
  const along = (theme === "dark" ? share : 1 - share) * (STOPS.length - 1);
  const place = Math.min(STOPS.length - 2, Math.max(0, Math.floor(along)));
  const [from, to] = [STOPS[place], STOPS[place + 1]];
  const part = Math.min(1, Math.max(0, along - place));
  const channels = [0, 1, 2].map((i) => {
    const [a, b] = [from?.[i] ?? 0, to?.[i] ?? 0];
    return Math.round(a + (b - a) * part);
  });
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** The colour of a word by its place among all of them. */
export function wordColour(place: number): string {
  return WORD_COLOURS[place] ?? OTHER_WORDS;
}

export const MOST_WORDS = WORD_COLOURS.length;

/** Black or white, whichever can be read on a colour. */
export function inkOn(colour: string): string {
  const light = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const [red = 0, green = 0, blue = 0] = light;
  // Where the contrasts with black and with white are the same.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

/** A share from 0 to 1 for each number between two. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly logarithmic: boolean;
}

/** How uneven numbers are told apart by their logarithm: a few that are this much larger would outshine all. */
const UNEVEN = 50;

/** A scale that holds all these numbers; what counts begins at 0. */
export function scaleFor(numbers: readonly number[], wanted?: "linear" | "logarithmic"): Scale {
  const finite = numbers.filter(Number.isFinite).sort((a, b) => a - b);
  const [low = 0, high = 0] = [finite[0], finite.at(-1)];
  const positive = finite.filter((number) => number > 0);
  const middle = positive[positive.length >> 1] ?? 0;
  const uneven = low >= 0 && middle > 0 && high > UNEVEN * middle;
  const logarithmic =
    low >= 0 && positive.length > 0 && (wanted ? wanted === "logarithmic" : uneven);
  if (logarithmic) return { low: positive[0] ?? 1, high, logarithmic };
  return { low: Math.min(0, low), high, logarithmic };
}

export function shareOf(number: number, { low, high, logarithmic }: Scale): number {
  if (high <= low) return number >= high ? 1 : 0;
  const share = logarithmic
    ? Math.log(Math.max(number, low) / low) / Math.log(high / low)
    : (number - low) / (high - low);
  return Math.min(1, Math.max(0, share));
}
