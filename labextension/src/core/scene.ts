/** The scene: checked once on arrival, then plain objects that everything else may trust. */
import {
  type AttributeRow,
  BOX_KINDS,
  type BoxKind,
  CATEGORIES,
  type Category,
  type DiagnosticRow,
  type Figure,
  type FunctionRow,
  GROUP_KINDS,
  type GroupKind,
  MARKS,
  type Mark,
  type PortRow,
  type ProblemRow,
  SCENE_VERSION,
} from "../protocol/scene";
import { type Shorten, shortener } from "./aliases";
import { finish, MANY, type Steps } from "./pace";

export interface Group {
  /** The enclosing group; -1 for the root alone. */
  readonly parent: number;
  readonly label: string;
  readonly kind: GroupKind;
  /** The box that owns a subgraph or function body, else -1. */
  readonly owner: number;
}

export interface Box {
  readonly group: number;
  readonly kind: BoxKind;
  readonly id: string;
  readonly op: string;
  readonly domain: string;
  readonly version: number;
  readonly name: string;
  readonly detail: string;
  readonly category: Category;
  readonly attributes: readonly AttributeRow[];
  readonly inputs: readonly PortRow[];
  readonly outputs: readonly PortRow[];
  readonly doc: string;
  readonly metadata: readonly (readonly [string, string])[];
  readonly problems: readonly ProblemRow[];
  /** Of all outputs. */
  readonly bytes: Figure;
  /** Multiply-adds. */
  readonly macs: Figure;
  /** Operations; a multiply-add is two. */
  readonly flops: Figure;
}

export interface Edge {
  readonly value: string;
  readonly source: number;
  readonly target: number;
  readonly label: string;
  readonly mark: Mark;
  readonly note: string;
  /** What the file says of the type, empty where it says nothing or the same as the label. */
  readonly declared: string;
  /** Whether the file alone knows the type. */
  readonly fromFile: boolean;
}

export interface Initializer {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly boxes: readonly number[];
  /** The group of the graph that it stands in. */
  readonly group: number;
  /** Its element where it has but one, else empty. */
  readonly text: string;
  /** One a reader, why it does not fit there; none where it fits everywhere. */
  readonly notes: readonly string[];
}

export interface Scene {
  readonly title: string;
  readonly model: readonly (readonly [string, string])[];
  readonly groups: readonly Group[];
  readonly boxes: readonly Box[];
  readonly edges: readonly Edge[];
  readonly initializers: ReadonlyMap<string, Initializer>;
  readonly diagnostics: readonly DiagnosticRow[];
  /** Long names of dims with the short forms that stand for them in the drawing. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly functions: readonly FunctionRow[];
  /** Sizes that the symbols of the inputs are likely to have. */
  readonly sizes: ReadonlyMap<string, number>;
  /** A label as the drawing writes it. */
  readonly shorten: Shorten;
  readonly boxOfId: ReadonlyMap<string, number>;
  /** Edges by the value they carry. */
  readonly edgesOfValue: ReadonlyMap<string, readonly number[]>;
  readonly edgesInto: readonly (readonly number[])[];
  readonly edgesOutOf: readonly (readonly number[])[];
  /** Groups that a box owns. */
  readonly ownedBy: ReadonlyMap<number, readonly number[]>;
}

type Adjacency = Pick<Scene, "edgesInto" | "edgesOutOf" | "edgesOfValue">;

/** The bytes are not a scene this front end can draw. */
export class SceneError extends Error {
  override readonly name = "SceneError";
}

type Columns = Record<string, unknown>;

function record(value: unknown, where: string): Columns {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Columns;
  throw new SceneError(`${where} should be an object, found ${describe(value)}`);
}

function list(value: unknown, where: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new SceneError(`${where} should be a list, found ${describe(value)}`);
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

/** Reads columns of one table and holds them to the same length. */
class Table {
  #length: number | undefined;
  readonly #columns: Columns;
  readonly #name: string;

  constructor(columns: Columns, name: string) {
    this.#columns = columns;
    this.#name = name;
  }

  get length(): number {
    return this.#length ?? 0;
  }

  #column(key: string): unknown[] {
    const where = `${this.#name}.${key}`;
    const column = list(this.#columns[key], where);
    this.#length ??= column.length;
    if (column.length !== this.#length)
      throw new SceneError(
        `${where} has ${column.length} entries, the other columns have ${this.#length}`,
      );
    return column;
  }

  texts(key: string): string[] {
    return this.#typed(key, "string");
  }

  numbers(key: string): number[] {
    return this.#typed(key, "number");
  }

  words<T extends string>(key: string, allowed: readonly T[]): T[] {
    const column = this.texts(key);
    const bad = column.findIndex((word) => !(allowed as readonly string[]).includes(word));
    if (bad < 0) return column as T[];
    throw new SceneError(
      `${this.#name}.${key}[${bad}] is '${column[bad]}', expected one of ${allowed.join(", ")}`,
    );
  }

  /** Like `words`, but what is not known is drawn as `other`: a newer kernel may name more. */
  wordsOr<T extends string>(key: string, allowed: readonly T[], other: T): T[] {
    return this.texts(key).map((word) => allowed.find((known) => known === word) ?? other);
  }

  rows<T>(key: string): T[][] {
    const column = this.#column(key);
    // Where it stands is put into words for what is wrong alone: there are very many rows.
    for (let i = 0; i < column.length; i++) {
      const cell = column[i];
      const rows = Array.isArray(cell) ? cell : list(cell, `${this.#name}.${key}[${i}]`);
      for (let j = 0; j < rows.length; j++)
        if (!Array.isArray(rows[j])) list(rows[j], `${this.#name}.${key}[${i}][${j}]`);
    }
    return column as T[][];
  }

  lists<T extends string | number>(key: string): T[][] {
    return this.#column(key).map((cell, i) => list(cell, `${this.#name}.${key}[${i}]`) as T[]);
  }

  figures(key: string): Figure[] {
    const column = this.#column(key);
    const bad = column.findIndex((cell) => typeof cell !== "number" && typeof cell !== "string");
    if (bad < 0) return column as Figure[];
    throw new SceneError(
      `${this.#name}.${key}[${bad}] should be a number or a text, found ${describe(column[bad])}`,
    );
  }

  #typed<T extends string | number>(key: string, type: "string" | "number"): T[] {
    const column = this.#column(key);
    const bad = column.findIndex((cell) => typeof cell !== type);
    if (bad < 0) return column as T[];
    throw new SceneError(
      `${this.#name}.${key}[${bad}] should be a ${type}, found ${describe(column[bad])}`,
    );
  }
}

/** Checks the columns and makes objects of them. */
export function sceneOf(raw: unknown): Scene {
  return finish(sceneSteps(raw));
}

export function* sceneSteps(raw: unknown): Steps<Scene> {
  const root = record(raw, "the scene");
  if (root.version !== SCENE_VERSION)
    throw new SceneError(
      `the kernel sent scene version ${String(root.version)}, this front end reads ${SCENE_VERSION}: ` +
        "install the same version of onnx_explorer on both sides and reload the page",
    );
  const groups = yield* readGroups(new Table(record(root.groups, "groups"), "groups"));
  const boxes = yield* readBoxes(new Table(record(root.boxes, "boxes"), "boxes"));
  const edges = yield* readEdges(new Table(record(root.edges, "edges"), "edges"));
  yield* referenceSteps(groups, boxes, edges);
  const joined = yield* adjacencySteps(boxes.length, edges);
  const aliases = new Map(list(root.aliases ?? [], "aliases") as [string, string][]);
  return {
    title: String(root.title ?? ""),
    model: list(root.model ?? [], "model") as [string, string][],
    groups,
    boxes,
    edges,
    initializers: yield* readInitializers(root.initializers, groups.length),
    diagnostics: list(root.diagnostics ?? [], "diagnostics") as DiagnosticRow[],
    aliases,
    functions: list(root.functions ?? [], "functions") as FunctionRow[],
    sizes: new Map(list(root.sizes ?? [], "sizes") as [string, number][]),
    shorten: shortener(aliases),
    boxOfId: new Map(boxes.map((box, i) => [box.id, i])),
    ...joined,
    ownedBy: owners(groups),
  };
}

function* readGroups(table: Table): Steps<Group[]> {
  const parent = table.numbers("parent");
  const label = table.texts("label");
  const kind = table.words("kind", GROUP_KINDS);
  const box = table.numbers("box");
  return yield* zip(table.length, (i) => ({
    parent: at(parent, i),
    label: at(label, i),
    kind: at(kind, i),
    owner: at(box, i),
  }));
}

function* readBoxes(table: Table): Steps<Box[]> {
  const group = table.numbers("group");
  const kind = table.words("kind", BOX_KINDS);
  const id = table.texts("id");
  yield;
  const op = table.texts("op");
  const domain = table.texts("domain");
  const version = table.numbers("version");
  const name = table.texts("name");
  yield;
  const detail = table.texts("detail");
  const category = table.wordsOr("category", CATEGORIES, "other");
  const attributes = table.rows<AttributeRow>("attributes");
  yield;
  const inputs = table.rows<PortRow>("inputs");
  yield;
  const outputs = table.rows<PortRow>("outputs");
  yield;
  const doc = table.texts("doc");
  const metadata = table.rows<[string, string]>("metadata");
  yield;
  const problems = table.rows<ProblemRow>("problems");
  yield;
  const bytes = table.figures("bytes");
  const macs = table.figures("macs");
  const flops = table.figures("flops");
  return yield* zip(table.length, (i) => ({
    group: at(group, i),
    kind: at(kind, i),
    id: at(id, i),
    op: at(op, i),
    domain: at(domain, i),
    version: at(version, i),
    name: at(name, i),
    detail: at(detail, i),
    category: at(category, i),
    attributes: at(attributes, i),
    inputs: at(inputs, i),
    outputs: at(outputs, i),
    doc: at(doc, i),
    metadata: at(metadata, i),
    problems: at(problems, i),
    bytes: at(bytes, i),
    macs: at(macs, i),
    flops: at(flops, i),
  }));
}

function* readEdges(table: Table): Steps<Edge[]> {
  const value = table.texts("value");
  const source = table.numbers("source");
  const target = table.numbers("target");
  yield;
  const label = table.texts("label");
  yield;
  const mark = table.words("mark", MARKS);
  const note = table.texts("note");
  yield;
  const declared = table.texts("declared");
  const fromFile = table.numbers("from_file");
  return yield* zip(table.length, (i) => ({
    value: at(value, i),
    source: at(source, i),
    target: at(target, i),
    label: at(label, i),
    mark: at(mark, i),
    note: at(note, i),
    declared: at(declared, i),
    fromFile: at(fromFile, i) === 1,
  }));
}

function* readInitializers(raw: unknown, groups: number): Steps<Map<string, Initializer>> {
  if (raw === undefined) return new Map();
  const table = new Table(record(raw, "initializers"), "initializers");
  const name = table.texts("name");
  const type = table.texts("type");
  const bytes = table.numbers("bytes");
  const boxes = table.lists<number>("boxes");
  const group = table.numbers("group");
  const text = table.texts("text");
  const notes = table.lists<string>("notes");
  group.forEach((own, i) => {
    within(own, groups, "initializers.group", i);
  });
  const initializer = (i: number): Initializer => ({
    name: at(name, i),
    type: at(type, i),
    bytes: at(bytes, i),
    boxes: at(boxes, i),
    group: at(group, i),
    text: at(text, i),
    notes: at(notes, i),
  });
  return new Map(yield* zip(table.length, (i) => [at(name, i), initializer(i)] as const));
}

function* referenceSteps(groups: Group[], boxes: Box[], edges: Edge[]): Steps<void> {
  if (groups[0]?.parent !== -1) throw new SceneError("groups.parent[0] should be -1: the root");
  groups.forEach(({ parent, owner }, i) => {
    if (i > 0) within(parent, groups.length, "groups.parent", i);
    if (owner !== -1) within(owner, boxes.length, "groups.box", i);
    // A parent named after its child could close a ring, in which nothing would ever be visible.
    for (let g = parent, steps = 0; g > 0; g = groups[g]?.parent ?? -1)
      if (++steps > groups.length) throw new SceneError(`groups.parent[${i}] is part of a ring`);
  });
  boxes.forEach(({ group }, i) => {
    within(group, groups.length, "boxes.group", i);
  });
  yield;
  edges.forEach(({ source, target }, i) => {
    within(source, boxes.length, "edges.source", i);
    within(target, boxes.length, "edges.target", i);
  });
}

function within(index: number, length: number, column: string, i: number): void {
  if (!Number.isInteger(index) || index < 0 || index >= length)
    throw new SceneError(`${column}[${i}] is ${index}, expected an index below ${length}`);
}

/** Edges by what they carry and what they join. */
export function adjacency(boxes: number, edges: readonly Edge[]) {
  return finish(adjacencySteps(boxes, edges));
}

function* adjacencySteps(boxes: number, edges: readonly Edge[]): Steps<Adjacency> {
  const edgesInto = yield* edgesAt(boxes, edges, "target");
  const edgesOutOf = yield* edgesAt(boxes, edges, "source");
  const edgesOfValue = new Map<string, number[]>();
  for (let i = 0; i < edges.length; i++) {
    if (i % MANY === 0) yield;
    const { value } = at(edges, i);
    const same = edgesOfValue.get(value);
    if (same) same.push(i);
    else edgesOfValue.set(value, [i]);
  }
  return { edgesInto, edgesOutOf, edgesOfValue };
}

/** For each box its edges at one end. They are counted first: a list that grows keeps room for many more. */
function* edgesAt(
  boxes: number,
  edges: readonly Edge[],
  end: "source" | "target",
): Steps<number[][]> {
  const counts = new Uint32Array(boxes);
  for (const edge of edges) counts[edge[end]] = (counts[edge[end]] ?? 0) + 1;
  yield;
  const found = Array.from(counts, (count) => new Array<number>(count));
  const filled = new Uint32Array(boxes);
  for (let i = 0; i < edges.length; i++) {
    if (i % MANY === 0) yield;
    const box = at(edges, i)[end];
    const place = filled[box] ?? 0;
    at(found, box)[place] = i;
    filled[box] = place + 1;
  }
  return found;
}

export function owners(groups: readonly Group[]): Map<number, number[]> {
  const owned = new Map<number, number[]>();
  groups.forEach(({ owner }, i) => {
    if (owner < 0) return;
    const same = owned.get(owner);
    if (same) same.push(i);
    else owned.set(owner, [i]);
  });
  return owned;
}

/** Whether a group lies in what an operator stands for: it is no part of the model itself. */
export function isInOperator(scene: Scene, group: number): boolean {
  for (let g = group; g > 0; g = at(scene.groups, g).parent)
    if (at(scene.groups, g).kind === "operator") return true;
  return false;
}

/** The element at an index that is known to be inside. */
export function at<T>(array: readonly T[], index: number): T {
  if (index < 0 || index >= array.length)
    throw new RangeError(`index ${index} is outside a list of ${array.length}`);
  return array[index] as T;
}

function* zip<T>(length: number, make: (index: number) => T): Steps<T[]> {
  const made: T[] = [];
  for (let i = 0; i < length; i++) {
    if (i % MANY === 0) yield;
    made.push(make(i));
  }
  return made;
}
