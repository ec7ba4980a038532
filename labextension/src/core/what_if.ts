/** What the what-if panel offers to change, and what it says of the outcome. */
import type { Change, Manual, ValueSummary, WhatIfState } from "../protocol/messages";
import { attributeFields, placeholderOf } from "./attribute_fields";
import { at, type Box, type Scene } from "./scene";
import type { Selection } from "./selection";

/** Something that can be changed: what a field is for, and what it holds now. */
export interface Field {
  readonly change: Omit<Change, "text">;
  readonly label: string;
  readonly text: string;
  /** What an empty field shows. */
  readonly placeholder?: string;
  readonly hint: string;
}

/** The open sizes and the types of the inputs. */
export function modelFields({ sizes, inputs, changes }: WhatIfState): Field[] {
  const changed = (what: Change["what"], place: string) =>
    changes.find((one) => one.what === what && one.place === place)?.text;
  return [
    ...sizes.map((place) => ({
      change: { what: "size" as const, place, name: "" },
      label: place,
      text: changed("size", place) ?? "",
      hint: "a size, as in 4 or 2*n",
    })),
    ...inputs.map(([place, type]) => ({
      change: { what: "type" as const, place, name: "" },
      label: place,
      text: changed("type", place) ?? type,
      hint: "a type, as in float32[n, 10]",
    })),
  ];
}

/** Longer tensors are not typed by hand. */
const MOST_ELEMENTS = 8;

export interface NodeFields {
  readonly title: string;
  readonly fields: readonly Field[];
  /** Small initializers that the node reads: what they hold has to be asked for. */
  readonly initializers: readonly string[];
  readonly note: string;
}

/** What can be changed of the selected node. */
export function nodeFields(
  scene: Scene,
  selection: Selection,
  manualOf: (box: Box) => Manual | undefined,
): NodeFields | undefined {
  const box = selection.kind === "box" ? at(scene.boxes, selection.box) : undefined;
  if (box?.kind !== "node") return undefined;
  const title = box.name && box.name !== box.op ? `${box.op} ${box.name}` : box.op;
  if (isInside(scene, box.group))
    return {
      title,
      fields: [],
      initializers: [],
      note: "It lies inside another node; only nodes of the main graph can be changed here.",
    };
  const fields = attributeFields(box, manualOf(box)).map((known) => ({
    change: { what: "attribute" as const, place: box.id, name: known.name },
    label: known.name,
    text: known.text,
    placeholder: placeholderOf(known),
    hint: known.hint,
  }));
  const initializers = box.inputs
    .filter(([, value, type]) => scene.initializers.has(value) && elementsOf(type) <= MOST_ELEMENTS)
    .map(([, value]) => value);
  const nothing = fields.length + initializers.length === 0;
  return { title, fields, initializers, note: nothing ? "It has no attributes." : "" };
}

/** The field of an initializer, with the elements that it has. */
export function initializerField(place: string, { head, type }: ValueSummary): Field {
  return {
    change: { what: "initializer", place, name: "" },
    label: place,
    text:
      elementsOf(type) === 1 && type.endsWith("[]")
        ? (head?.[0] ?? "")
        : `[${(head ?? []).join(", ")}]`,
    hint: "numbers, as in [1, -1]",
  };
}

/** Elements of a type such as `int64[2, 3]`; infinitely many where they are not known. */
function elementsOf(type: string): number {
  const open = type.indexOf("[");
  if (open < 0) return Number.POSITIVE_INFINITY;
  const inner = type.slice(open + 1, type.lastIndexOf("]")).trim();
  if (inner === "") return 1;
  const product = inner.split(",").reduce((all, size) => all * Number(size), 1);
  return Number.isFinite(product) ? product : Number.POSITIVE_INFINITY;
}

function isInside(scene: Scene, group: number): boolean {
  for (let g = group; g > 0; g = at(scene.groups, g).parent)
    if (at(scene.groups, g).kind !== "scope") return true;
  return false;
}

/** What comes of the changes, in a sentence. */
export function outcomeText({ changes, changed }: WhatIfState): string {
  if (changes.length === 0) return "Change something: the edges say at once what comes of it.";
  if (changed === 0) return "No edge changes.";
  return changed === 1 ? "The type of 1 value changes." : `The types of ${changed} values change.`;
}
