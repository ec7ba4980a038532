/** Lays out all levels from the inside out. The engine is passed in, so that this runs in a page and in a test alike. */
import {
  boxCard,
  type Card,
  FRAME_PAD,
  fitEnds,
  frameInsets,
  frameTitleWidth,
  type GroupContent,
  groupCard,
  type Measure,
  titleOf,
} from "./card";
import { saysItsType } from "./constant_boxes";
import { RANK_GAP, writeDot } from "./dot";
import type { Key } from "./fold";
import type { Geometry, LayoutGraph } from "./geometry";
import { readGeometry } from "./graphviz";
import { LABEL_LINE, labelLines, labelSize } from "./labels";
import type { FrameItem, Item, Level, Nesting } from "./levels";
import { boxName, groupTitle } from "./naming";
import { Pace, SOME } from "./pace";
import { type ItemSize, type Plan, planLevel, type StubText } from "./plan";
import { betterOrders, type PortOrder } from "./ports";
import { CUT_LIMITS, type CutLimits } from "./ranks";
import { layoutInRows } from "./rows";
import { at, type Scene } from "./scene";

/** Lays out DOT text and answers Graphviz's json0. */
export type LayoutText = (dot: string, signal?: AbortSignal) => Promise<string>;

export interface LaidLevel {
  readonly level: Level;
  readonly plan: Plan;
  readonly geometry: Geometry;
  readonly size: ItemSize;
  /** Where the content lies inside the frame. */
  readonly left: number;
  readonly top: number;
}

export interface Arrangement {
  readonly nesting: Nesting;
  readonly levels: ReadonlyMap<FrameItem, LaidLevel>;
  readonly cards: ReadonlyMap<Item, Card>;
  /** What could not be laid out as it should. */
  readonly warnings: readonly string[];
}

/** Laid-out interiors by their DOT text, and cards: what did not change is not made again. */
export class LayoutCache {
  readonly #known = new Map<string, Geometry>();
  readonly #cards = new WeakMap<Scene, Map<Key, Card>>();
  readonly #most: number;

  constructor(most = 500) {
    this.#most = most;
  }

  card(scene: Scene, key: Key, make: () => Card): Card {
    const cards = this.#cards.get(scene) ?? new Map<Key, Card>();
    this.#cards.set(scene, cards);
    const card = cards.get(key) ?? make();
    cards.set(key, card);
    return card;
  }

  get(dot: string): Geometry | undefined {
    const geometry = this.#known.get(dot);
    if (geometry) {
      this.#known.delete(dot);
      this.#known.set(dot, geometry);
    }
    return geometry;
  }

  set(dot: string, geometry: Geometry): void {
    this.#known.set(dot, geometry);
    if (this.#known.size <= this.#most) return;
    const oldest = this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

const NO_PLAN: Plan = { graph: { nodes: [], arcs: [] }, nodes: [], arcs: [] };
const NO_GEOMETRY: Geometry = { width: 0, height: 0, nodes: [], arcs: [] };

/** What is tried in turn when the engine gives up on a level: fewer long arcs make it easier. */
const ATTEMPTS: readonly CutLimits[] = [CUT_LIMITS, { ...CUT_LIMITS, span: 5, allowance: 0 }];

/** Levels this large start with the stricter cut: long arcs decide the engine's time. */
const LARGE_LEVEL = 300;

export interface Surroundings {
  readonly scene: Scene;
  readonly contents: readonly GroupContent[];
  readonly expanded: ReadonlySet<number>;
  readonly measure: Measure;
  readonly layout: LayoutText;
  readonly cache: LayoutCache;
  /** Ends it: it rejects then. */
  readonly signal?: AbortSignal;
  /** Told of each level that has been laid out. */
  readonly laid?: () => void;
}

export async function arrange(nesting: Nesting, around: Surroundings): Promise<Arrangement> {
  return new Arranger(nesting, around).arrange();
}

class Arranger {
  readonly #nesting: Nesting;
  readonly #around: Surroundings;
  readonly #levels = new Map<FrameItem, LaidLevel>();
  readonly #cards = new Map<Item, Card>();
  readonly #warnings = new Set<string>();
  readonly #labelRoom: Map<Key, number>;
  readonly #pace = new Pace();
  #orders: ReadonlyMap<FrameItem, PortOrder> = new Map();

  constructor(nesting: Nesting, around: Surroundings) {
    this.#nesting = nesting;
    this.#around = around;
    this.#labelRoom = labelRooms(nesting, around);
  }

  async arrange(): Promise<Arrangement> {
    await this.#layFrame(this.#nesting.root);
    await this.#pace.rest();
    // Interiors were laid out without knowing their surroundings; where ports lie crosswise, once more.
    this.#orders = betterOrders(this.#levels);
    if (this.#orders.size > 0) await this.#layFrame(this.#nesting.root, this.#reordered());
    return {
      nesting: this.#nesting,
      levels: this.#levels,
      cards: this.#cards,
      warnings: [...this.#warnings],
    };
  }

  /** The frames in which something stands in another order, and those around them. */
  #reordered(): Set<FrameItem> {
    const found = new Set<FrameItem>();
    const look = (frame: FrameItem): boolean => {
      const inside = frame.children.map((child) => child.kind === "frame" && look(child));
      const is = this.#orders.has(frame) || inside.includes(true);
      if (is) found.add(frame);
      return is;
    };
    look(this.#nesting.root);
    return found;
  }

  async #layFrame(frame: FrameItem, only?: ReadonlySet<FrameItem>): Promise<void> {
    if (only && !only.has(frame)) return;
    const inner = frame.children.filter((child) => child.kind === "frame");
    await Promise.all(inner.map((child) => this.#layFrame(child, only)));
    const level = this.#nesting.levels.get(frame);
    if (!level) throw new RangeError(`frame ${frame.key} has no level`);
    await this.#makeCards(frame);
    this.#around.signal?.throwIfAborted();
    const { plan, geometry } = await this.#layLevel(level);
    this.#around.laid?.();
    const title = frameTitleWidth(frameTitle(this.#around.scene, frame), this.#around.measure);
    const width = Math.ceil(Math.max(geometry.width + 2 * FRAME_PAD, title));
    const left = (width - geometry.width) / 2;
    const { top, bottom } = frameInsets(level.ins.length > 0, level.outs.length > 0);
    const height = Math.ceil(top + geometry.height + bottom);
    const ports = (kind: "in" | "out") =>
      new Map(
        plan.nodes.flatMap((node, i) =>
          node.kind === kind ? [[node.wire, left + at(geometry.nodes, i).x] as const] : [],
        ),
      );
    const size = { width, height, ins: ports("in"), outs: ports("out") };
    this.#levels.set(frame, { level, plan, geometry, size, left, top });
  }

  /** What the plan asks for, in pieces: one level may have thousands. */
  async #makeCards({ children }: FrameItem): Promise<void> {
    await this.#pace.rest();
    for (const [i, child] of children.entries()) {
      if (i % SOME === SOME - 1) await this.#pace.rest();
      if (child.kind !== "frame") this.#card(child);
    }
  }

  async #layLevel(level: Level): Promise<{ plan: Plan; geometry: Geometry }> {
    const planner = { sizeOf: this.#sizeOf, stubText: this.#stubText };
    const attempts = level.frame.children.length > LARGE_LEVEL ? ATTEMPTS.slice(1) : ATTEMPTS;
    const gap = rankGap(level, this.#nesting, this.#around);
    const order = this.#orders.get(level.frame);
    let plan: Plan = NO_PLAN;
    let failure = "";
    for (const limits of attempts) {
      plan = planLevel(level, planner, limits, order);
      if (plan.nodes.length === 0) return { plan, geometry: NO_GEOMETRY };
      try {
        return { plan, geometry: await this.#ask({ ...plan.graph, rankGap: gap }) };
      } catch (error) {
        this.#around.signal?.throwIfAborted();
        failure = error instanceof Error ? error.message : String(error);
      }
    }
    const title = frameTitle(this.#around.scene, level.frame);
    this.#warnings.add(`'${title}' is drawn in plain rows, because the layout failed: ${failure}`);
    return { plan, geometry: layoutInRows(plan.graph) };
  }

  async #ask(graph: LayoutGraph): Promise<Geometry> {
    const { cache, layout, signal } = this.#around;
    const dot = writeDot(graph);
    const known = cache.get(dot);
    if (known) return known;
    const geometry = readGeometry(await layout(dot, signal), graph);
    cache.set(dot, geometry);
    return geometry;
  }

  readonly #sizeOf = (item: Item): ItemSize => {
    if (item.kind === "frame") {
      const laid = this.#levels.get(item);
      if (!laid) throw new RangeError(`frame ${item.key} is not laid out yet`);
      return laid.size;
    }
    const { width, height } = this.#card(item);
    // A column as wide as its labels keeps neighbouring labels apart without putting them into the layout.
    return { width: Math.max(width, this.#labelRoom.get(item.key) ?? 0), height };
  };

  #card(item: Exclude<Item, FrameItem>): Card {
    const known = this.#cards.get(item);
    if (known) return known;
    const { scene, cache } = this.#around;
    // What a node owns stands open on its card or not.
    const changes = item.kind === "box" && scene.ownedBy.has(item.box);
    const make = () => this.#made(item);
    const card = changes ? make() : cache.card(scene, item.key, make);
    this.#cards.set(item, card);
    return card;
  }

  #made(item: Exclude<Item, FrameItem>): Card {
    const { scene, expanded, measure, contents } = this.#around;
    return item.kind === "box"
      ? boxCard(scene, item.box, expanded, measure)
      : groupCard(scene, item.group, at(contents, item.group), measure);
  }

  readonly #stubText = (edges: readonly number[], side: "source" | "target"): StubText => {
    const { scene, measure } = this.#around;
    const folded = edges.map((i) => at(this.#nesting.folding.edges, i));
    const far = [...new Set(folded.map((edge) => (side === "source" ? edge.target : edge.source)))];
    const [only, ...more] = far;
    const name =
      only === undefined || more.length > 0 ? `${far.length} places` : keyTitle(scene, only);
    const text = fitEnds(name, WIDEST_STUB, "name", measure);
    return { text, width: Math.ceil(measure(text, "name")) + 26, edges };
  };
}

/** What a visible box or collapsed group is called in a few letters. */
export function keyTitle(scene: Scene, key: Key): string {
  const index = Number(key.slice(1));
  if (key.startsWith("g")) return groupTitle(scene, index);
  const box = at(scene.boxes, index);
  return boxName(scene, index) || titleOf(box);
}

export function frameTitle(scene: Scene, frame: FrameItem): string {
  if (frame.owner < 0) return groupTitle(scene, frame.groups[0] ?? 0);
  const box = at(scene.boxes, frame.owner);
  const own = boxName(scene, frame.owner);
  const name = own && own !== box.op ? `${box.op} ${own}` : titleOf(box);
  const [only, ...more] = frame.groups;
  return only === undefined || more.length > 0 ? name : `${name}: ${groupTitle(scene, only)}`;
}

const WIDEST_LABEL_ROOM = 190;
const WIDEST_STUB = 132;

/** As wide as the widest label of what leaves a card, within reason. */
function labelRooms(nesting: Nesting, { scene, measure }: Surroundings): Map<Key, number> {
  const widths = new Map<Key, number>();
  for (const edge of nesting.folding.edges) {
    if (saysItsType(scene, edge)) continue;
    const { source, label, mark } = edge;
    const { width } = labelSize(scene.shorten(label), mark, measure);
    widths.set(source, Math.max(widths.get(source) ?? 0, Math.min(WIDEST_LABEL_ROOM, width)));
  }
  return widths;
}

/**
 * High enough for the labels between two neighbours of the level; what passes through ports has more
 * than one piece to stand on.
 */
function rankGap(level: Level, nesting: Nesting, { scene, measure }: Surroundings): number {
  let most = 1;
  for (const { from, to, edges } of level.arcs) {
    if (from.kind !== "item" || from.item.kind === "frame") continue;
    if (to.kind !== "item" || to.item.kind === "frame") continue;
    for (const edge of edges) {
      const folded = at(nesting.folding.edges, edge);
      if (saysItsType(scene, folded)) continue;
      const { label } = folded;
      most = Math.max(most, labelLines(scene.shorten(label), measure).length);
    }
  }
  return RANK_GAP + (most - 1) * LABEL_LINE;
}
