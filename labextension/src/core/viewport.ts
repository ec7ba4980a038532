/** Which part of the picture the screen shows, and what is worth drawing there. */
import { overlaps, type Rect } from "./curve";
import { labelScale } from "./labels";

/** Screen position of a world point p: `p * k + (x, y)`. */
export interface Zoom {
  readonly k: number;
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const ZOOM_RANGE: readonly [number, number] = [0.01, 4];

export function visibleWorld(zoom: Zoom, screen: Size, margin = 0): Rect {
  const spareX = screen.width * margin;
  const spareY = screen.height * margin;
  return {
    x: (-zoom.x - spareX) / zoom.k,
    y: (-zoom.y - spareY) / zoom.k,
    width: (screen.width + 2 * spareX) / zoom.k,
    height: (screen.height + 2 * spareY) / zoom.k,
  };
}

export function contains(outer: Rect, inner: Rect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

export function indicesIn(rects: readonly Rect[], view: Rect): number[] {
  const found: number[] = [];
  rects.forEach((rect, i) => {
    if (overlaps(rect, view)) found.push(i);
  });
  return found;
}

const EDGE = 28;

export function wholeView(world: Rect, screen: Size, largest = 1.25): Zoom {
  const k = clamp(
    Math.min(
      (screen.width - 2 * EDGE) / Math.max(1, world.width),
      (screen.height - 2 * EDGE) / Math.max(1, world.height),
    ),
    ZOOM_RANGE[0],
    largest,
  );
  return {
    k,
    x: screen.width / 2 - (world.x + world.width / 2) * k,
    y: screen.height / 2 - (world.y + world.height / 2) * k,
  };
}

/** Below this zoom names are hard to read; a first view that would be smaller shows the beginning instead. */
export const READABLE = 0.62;

/** The first view: the whole where it can be read, else its top, from which a person reads on. */
export function firstView(world: Rect, start: Rect | undefined, screen: Size): Zoom {
  const whole = wholeView(world, screen);
  if (whole.k >= READABLE) return whole;
  const across = (screen.width - 2 * EDGE) / Math.max(1, world.width);
  const k = clamp(across, READABLE + 0.18, 1);
  const centre = start ? start.x + start.width / 2 : world.x + world.width / 2;
  const middle = world.width * k <= screen.width ? world.x + world.width / 2 : centre;
  return { k, x: screen.width / 2 - middle * k, y: EDGE - world.y * k };
}

/** The zoom that shows a rectangle in the middle of the screen, at a size that can be read. */
export function centreOn(rect: Rect, zoom: Zoom, screen: Size): Zoom {
  const k = clamp(zoom.k, READABLE + 0.1, 1.6);
  return {
    k,
    x: screen.width / 2 - (rect.x + rect.width / 2) * k,
    y: screen.height / 2 - (rect.y + rect.height / 2) * k,
  };
}

/** The same zoom moved so that the screen is filled with the world, or holds all of it where that is smaller. */
export function filledWith(world: Rect, { k, x, y }: Zoom, screen: Size): Zoom {
  const along = (at: number, from: number, size: number, room: number) => {
    const [first, last] = [EDGE - from * k, room - EDGE - (from + size) * k];
    return clamp(at, Math.min(first, last), Math.max(first, last));
  };
  return {
    k,
    x: along(x, world.x, world.width, screen.width),
    y: along(y, world.y, world.height, screen.height),
  };
}

/** The zoom that shows a part of the world whole. */
export function zoomOn(world: Rect, screen: Size): Zoom {
  const k = clamp(
    Math.min(screen.width / Math.max(1, world.width), screen.height / Math.max(1, world.height)),
    ZOOM_RANGE[0],
    ZOOM_RANGE[1],
  );
  return {
    k,
    x: screen.width / 2 - (world.x + world.width / 2) * k,
    y: screen.height / 2 - (world.y + world.height / 2) * k,
  };
}

/** Keeps what is in the middle of the screen there while the screen changes its size. */
export function holdCentre(zoom: Zoom, before: Size, after: Size): Zoom {
  return {
    k: zoom.k,
    x: zoom.x + (after.width - before.width) / 2,
    y: zoom.y + (after.height - before.height) / 2,
  };
}

/** Keeps a world point where it is on the screen while the picture around it changes. */
export function holdPoint(
  before: { x: number; y: number },
  after: { x: number; y: number },
  zoom: Zoom,
): Zoom {
  return {
    k: zoom.k,
    x: zoom.x + (before.x - after.x) * zoom.k,
    y: zoom.y + (before.y - after.y) * zoom.k,
  };
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** What can be told apart at a zoom. */
export interface Detail {
  /** One silhouette for all boxes instead of an element each. */
  readonly silhouettes: boolean;
  readonly titles: boolean;
  readonly texts: boolean;
  /** How much larger than at zoom 1 labels are drawn; none: no label can be read. */
  readonly labels: number | undefined;
  readonly arrows: boolean;
}

/** More boxes than this on the screen are drawn as one silhouette once their texts cannot be read. */
export const MOST_ELEMENTS = 700;

export function detailAt(k: number, cardsInView: number): Detail {
  return {
    silhouettes: k < 0.3 && cardsInView > MOST_ELEMENTS,
    titles: k >= 0.3,
    texts: k >= 0.5,
    labels: labelScale(k),
    arrows: k >= 0.2,
  };
}
