/** What can follow a field of a query that has no value yet, from what is in the model. */
import { finish } from "./pace";
import { FIELD_NAMES, hasTrouble, knowsNan, lowering, readQuery, TROUBLES } from "./query";
import { at, type Box, type Scene } from "./scene";
import { dimsOf } from "./value_inspection";

export interface Completion {
  readonly value: string;
  /** How many nodes have it; "" where that says nothing. */
  readonly note: string;
  /** The query with it. */
  readonly query: string;
}

export interface Completions {
  /** How many there are of what: "3 operators". */
  readonly told: string;
  readonly choices: readonly Completion[];
}

type Field = (typeof FIELD_NAMES)[number];

/** One of them, and more. */
const NOUNS: Readonly<Record<Field, readonly [one: string, more: string]>> = {
  op: ["operator", "operators"],
  name: ["name", "names"],
  value: ["value", "values"],
  dtype: ["element type", "element types"],
  dim: ["size", "sizes"],
  shape: ["shape", "shapes"],
  attr: ["attribute", "attributes"],
  in: ["group", "groups"],
  has: ["kind", "kinds"],
};

/** Each is there once, or nearly so: they stay in the file's order. */
const OF_ONE_NODE: ReadonlySet<Field> = new Set(["name", "value"]);

const UNFINISHED = new RegExp(`(?:^|\\s)(?:(${FIELD_NAMES.join("|")}):|attr:([^\\s="]+)=)$`, "i");

/** Nothing where the query does not end in a field without a value. */
export function completions(scene: Scene, query: string): Completions | undefined {
  const found = UNFINISHED.exec(query);
  if (!found) return undefined;
  const field = found[1]?.toLowerCase() as Field | undefined;
  const attribute = found[2]?.toLowerCase();
  const counts = counted(scene, query.slice(0, found.index), valuesOf(scene, field, attribute));
  if (field === "has" && !knowsNan(scene)) counts.set("nan", 0);
  const values = [...counts];
  if (field === undefined || !OF_ONE_NODE.has(field))
    values.sort(([a, m], [b, n]) => n - m || BY_NAME.compare(a, b));
  const nouns = field ? NOUNS[field] : (["value", "values"] as const);
  return {
    told: `${values.length.toLocaleString("en")} ${nouns[values.length === 1 ? 0 : 1]}`,
    choices: values.map(([value, count]) => ({
      value,
      note: noteOf(field, count),
      query: `${query}${/[\s"]/.test(value) && !value.startsWith("[") ? `"${value}"` : value}`,
    })),
  };
}

const BY_NAME = new Intl.Collator("en", { numeric: true });

function noteOf(field: Field | undefined, count: number): string {
  if (field && OF_ONE_NODE.has(field)) return "";
  if (count === 0) return "looked for when it is asked for";
  return count === 1 ? "1 node" : `${count.toLocaleString("en")} nodes`;
}

/** In how many of the nodes that the rest of the query finds each value is. */
function counted(
  scene: Scene,
  rest: string,
  values: (box: Box, index: number) => Iterable<string>,
): Map<string, number> {
  finish(lowering(scene));
  const tests = readQuery(scene, rest);
  const counts = new Map<string, number>();
  scene.boxes.forEach((box, i) => {
    if (box.kind !== "node" || !tests.every((test) => test(box, i) > 0)) return;
    for (const value of new Set(values(box, i))) counts.set(value, (counts.get(value) ?? 0) + 1);
  });
  return counts;
}

/** What a box has of a field, or as values of an attribute. */
function valuesOf(
  scene: Scene,
  field: Field | undefined,
  attribute = "",
): (box: Box, index: number) => Iterable<string> {
  const types = (box: Box) => [...box.outputs, ...box.inputs].map(([, , type]) => type);
  switch (field) {
    case "op":
      return ({ op }) => [op];
    case "name":
      return ({ name, id }) => [name || id];
    case "value":
      return ({ outputs }) => outputs.flatMap(([, value]) => value || []);
    case "dtype":
      return (box) => types(box).flatMap((type) => /^\w+(?=\[|$)/.exec(type)?.[0] ?? []);
    case "dim":
      return (box) => types(box).flatMap((type) => (isRanked(type) ? dimsOf(type) : []));
    case "shape":
      return (box) =>
        types(box).flatMap((type) => (isRanked(type) ? `[${dimsOf(type).join(", ")}]` : []));
    case "attr":
      return ({ attributes }) => attributes.map(([name]) => name);
    case "in":
      return ({ group }) => labelsAround(scene, group);
    case "has":
      return (box, i) => TROUBLES.filter((trouble) => hasTrouble(scene, box, i, trouble));
    default:
      return ({ attributes }) =>
        attributes.flatMap(([name, text]) => (name.toLowerCase() === attribute ? text : []));
  }
}

function isRanked(type: string): boolean {
  return type.includes("[") && !type.includes("[...]");
}

function labelsAround(scene: Scene, group: number): string[] {
  const labels: string[] = [];
  for (let g = group; g > 0; g = at(scene.groups, g).parent) labels.push(at(scene.groups, g).label);
  return labels;
}
