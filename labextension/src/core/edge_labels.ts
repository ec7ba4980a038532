/** The labels of edges: what they say, and where they stand on the routed wires. */
import type { Mark } from "../protocol/scene";
import { FAR_TITLE, FRAME_HEADER, type Measure } from "./card";
import { saysItsType } from "./constant_boxes";
import { overlaps, type Rect, type Sampled } from "./curve";
import type { FoldedEdge } from "./fold";
import type { Point } from "./geometry";
import { Grid, labelLines, labelSize, Occupied, Passages, placeLabel, WIDE_CELL } from "./labels";
import { MINIATURE_ROOM } from "./miniature";
import { besideObserved, NOTHING_OBSERVED, type Observed } from "./observed";
import { finish, SOME, type Steps } from "./pace";
import { at, type Edge, type Scene } from "./scene";

export interface PictureLabel extends Rect {
  /** Joined they are the whole type. */
  readonly lines: readonly string[];
  readonly value: string;
  readonly mark: Mark;
  readonly scale: number;
  readonly tooltip: string;
  /** The folded edges that it names. */
  readonly edges: readonly number[];
  /** Whether a run has shown what it says. */
  readonly observed: boolean;
  /** Whether the file alone knows the type. */
  readonly fromFile: boolean;
  /** Room at its end for the value in miniature, before it is scaled. */
  readonly room: number;
}

interface RoutedWire {
  readonly curve: readonly Point[];
  readonly edges: readonly number[];
}

/** A label and the wire that it belongs to. */
interface Wanted {
  readonly label: EdgeLabel;
  readonly edge: number;
  readonly wire: number;
  readonly sampled: Sampled;
}

export interface Placed {
  readonly labels: readonly PictureLabel[];
  /** The wires whose sign a label shows. */
  readonly signed: ReadonlySet<number>;
}

/** A frame, and what its header says: of how many groups like it, and of its nodes. */
export interface LabelledFrame extends Rect {
  readonly title: string;
  readonly likeness: string;
  readonly nodes: string;
}

/** What labels may not hide. */
interface Around {
  readonly boxes: readonly Rect[];
  readonly frames: readonly LabelledFrame[];
}

/** What is around the number of groups in a header, and behind that of nodes. */
const AROUND_LIKENESS = 20;
const BEHIND_NODES = 30;

/** So far a label also names edges of its value that run beside it. */
const ASIDE = { x: 80, y: 60 } as const;

/** A label that has found its place. */
class PlacedLabel implements PictureLabel {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
  readonly value: string;
  readonly mark: Mark;
  readonly observed: boolean;
  readonly fromFile: boolean;
  readonly scale: number;
  readonly room: number;
  readonly edges: number[];
  /** Labels that say the same have the same. */
  readonly name: string;
  readonly #label: EdgeLabel;

  constructor(
    label: EdgeLabel,
    { x, y, width, height }: Rect,
    { name, lines, scale, room }: Pick<PlacedLabel, "name" | "lines" | "scale" | "room">,
  ) {
    this.x = x;
    this.y = y;
    this.width = width;
    this.height = height;
    this.lines = lines;
    this.value = label.value;
    this.mark = label.mark;
    this.observed = label.observed;
    this.fromFile = label.fromFile;
    this.scale = scale;
    this.room = room;
    this.edges = [];
    this.name = name;
    this.#label = label;
  }

  get tooltip(): string {
    return this.#label.tooltip();
  }

  /** What lies here also names edges of its value. */
  get around(): Rect {
    const [dx, dy] = [ASIDE.x * this.scale, ASIDE.y * this.scale];
    const { x, y, width, height } = this;
    return { x: x - dx, y: y - dy, width: width + 2 * dx, height: height + 2 * dy };
  }
}

/** Places the labels of one picture, at any scale. */
export class Labelling {
  readonly #scene: Scene;
  readonly #folded: readonly FoldedEdge[];
  readonly #around: Around;
  readonly #measure: Measure;
  /** Each edge is labelled once, on the longest piece of its way. */
  readonly #homes: readonly { readonly edge: number; readonly wire: number }[];
  readonly #sampled: readonly Sampled[];
  readonly #wires: readonly RoutedWire[];
  #passages: Passages | undefined;

  constructor(
    scene: Scene,
    folded: readonly FoldedEdge[],
    wires: readonly RoutedWire[],
    sampled: readonly Sampled[],
    around: Around,
    measure: Measure,
  ) {
    this.#scene = scene;
    this.#folded = folded;
    this.#around = around;
    this.#measure = measure;
    this.#sampled = sampled;
    this.#wires = wires;
    const longest = new Map<number, { wire: number; length: number }>();
    wires.forEach(({ edges }, wire) => {
      const length = at(this.#sampled, wire).lengths.at(-1) ?? 0;
      for (const edge of edges)
        if (length > (longest.get(edge)?.length ?? -1)) longest.set(edge, { wire, length });
    });
    this.#homes = [...longest].map(([edge, { wire }]) => ({ edge, wire }));
  }

  /** Labels that find no room are left out. */
  place(scale: number, observed: Observed): Placed {
    return finish(this.placeSteps(scale, observed));
  }

  *placeSteps(scale: number, observed: Observed): Steps<Placed> {
    const taken = this.#obstacles(scale > 1);
    const borders = this.#borders();
    this.#passages ??= yield* this.#passageSteps();
    const passages = this.#passages;
    const isFree = (rect: Rect) => taken.isFree(rect);
    const isInside = (rect: Rect) => borders.isFree(rect);
    const named = new Grid<PlacedLabel>(WIDE_CELL);
    const labels: PlacedLabel[] = [];
    const signed = new Set<number>();
    let done = 0;
    for (const wanted of this.#wanted(observed)) {
      if (++done % SOME === 0) yield;
      const { label, edge, wire, sampled } = wanted;
      const { text, value, mark, observed: seen } = label;
      const room = seen && !label.joined ? MINIATURE_ROOM : 0;
      const own = labelSize(text, mark, this.#measure);
      const size = { width: (own.width + room) * scale, height: own.height * scale };
      const isAlone = (rect: Rect) =>
        isInside(rect) && passages.isFree(rect, (one) => one === wire || this.#carries(one, value));
      const rect = placeLabel(sampled, size, isFree, isAlone, isInside);
      if (!rect) continue;
      const name = `${value} ${text}`;
      const isBeside = (other: PlacedLabel) => other.name === name && overlaps(other.around, rect);
      const beside = mark === "known" ? named.find(rect, isBeside) : undefined;
      if (beside) {
        beside.edges.push(edge);
        continue;
      }
      taken.add(rect);
      if (mark !== "known" && scale === 1) signed.add(wire);
      const lines = labelLines(text, this.#measure);
      const placed = new PlacedLabel(label, rect, { name, lines, scale, room });
      placed.edges.push(edge);
      labels.push(placed);
      named.put(placed.around, placed);
    }
    return { labels, signed };
  }

  *#passageSteps(): Steps<Passages> {
    const passages = new Passages();
    for (const [wire, sampled] of this.#sampled.entries()) {
      if (wire % SOME === 0) yield;
      passages.add(wire, sampled);
    }
    return passages;
  }

  #carries(wire: number, value: string): boolean {
    const { edges } = at(this.#wires, wire);
    return edges.some((edge) => at(this.#folded, edge).values.includes(value));
  }

  /** Boxes, and the titles of frames, which grow too when labels do. */
  #obstacles(far: boolean): Occupied {
    const taken = new Occupied();
    for (const rect of this.#around.boxes) taken.add(rect);
    for (const { x, y, width, title, likeness, nodes } of this.#around.frames) {
      const height = FRAME_HEADER;
      const written = this.#measure(title, "frame") * (far ? FAR_TITLE : 1) + 34;
      // Far away the title stands there alone.
      const beside =
        far || likeness === "" ? 0 : this.#measure(likeness, "detail") + AROUND_LIKENESS;
      taken.add({ x, y, width: Math.min(width, written + beside), height });
      if (far) continue;
      const counted = this.#measure(nodes, "name");
      taken.add({ x: x + width - BEHIND_NODES - counted, y, width: counted, height });
    }
    return taken;
  }

  /** Of frames: a label that lies across one seems to belong to neither side. */
  #borders(): Occupied {
    const borders = new Occupied();
    for (const { x, y, width, height } of this.#around.frames) {
      borders.add({ x: x - 1, y, width: 2, height });
      borders.add({ x: x + width - 1, y, width: 2, height });
      borders.add({ x, y: y + height - 1, width, height: 2 });
    }
    return borders;
  }

  *#wanted(observed: Observed): Generator<Wanted> {
    const done = new Set<string>();
    for (const { edge, wire } of this.#homes) {
      // A constant says its type itself; only a sign stands at its edges.
      if (saysItsType(this.#scene, at(this.#folded, edge))) continue;
      for (const label of edgeLabels(this.#scene, at(this.#folded, edge), observed)) {
        const name = `${wire} ${label.value} ${label.text}`;
        if (done.has(name)) continue;
        done.add(name);
        yield { label, edge, wire, sampled: at(this.#sampled, wire) };
      }
    }
  }
}

export interface EdgeLabel {
  readonly text: string;
  readonly value: string;
  readonly mark: Mark;
  /** Written when the pointer asks for it. */
  readonly tooltip: () => string;
  readonly observed: boolean;
  /** Whether the file alone knows the type. */
  readonly fromFile: boolean;
  /** Whether it stands for several values. */
  readonly joined: boolean;
}

/** How many values a joined edge names one by one. */
const MOST_NAMED = 3;

/** The labels of a folded edge: one a value while they are few, else their count. */
export function edgeLabels(
  scene: Scene,
  folded: FoldedEdge,
  observed: Observed = NOTHING_OBSERVED,
): EdgeLabel[] {
  const { values } = folded;
  const first = new Map<string, Edge>();
  for (const i of folded.edges) {
    const edge = at(scene.edges, i);
    if (!first.has(edge.value)) first.set(edge.value, edge);
  }
  const labels = [...first].map(([value, { label, mark, note, declared, fromFile }]): EdgeLabel => {
    const seen = observed.get(value);
    const short = scene.shorten(label);
    return {
      text: seen === undefined ? short : besideObserved(short, seen),
      value,
      mark,
      tooltip: () =>
        [
          `${value}: ${label}`,
          ...(fromFile ? ["declared in the file"] : []),
          ...(declared ? [`declared: ${declared}`] : []),
          ...(seen === undefined ? [] : [`observed: ${seen}`]),
          ...(note ? [note] : []),
        ].join("\n"),
      observed: seen !== undefined,
      fromFile,
      joined: false,
    };
  });
  if (labels.length <= MOST_NAMED) return labels;
  const text = folded.label
    ? `${values.length} × ${scene.shorten(folded.label)}`
    : `${values.length} values`;
  const seen = labels.every((label) => label.observed);
  return [
    {
      text,
      value: values[0] ?? "",
      mark: folded.mark,
      tooltip: () => {
        const told = labels.slice(0, 8).map((label) => label.tooltip());
        return told.join("\n");
      },
      observed: seen,
      fromFile: false,
      joined: true,
    },
  ];
}
