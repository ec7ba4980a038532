/** What is typed into the search box: words, and fields such as `op:Conv` or `shape:[*, 768]`. */
import type { PortRow } from "../protocol/scene";
import { finish, MANY, type Steps } from "./pace";
import { at, type Box, type Scene } from "./scene";
import { dimsOf } from "./value_inspection";

/** Whether a box passes: 0 for no, else how well, from 10 on. */
export type Test = (box: Box, index: number) => number;

export interface FieldHelp {
  readonly example: string;
  readonly text: string;
}

export const FIELD_HELP: readonly FieldHelp[] = [
  { example: "op:Conv", text: "operator" },
  { example: "name:attn", text: "name of the node, of a value that it makes, or of a group" },
  { example: "dtype:float16", text: "element type of what goes in or out" },
  { example: "dim:768", text: "a size of what goes in or out, also a symbol" },
  { example: "shape:[*,768]", text: "a shape; * is any size, ... any number of them" },
  { example: "attr:group=32", text: "an attribute, with or without its value" },
  { example: "in:encoder", text: "a group around the node" },
  { example: "value:logits", text: "a value that goes in or out" },
  { example: "has:nan", text: "nan, or: error, warning, unknown, mismatch" },
];

export const FIELD_NAMES = [
  "op",
  "name",
  "value",
  "dtype",
  "dim",
  "shape",
  "attr",
  "in",
  "has",
] as const;

/** What `has:` asks for, besides `nan`. */
export const TROUBLES = ["error", "warning", "unknown", "mismatch"] as const;

type Field = (scene: Scene, argument: string) => Test;

const passes = (found: boolean) => (found ? 10 : 0);

const FIELDS: Readonly<Record<(typeof FIELD_NAMES)[number], Field>> = {
  op: (scene, word) => {
    const known = lowered(scene);
    const judge = remembering((op) => quality(op, word, 3));
    return (_, i) => judge(at(known, i).op);
  },
  name: (scene, word) => {
    const known = lowered(scene);
    return (_, i) => nameQuality(at(known, i), word);
  },
  value: (_, word) => (box) =>
    Math.max(0, ...ports(box).map(([, value]) => quality(value.toLowerCase(), word, 1))),
  dtype: (_, word) => ofType((type) => dtypeOf(type).startsWith(word)),
  dim: (_, word) => ofType((type) => dimsOf(type).some((dim) => same(dim, word))),
  shape: (_, word) => {
    const wanted = word.replace(/^\[|\]$/g, "").split(",");
    const pattern = wanted.map((dim) => dim.trim()).filter(Boolean);
    return ofType((type) => fits(type, pattern));
  },
  attr: (_, word) => {
    const [name = "", value] = word.split("=", 2);
    return (box) =>
      passes(
        box.attributes.some(
          ([known, text]) =>
            known.toLowerCase() === name && (value === undefined || same(text, value)),
        ),
      );
  },
  in: (scene, word) => {
    const known = new Map<number, boolean>();
    const holds = (group: number): boolean => {
      if (group <= 0) return false;
      let found = known.get(group);
      if (found === undefined) {
        const { label, parent } = at(scene.groups, group);
        found = label.toLowerCase().includes(word) || holds(parent);
        known.set(group, found);
      }
      return found;
    };
    return ({ group }) => passes(holds(group));
  },
  has: (scene, word) => (box, index) => passes(hasTrouble(scene, box, index, word)),
};

/** A large model has few different operators and types: each is judged once a query. */
function remembering<T>(judge: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let found = known.get(text);
    if (found === undefined) {
      found = judge(text);
      known.set(text, found);
    }
    return found;
  };
}

/** Whether the type of anything that goes in or out passes. */
function ofType(judge: (type: string) => boolean): Test {
  const known = remembering(judge);
  const any = (rows: readonly PortRow[]) => {
    for (const row of rows) if (known(row[2])) return true;
    return false;
  };
  return ({ inputs, outputs }) => passes(any(outputs) || any(inputs));
}

/** All parts must hold. An unknown field is a word: names hold colons too. One that is still being typed asks nothing. */
export function readQuery(scene: Scene, query: string): Test[] {
  return parts(query).flatMap((part) => {
    const [field, argument] = fieldOf(part);
    if (!field) return word(scene, part);
    const unfinished = argument === "" || (field === "attr" && argument.endsWith("="));
    return unfinished ? [] : FIELDS[field](scene, argument);
  });
}

function fieldOf(
  part: string,
): [field: (typeof FIELD_NAMES)[number] | undefined, argument: string] {
  const colon = part.indexOf(":");
  const name = part.slice(0, Math.max(0, colon));
  return [FIELD_NAMES.find((known) => known === name), part.slice(colon + 1)];
}

/** Whether something is asked for by its name; types and groups alone fit too much. */
export function asksForName(query: string): boolean {
  return parts(query).some((part) => {
    const [field] = fieldOf(part);
    return field === undefined || field === "name" || field === "value";
  });
}

/** How well the title of a group fits a query that asks for nothing but names: 0 where it does not. */
export function namesGroup(query: string): (title: string) => number {
  const asked = parts(query).map(fieldOf);
  const words = parts(query).map((part, i) => (asked[i]?.[0] === undefined ? part : asked[i][1]));
  const named = asked.every(([field]) => field === undefined || field === "name");
  if (!named || words.length === 0 || words.includes("")) return () => 0;
  return remembering((title) => {
    const text = title.toLowerCase();
    const found = words.map((word) => quality(text, word, 2));
    return found.includes(0) ? 0 : found.reduce((sum, one) => sum + one);
  });
}

/** Splits at spaces outside of brackets and quotes; quotes are taken off. */
export function parts(query: string): string[] {
  const found = query.toLowerCase().match(/(?:"[^"]*"?|\[[^\]]*\]?|[^\s"[])+/g) ?? [];
  return found.map((part) => part.replaceAll('"', "")).filter(Boolean);
}

function word(scene: Scene, text: string): Test {
  const known = lowered(scene);
  const judge = remembering((op) => quality(op, text, 3));
  return (_, i) => {
    const texts = at(known, i);
    return Math.max(judge(texts.op), nameQuality(texts, text));
  };
}

/** The texts of a box in lower case. */
interface Lowered {
  readonly op: string;
  readonly name: string;
  /** "" where it is the name. */
  readonly id: string;
  readonly outputs: readonly string[];
}

/** Made once a scene: while a person types, every letter asks all boxes. */
const LOWERED = new WeakMap<Scene, readonly Lowered[]>();

function lowered(scene: Scene): readonly Lowered[] {
  return LOWERED.get(scene) ?? finish(lowering(scene));
}

/** Makes ready what the first letter needs. */
export function* lowering(scene: Scene): Steps<readonly Lowered[]> {
  const known: Lowered[] = [];
  const lower = remembering((text) => text.toLowerCase());
  for (const { op, name, id, outputs } of scene.boxes) {
    if (known.length % MANY === 0) yield;
    known.push({
      op: lower(op),
      name: name.toLowerCase(),
      id: id === name ? "" : id.toLowerCase(),
      outputs: outputs.map(([, value]) => value.toLowerCase()),
    });
  }
  LOWERED.set(scene, known);
  return known;
}

function nameQuality({ name, id, outputs }: Lowered, word: string): number {
  let best = Math.max(quality(name, word, 2), quality(id, word, 1));
  for (const value of outputs) best = Math.max(best, quality(value, word, 1));
  return best;
}

/** The whole text is better than its beginning, and that is better than a place inside. */
function quality(text: string, word: string, weight: number): number {
  const place = text.indexOf(word);
  if (place < 0) return 0;
  return (text === word ? 3 : place === 0 ? 2 : 1) * 10 + weight;
}

function ports({ inputs, outputs }: Box) {
  return [...outputs, ...inputs];
}

function dtypeOf(type: string): string {
  const end = type.indexOf("[");
  return (end < 0 ? type : type.slice(0, end)).toLowerCase();
}

const plain = (text: string) => text.replace(/\s+/g, "").toLowerCase();

function same(text: string, word: string): boolean {
  return plain(text) === plain(word);
}

function fits(type: string, pattern: readonly string[]): boolean {
  if (!type.includes("[") || type.includes("[...]")) return false;
  return fitsFrom(dimsOf(type), pattern);
}

function fitsFrom(dims: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return dims.length === 0;
  if (first === "...")
    return dims.some((_, i) => fitsFrom(dims.slice(i), rest)) || fitsFrom([], rest);
  const [dim, ...more] = dims;
  return dim !== undefined && (first === "*" || same(dim, first)) && fitsFrom(more, rest);
}

/** Boxes that read or make a NaN; the kernel tells them when somebody asks. */
const WITH_NAN = new WeakMap<Scene, ReadonlySet<number>>();

/** Whether a query is about NaN, which the scene does not know by itself. */
export function asksForNan(query: string): boolean {
  return parts(query).includes("has:nan");
}

export function tellNan(scene: Scene, ids: readonly string[]): void {
  WITH_NAN.set(scene, new Set(ids.flatMap((id) => scene.boxOfId.get(id) ?? [])));
}

/** Whether somebody has asked the kernel. */
export function knowsNan(scene: Scene): boolean {
  return WITH_NAN.has(scene);
}

export function hasTrouble(scene: Scene, box: Box, index: number, word: string): boolean {
  if (word === "nan") return WITH_NAN.get(scene)?.has(index) ?? false;
  if (word === "error" || word === "warning")
    return box.problems.some(([severity]) => severity === word);
  const edges = [...at(scene.edgesOutOf, index), ...at(scene.edgesInto, index)];
  return edges.some((edge) => at(scene.edges, edge).mark === word);
}
