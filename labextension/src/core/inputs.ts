/** What the panel of inputs says. */
import type { Filling, InputRow, SizeRow } from "../protocol/messages";

export const FILLING_NAMES: Readonly<Record<Filling, string>> = {
  random: "random",
  zeros: "zeros",
  ones: "ones",
  list: "numbers…",
  file: "from a file",
  python: "from Python",
};

/** How an input can be filled; what only a file or Python can give is named where it is so. */
export function fillingsOf({ how }: InputRow): Filling[] {
  const always: Filling[] = ["random", "zeros", "ones", "list"];
  return always.includes(how) ? always : [how, ...always];
}

/** Why a size is what it is, or what it may be. */
export function sizeHint({ fixed, asked }: SizeRow): string {
  if (fixed) return `as ${fixed} has it`;
  return asked ? `works for ${asked}` : "";
}

/** The size that a picture is drawn at: what the input declares, else its own. */
export function pictureSize(
  own: { readonly height: number; readonly width: number },
  declared: { readonly height: number; readonly width: number },
): { height: number; width: number } {
  return { height: declared.height || own.height, width: declared.width || own.width };
}
