/** Watched expressions: the name of a value as they write it, and the curve of what one came to. */
import { at, type Scene } from "./scene";
import type { Selection } from "./selection";

const WORD = /^[A-Za-z_]\w*$/;

/** The selected value, or a node's first output, as an expression calls it; "" where there is none. */
export function watchName(scene: Scene, selection: Selection): string {
  let value = "";
  let box = -1;
  if (selection.kind === "value") {
    value = selection.value;
    const edge = scene.edgesOfValue.get(value)?.[0];
    box = edge === undefined ? -1 : at(scene.edges, edge).source;
  } else if (selection.kind === "box") {
    box = selection.box;
    value = at(scene.boxes, box).outputs[0]?.[1] ?? at(scene.boxes, box).inputs[0]?.[1] ?? "";
  }
  const name = box < 0 ? value : value.slice(pathOf(scene, box, value).length);
  return name === "" || WORD.test(name) ? name : JSON.stringify(name);
}

/** The path of the body that a box lies in, which an expression leaves out. */
function pathOf(scene: Scene, box: number, value: string): string {
  for (let g = at(scene.boxes, box).group; g > 0; g = at(scene.groups, g).parent) {
    const { owner, label } = at(scene.groups, g);
    if (owner < 0) continue;
    const path = `${at(scene.boxes, owner).id}/${label}/`;
    return value.startsWith(path) ? path : "";
  }
  return "";
}

export interface Spark {
  /** A path for each run of numbers. */
  readonly lines: readonly string[];
  /** Where there is no number. */
  readonly gaps: readonly number[];
  /** The last point, if it is a number. */
  readonly end: readonly [x: number, y: number] | undefined;
}

/** A curve in a field of this size; equal numbers lie in its middle. */
export function spark(points: readonly (number | string)[], width: number, height: number): Spark {
  const numbers = points.map(Number);
  const finite = numbers.filter(Number.isFinite);
  const low = Math.min(...finite);
  const high = Math.max(...finite);
  const x = (i: number) => (points.length < 2 ? width : (width * i) / (points.length - 1));
  const y = (n: number) => (high > low ? height - (height * (n - low)) / (high - low) : height / 2);
  const lines: string[] = [];
  const gaps: number[] = [];
  let line = "";
  numbers.forEach((number, i) => {
    if (!Number.isFinite(number)) {
      gaps.push(x(i));
      if (line) lines.push(line);
      line = "";
    } else line += `${line ? "L" : "M"}${x(i).toFixed(1)} ${y(number).toFixed(1)}`;
  });
  if (line) lines.push(line);
  const last = numbers.at(-1);
  const end =
    last !== undefined && Number.isFinite(last)
      ? ([x(numbers.length - 1), y(last)] as const)
      : undefined;
  return { lines, gaps, end };
}
