/** The attributes that a node can be given: its own, and those of its operator's version that it leaves out. */
import type { Manual } from "../protocol/messages";
import type { Box } from "./scene";

export interface AttributeField {
  readonly name: string;
  /** What the node says; nothing where it leaves the attribute out. */
  readonly text: string;
  /** What holds where nothing is said. */
  readonly otherwise: string;
  readonly hint: string;
}

/** Graphs and tensors are not typed by hand. */
const TYPED: ReadonlySet<string> = new Set(["float", "int", "string", "floats", "ints", "strings"]);

/** Those of the node first. Without the operator's words, those that have a value. */
export function attributeFields(box: Box, manual: Manual | undefined): AttributeField[] {
  const said = new Map(manual?.attributes.map((one) => [one.name, one]));
  const rows = box.attributes.map(([name, text, isDefault]) => ({
    name,
    text: isDefault ? "" : text,
    otherwise: (isDefault ? text : said.get(name)?.default) ?? "",
  }));
  const known = new Set(rows.map(({ name }) => name));
  const unsaid = (manual?.attributes ?? [])
    .filter(({ name, type }) => !known.has(name) && TYPED.has(type))
    .map((one) => ({ name: one.name, text: "", otherwise: one.default }));
  return [...rows, ...unsaid].map((row) => ({
    ...row,
    hint: hintOf(row.otherwise, said.get(row.name)),
  }));
}

function hintOf(otherwise: string, said: Manual["attributes"][number] | undefined): string {
  const type = said ? `${said.type}: ${said.doc}` : "";
  const left = otherwise === "" ? "nothing leaves it out" : `nothing means ${otherwise}`;
  return [type, left].filter(Boolean).join("\n");
}

/** What an empty field shows. */
export function placeholderOf({ otherwise }: AttributeField): string {
  return otherwise === "" ? "not set" : `${otherwise} (default)`;
}
