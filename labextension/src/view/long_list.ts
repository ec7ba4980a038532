/** Long lists, of which no more is made than a person looks at. */
import { html } from "./dom";

/** So many items stand there at once; the others come in pieces as large when they are scrolled to. */
const PIECE = 60;

/** Pixels of an item that is not there yet, or a little less. */
const ITEM = 40;

export function pieces<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / PIECE);
  return Array.from({ length: count }, (_, i) => items.slice(i * PIECE, (i + 1) * PIECE));
}

/** The elements of the first items, and one for each later piece, which fills itself when it is seen. */
export function longList<T>(
  items: readonly T[],
  make: (item: T) => HTMLElement | undefined,
): (HTMLElement | undefined)[] {
  const [first = [], ...later] = pieces(items);
  const made = (piece: readonly T[]) => piece.map(make).filter((one) => one !== undefined);
  return [
    ...first.map(make),
    ...later.map((piece) => laterPiece(piece.length, (element) => element.append(...made(piece)))),
  ];
}

/** Room for so many items, that is filled when it is first seen. */
export function laterPiece(items: number, fill: (element: HTMLElement) => void): HTMLElement {
  const element = html("div", { class: "ox-later", style: `min-height:${items * ITEM}px` });
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    element.style.minHeight = "";
    fill(element);
  });
  observer.observe(element);
  return element;
}
