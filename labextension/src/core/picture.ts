/** Everything that is drawn, as data in absolute coordinates. The view only turns it into SVG. */
import type { BoxKind, Category, Mark, Severity } from "../protocol/scene";
import { type Arrangement, frameTitle, type LaidLevel } from "./arrange";
import { type Card, countText, type GroupContent, likenessText, type Measure } from "./card";
import {
  arrivingDown,
  boundsOf,
  joinCurves,
  leavingDown,
  moved,
  pathText,
  pointAlong,
  type Rect,
  type Sampled,
  sample,
  straightPiece,
} from "./curve";
import { edgeLabels, type LabelledFrame, Labelling, type PictureLabel } from "./edge_labels";
import type { FoldedEdge, Key } from "./fold";
import type { Point } from "./geometry";
import type { FrameItem, Item } from "./levels";
import { NOTHING_OBSERVED, type Observed } from "./observed";
import { finish, SOME, type Steps } from "./pace";
import { type PlanNode, STUB_HEIGHT, type StubText } from "./plan";
import { at, type Scene } from "./scene";

export interface PictureFrame extends Rect {
  readonly key: string;
  readonly title: string;
  /** The group that its header closes. */
  readonly group: number;
  /** Whether it holds more groups of its owner than that one, each in a frame of its own. */
  readonly several: boolean;
  readonly owner: number;
  readonly depth: number;
}

export interface PictureCard extends Rect {
  readonly key: string;
  readonly kind: BoxKind | "group";
  /** Of the box, or of the group for a collapsed one. */
  readonly index: number;
  readonly card: Card;
  readonly category: Category;
  readonly sign: Severity | undefined;
  /** Whether it lies around the group that is the whole view. */
  readonly outside: boolean;
}

export interface PictureWire extends Rect {
  readonly path: string;
  readonly curve: readonly Point[];
  /** Folded edges that run here. */
  readonly edges: readonly number[];
  /** The values that they carry. */
  readonly values: readonly string[];
  readonly mark: Mark;
  readonly arrow: boolean;
  readonly tooltip: string;
  /** Where the sign of an unknown or mismatching wire stands when no label shows it. */
  readonly sign: Point | undefined;
}

export interface PictureStub extends Rect {
  readonly text: string;
  readonly side: "source" | "target";
  /** The folded edge whose far end a click leads to. */
  readonly edges: readonly number[];
  readonly values: readonly string[];
}

export interface Picture extends Rect {
  readonly frames: readonly PictureFrame[];
  readonly cards: readonly PictureCard[];
  readonly wires: readonly PictureWire[];
  /** At their usual size, with what had been observed. */
  readonly labels: readonly PictureLabel[];
  readonly observed: Observed;
  /** Places the labels anew: larger ones, or with what has been observed. */
  readonly labelling: Labelling;
  readonly stubs: readonly PictureStub[];
  readonly folded: readonly FoldedEdge[];
  /** For each box of the scene the key of the card that stands for it. */
  readonly standIn: readonly Key[];
}

export function draw(
  scene: Scene,
  arrangement: Arrangement,
  contents: readonly GroupContent[],
  measure: Measure,
): Picture {
  return finish(drawSteps(scene, arrangement, contents, measure, NOTHING_OBSERVED));
}

export function drawSteps(
  scene: Scene,
  arrangement: Arrangement,
  contents: readonly GroupContent[],
  measure: Measure,
  observed: Observed,
): Steps<Picture> {
  return new Drawing(scene, arrangement, contents, measure).draw(observed);
}

interface DraftWire {
  readonly curve: Point[];
  readonly edges: readonly number[];
  readonly arrow: boolean;
}

const WORSE: Record<Mark, number> = { known: 0, unknown: 1, mismatch: 2 };

class Drawing {
  readonly #frames: PictureFrame[] = [];
  readonly #cards: PictureCard[] = [];
  readonly #stubs: PictureStub[] = [];
  readonly #drafts: DraftWire[] = [];
  readonly #folded: readonly FoldedEdge[];
  readonly #scene: Scene;
  readonly #arrangement: Arrangement;
  readonly #contents: readonly GroupContent[];
  readonly #measure: Measure;

  constructor(
    scene: Scene,
    arrangement: Arrangement,
    contents: readonly GroupContent[],
    measure: Measure,
  ) {
    this.#scene = scene;
    this.#arrangement = arrangement;
    this.#contents = contents;
    this.#measure = measure;
    this.#folded = arrangement.nesting.folding.edges;
  }

  *draw(observed: Observed): Steps<Picture> {
    const root = this.#arrangement.nesting.root;
    yield* this.#drawFrame(root, { x: 0, y: 0 }, 0);
    yield;
    const sampled: Sampled[] = [];
    for (const [i, { curve }] of this.#drafts.entries()) {
      if (i % SOME === 0) yield;
      sampled.push(sample(curve));
    }
    const labelling = new Labelling(
      this.#scene,
      this.#folded,
      this.#drafts,
      sampled,
      {
        boxes: [...this.#cards, ...this.#stubs],
        frames: this.#frames.map((frame) => this.#withCounts(frame)),
      },
      this.#measure,
    );
    yield;
    const { labels, signed } = yield* labelling.placeSteps(1, observed);
    const wires: PictureWire[] = [];
    for (const [i, draft] of this.#drafts.entries()) {
      if (i % SOME === 0) yield;
      wires.push(this.#wire(draft, signed.has(i)));
    }
    const bounds = hullOf([this.#frames, this.#cards, this.#stubs, labels]);
    return {
      ...bounds,
      frames: this.#frames,
      cards: this.#cards,
      wires,
      labels,
      observed,
      labelling,
      stubs: this.#stubs,
      folded: this.#folded,
      standIn: this.#arrangement.nesting.folding.standIn,
    };
  }

  /** What its header tells beside its title. */
  #withCounts(frame: PictureFrame): LabelledFrame {
    const content = at(this.#contents, frame.group);
    const [likeness, nodes] = frame.several
      ? ["", ""]
      : [likenessText(content), countText(content)];
    const { x, y, width, height, title } = frame;
    return { x, y, width, height, title, likeness, nodes };
  }

  *#drawFrame(frame: FrameItem, corner: Point, depth: number): Steps<void> {
    const laid = this.#arrangement.levels.get(frame);
    if (!laid) return;
    yield;
    const { size, plan, geometry, left, top } = laid;
    if (depth > 0)
      this.#frames.push({
        ...corner,
        width: size.width,
        height: size.height,
        key: frame.key,
        title: frameTitle(this.#scene, frame),
        group: frame.groups[0] ?? 0,
        several: frame.groups.length > 1,
        owner: frame.owner,
        depth,
      });
    const dx = corner.x + left;
    const dy = corner.y + top;
    for (const [i, node] of plan.nodes.entries()) {
      const { x, y } = at(geometry.nodes, i);
      const centre = { x: x + dx, y: y + dy };
      if (node.kind === "stub") this.#drawStub(node.stub, node.side, centre);
      else if (node.kind === "item")
        if (node.item.kind !== "frame") this.#drawCard(node.item, centre);
        else {
          const { width, height } = at(plan.graph.nodes, i);
          const inner = { x: centre.x - width / 2, y: centre.y - height / 2 };
          yield* this.#drawFrame(node.item, inner, depth + 1);
        }
    }
    for (const [i, { edges, arrow }] of plan.arcs.entries()) {
      if (i % SOME === 0) yield;
      if (edges.length === 0) continue;
      const curve = moved(at(geometry.arcs, i), dx, dy);
      this.#drafts.push({ curve: this.#toBorder(curve, laid, i, corner), edges, arrow });
    }
  }

  /**
   * Leads a curve that begins or ends at a port on through the frame's header or padding to its border. Inside and
   * outside meet there, laid out apart: both cross the border straight down, so that no wire bends at it.
   */
  #toBorder(curve: Point[], laid: LaidLevel, arc: number, corner: Point): Point[] {
    const { from, to } = at(laid.plan.graph.arcs, arc);
    let whole = curve;
    if (crossesBorder(at(laid.plan.nodes, from))) whole = leavingDown(whole);
    if (crossesBorder(at(laid.plan.nodes, to))) whole = arrivingDown(whole);
    const first = whole[0];
    if (first && at(laid.plan.nodes, from).kind === "in")
      whole = joinCurves(straightPiece({ x: first.x, y: corner.y }, first), whole);
    const last = whole.at(-1);
    if (last && at(laid.plan.nodes, to).kind === "out")
      whole = joinCurves(whole, straightPiece(last, { x: last.x, y: corner.y + laid.size.height }));
    return whole;
  }

  #drawStub({ text, edges, width }: StubText, side: PictureStub["side"], centre: Point): void {
    this.#stubs.push({
      x: centre.x - width / 2,
      y: centre.y - STUB_HEIGHT / 2,
      width,
      height: STUB_HEIGHT,
      text,
      side,
      edges,
      values: this.#valuesOf(edges),
    });
  }

  #drawCard(item: Exclude<Item, FrameItem>, centre: Point): void {
    const card = this.#arrangement.cards.get(item);
    if (!card) return;
    const rect = {
      x: centre.x - card.width / 2,
      y: centre.y - card.height / 2,
      width: card.width,
      height: card.height,
    };
    const outside = this.#arrangement.nesting.outside.has(item.key);
    if (item.kind === "box") {
      const box = at(this.#scene.boxes, item.box);
      this.#cards.push({
        ...rect,
        key: item.key,
        kind: box.kind,
        index: item.box,
        card,
        category: box.category,
        sign: worstSeverity(box.problems.map(([severity]) => severity)),
        outside,
      });
    } else {
      const content = at(this.#contents, item.group);
      const sign = content.errors > 0 ? "error" : content.warnings > 0 ? "warning" : undefined;
      this.#cards.push({
        ...rect,
        key: item.key,
        kind: "group",
        index: item.group,
        card,
        category: "other",
        sign,
        outside,
      });
    }
  }

  #wire({ curve, edges, arrow }: DraftWire, labelled: boolean): PictureWire {
    const folded = edges.map((i) => at(this.#folded, i));
    let mark: Mark = "known";
    for (const edge of folded) if (WORSE[edge.mark] > WORSE[mark]) mark = edge.mark;
    return new Wire({
      scene: this.#scene,
      folded,
      curve,
      edges,
      values: this.#valuesOf(edges),
      mark,
      arrow,
      sign: mark === "known" || labelled ? undefined : pointAlong(sample(curve), 0.5),
    });
  }

  #valuesOf(edges: readonly number[]): readonly string[] {
    const [only, ...more] = edges;
    if (only !== undefined && more.length === 0) return at(this.#folded, only).values;
    return [...new Set(edges.flatMap((i) => at(this.#folded, i).values))];
  }
}

interface WireFacts extends Omit<PictureWire, keyof Rect | "path" | "tooltip"> {
  readonly scene: Scene;
  readonly folded: readonly FoldedEdge[];
}

/** A wire of the picture: its path is written when it is drawn, its words when the pointer is there. */
class Wire implements PictureWire {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly #facts: WireFacts;
  #path: string | undefined;

  constructor(facts: WireFacts) {
    const { x, y, width, height } = boundsOf(facts.curve, 6);
    this.x = x;
    this.y = y;
    this.width = width;
    this.height = height;
    this.#facts = facts;
  }

  get curve(): readonly Point[] {
    return this.#facts.curve;
  }

  get edges(): readonly number[] {
    return this.#facts.edges;
  }

  get values(): readonly string[] {
    return this.#facts.values;
  }

  get mark(): Mark {
    return this.#facts.mark;
  }

  get arrow(): boolean {
    return this.#facts.arrow;
  }

  get sign(): Point | undefined {
    return this.#facts.sign;
  }

  get path(): string {
    this.#path ??= pathText(this.curve);
    return this.#path;
  }

  get tooltip(): string {
    const { scene, folded } = this.#facts;
    const labels = folded.flatMap((edge) => edgeLabels(scene, edge));
    return [...new Set(labels.map(({ tooltip }) => tooltip()))].slice(0, 8).join("\n");
  }
}

/** The smallest rectangle around all of these. */
function hullOf(lists: readonly (readonly Rect[])[]): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const list of lists)
    for (const { x, y, width, height } of list) {
      left = Math.min(left, x);
      top = Math.min(top, y);
      right = Math.max(right, x + width);
      bottom = Math.max(bottom, y + height);
    }
  if (left > right) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Whether an arc goes on behind this end: at a port of its own level or at one of a frame. */
function crossesBorder(node: PlanNode): boolean {
  return node.kind === "item" ? node.item.kind === "frame" : node.kind !== "stub";
}

function worstSeverity(severities: readonly Severity[]): Severity | undefined {
  return severities.includes("error") ? "error" : severities[0];
}
