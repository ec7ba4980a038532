/** The numbers of a tensor as the inspector writes and draws them. */
import type { Statistics, ValueSummary } from "../protocol/messages";
import { numberText } from "./stepping";

export interface NumberFact {
  readonly label: string;
  readonly text: string;
}

export function numberFacts(found: Statistics): NumberFact[] {
  const counted = found.looked_at ?? 0;
  const share = (count: number | null | undefined, of = counted) =>
    count ? `${count.toLocaleString("en")}${percent(count, of)}` : "";
  const facts: [string, string][] = [
    ["elements", found.elements === undefined ? "" : found.elements.toLocaleString("en")],
    ["bytes", found.bytes === undefined ? "" : bytesText(found.bytes)],
    ["min", known(found.min)],
    ["max", known(found.max)],
    ["mean", known(found.mean)],
    ["std", known(found.std)],
    ["zeros", share(found.zeros)],
    ["NaN", share(found.nan, found.elements)],
    ["infinite", share(found.infinite)],
  ];
  return facts.flatMap(([label, text]) => (text === "" ? [] : [{ label, text }]));
}

/** What a person must know of numbers that are a sample's; "" where all elements were looked at. */
export function sampleText({ looked_at, elements }: Statistics): string {
  if (looked_at === undefined || elements === undefined || looked_at >= elements) return "";
  const sample = `${looked_at.toLocaleString("en")} evenly spaced elements`;
  return `Deviation, zeros, infinite and histogram are those of ${sample}.`;
}

/** Whether a value goes on behind its first elements, or a list or map behind its first items. */
export function headContinues({ type, head }: ValueSummary): boolean {
  const items = /^(?:list|map) of (\d+)/.exec(type)?.[1];
  const sizes = items ?? type.slice(type.indexOf("[") + 1, type.lastIndexOf("]"));
  const elements = sizes.split(",").reduce((product, size) => product * Number(size), 1);
  return Number.isFinite(elements) && elements > (head?.length ?? 0);
}

function known(value: number | string | null | undefined): string {
  return value === undefined || value === null ? "" : numberText(value);
}

function percent(count: number, of: number): string {
  if (of === 0) return "";
  const share = (100 * count) / of;
  return ` (${share < 0.1 ? "<0.1" : share.toFixed(share < 10 ? 1 : 0)} %)`;
}

export function bytesText(bytes: number): string {
  let amount = bytes;
  for (const unit of ["B", "kB", "MB"]) {
    if (amount < 1000) return `${unit === "B" ? amount : amount.toPrecision(3)} ${unit}`;
    amount /= 1000;
  }
  return `${amount.toPrecision(3)} GB`;
}
