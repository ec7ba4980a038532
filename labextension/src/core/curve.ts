/** Chains of cubic Béziers: the paths that wires take. */
import type { Point } from "./geometry";

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** The path as SVG writes it. A straight lead runs from `lead` to the curve and from the curve to `trail`. */
export function pathText(curve: readonly Point[]): string {
  const [first, ...rest] = curve;
  if (!first) return "";
  let text = `M${round(first.x)},${round(first.y)}`;
  for (let i = 0; i + 2 < rest.length; i += 3) {
    const points = rest.slice(i, i + 3).map(({ x, y }) => `${round(x)},${round(y)}`);
    text += `C${points.join(" ")}`;
  }
  return text;
}

/** A straight piece as a Bézier, to be put before or behind a curve. */
export function straightPiece(from: Point, to: Point): Point[] {
  const part = (t: number): Point => ({
    x: from.x + (to.x - from.x) * t,
    y: from.y + (to.y - from.y) * t,
  });
  return [from, part(1 / 3), part(2 / 3), to];
}

/** The same curve, leaving its first point straight down. */
export function leavingDown(curve: readonly Point[]): Point[] {
  const [first, control, ...rest] = curve;
  const next = rest[1];
  if (!first || !control || !next || next.y <= first.y) return [...curve];
  const reach = Math.max(control.y - first.y, (next.y - first.y) * 0.4);
  return [first, { x: first.x, y: first.y + reach }, ...rest];
}

/** The same curve, meeting its last point straight from above. */
export function arrivingDown(curve: readonly Point[]): Point[] {
  const flipped = curve.map(({ x, y }) => ({ x, y: -y })).reverse();
  return leavingDown(flipped)
    .map(({ x, y }) => ({ x, y: -y }))
    .reverse();
}

export function joinCurves(a: readonly Point[], b: readonly Point[]): Point[] {
  return [...a, ...b.slice(1)];
}

export function moved(curve: readonly Point[], dx: number, dy: number): Point[] {
  return curve.map(({ x, y }) => ({ x: x + dx, y: y + dy }));
}

/** Points along the curve with the length up to each. */
export interface Sampled {
  readonly points: readonly Point[];
  readonly lengths: readonly number[];
}

export function sample(curve: readonly Point[], steps = 8): Sampled {
  const points: Point[] = [];
  const lengths: number[] = [];
  let length = 0;
  const push = (point: Point) => {
    const last = points.at(-1);
    if (last) {
      // Many times faster than Math.hypot, and there are very many points.
      const [dx, dy] = [point.x - last.x, point.y - last.y];
      length += Math.sqrt(dx * dx + dy * dy);
    }
    points.push(point);
    lengths.push(length);
  };
  const [first] = curve;
  if (first) push(first);
  for (let i = 0; i + 3 < curve.length; i += 3) {
    const [a, b, c, d] = curve.slice(i, i + 4);
    if (!a || !b || !c || !d) break;
    for (let step = 1; step <= steps; step++) push(bezier(a, b, c, d, step / steps));
  }
  return { points, lengths };
}

function bezier(a: Point, b: Point, c: Point, d: Point, t: number): Point {
  const s = 1 - t;
  const [wa, wb, wc, wd] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
  return {
    x: wa * a.x + wb * b.x + wc * c.x + wd * d.x,
    y: wa * a.y + wb * b.y + wc * c.y + wd * d.y,
  };
}

/** The point after a fraction of the curve's length. */
export function pointAlong({ points, lengths }: Sampled, fraction: number): Point {
  const total = lengths.at(-1) ?? 0;
  const wanted = total * fraction;
  const next = lengths.findIndex((length) => length >= wanted);
  const b = points[Math.max(0, next)] ?? { x: 0, y: 0 };
  const a = points[next - 1];
  if (!a) return b;
  const before = lengths[next - 1] ?? 0;
  const t = (wanted - before) / Math.max(1e-9, (lengths[next] ?? 0) - before);
  return { x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t };
}

export function boundsOf(points: readonly Point[], margin = 0): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return {
    x: left - margin,
    y: top - margin,
    width: right - left + 2 * margin,
    height: bottom - top + 2 * margin,
  };
}

export function overlaps(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
