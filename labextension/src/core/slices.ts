/** Slices of a small tensor whose elements are all there. */
import type { Question, ValueWindow } from "../protocol/messages";

const ROWS = 32;
const COLUMNS = 16;

/** Another slice of a small tensor, in a view that needs no more than its elements. */
export function sliced(
  stored: ValueWindow,
  numbers: readonly (number | string)[],
  { at = [], axes: asked = [], start = [] }: Extract<Question, { kind: "view" }>,
): ValueWindow {
  const { view, sizes } = stored;
  if (view !== "table" && view !== "heat" && view !== "line") return stored;
  const axes = asked.length === stored.axes.length ? asked : stored.axes;
  const place = sizes.map((size, i) => Math.max(0, Math.min(at[i] ?? 0, size - 1)));
  const strides = sizes.map((_, i) => sizes.slice(i + 1).reduce((all, size) => all * size, 1));
  const [rowAxis, columnAxis] = axes.length === 2 ? axes : [undefined, axes[0]];
  const sizeOf = (axis: number | undefined) => (axis === undefined ? 1 : (sizes[axis] ?? 1));
  const [height, width] = [sizeOf(rowAxis), sizeOf(columnAxis)];
  const whole = view !== "table";
  if (whole && (height > stored.rows * 4 || width > 256)) return stored;
  const [row = 0, column = 0] = axes.length === 2 ? start : [0, start[0]];
  const rows = whole ? height : Math.min(ROWS, height - row);
  const columns = whole ? width : Math.min(COLUMNS, width - column);
  const cells = Array.from({ length: rows * columns }, (_, i) => {
    const index = [...place];
    if (rowAxis !== undefined) index[rowAxis] = (whole ? 0 : row) + Math.floor(i / columns);
    if (columnAxis !== undefined) index[columnAxis] = (whole ? 0 : column) + (i % columns);
    return numbers[index.reduce((all, one, axis) => all + one * (strides[axis] ?? 1), 0)] ?? "nan";
  });
  const made = { ...stored, at: place, axes, rows, columns, every: [1, 1] };
  if (!whole) return { ...made, start: [row, column], texts: cells.map(String) };
  const finite = cells.filter((cell): cell is number => typeof cell === "number");
  const [low, high] = finite.length > 0 ? [Math.min(...finite), Math.max(...finite)] : [0, 0];
  const both = view === "line" ? { highs: cells } : {};
  return { ...made, numbers: cells, low, high, start: [0, 0], ...both };
}
