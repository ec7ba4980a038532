/** What the inspector says, as data: lines in sections. */
import type { ManualExample } from "../protocol/messages";
import type { Mark, Severity } from "../protocol/scene";
import type { GroupContent } from "./card";
import type { Block } from "./prose";
import { at, type Scene } from "./scene";

export type Line =
  | { readonly kind: "fact"; readonly label: string; readonly text: string }
  | {
      readonly kind: "attribute";
      readonly name: string;
      readonly text: string;
      readonly origin: "given" | "default" | "unset" | "missing";
      readonly doc: string;
    }
  | {
      readonly kind: "port";
      readonly port: string;
      readonly value: string;
      readonly type: string;
      readonly mark: Mark;
      /** The kernel is asked for its numbers. */
      readonly initializer: boolean;
      readonly doc: string;
      /** What the operator takes here, where that is known. */
      readonly takes: string;
      /** The boxes that the value comes from, or goes to. */
      readonly ends: readonly number[];
      readonly side: "from" | "to";
    }
  | { readonly kind: "text"; readonly text: string }
  /** The words of an operator: what is not needed at first sight can be opened. */
  | { readonly kind: "prose"; readonly blocks: readonly Block[]; readonly more: readonly Block[] }
  | { readonly kind: "example"; readonly example: ManualExample }
  | {
      readonly kind: "version";
      readonly opsets: string;
      readonly reason: string;
      readonly place: "before" | "here" | "after";
    }
  | { readonly kind: "note"; readonly text: string }
  | {
      readonly kind: "operator";
      readonly operator: string;
      /** What a click searches for. */
      readonly query: string;
      readonly amount: string;
      readonly hint?: string;
      /** Of the most frequent one, from 0 to 1. */
      readonly share: number;
    }
  /** The operator of a box is a function of others. */
  | { readonly kind: "inside"; readonly box: number }
  | {
      readonly kind: "problem";
      readonly severity: Severity;
      readonly text: string;
      /** The kind of mistake, "" where it has no name. */
      readonly code: string;
      /** Changes that make it go away. */
      readonly repairs: readonly string[];
      /** What follows from it. */
      readonly followers: readonly Line[];
      /** The box it is about, -1 for the model as a whole or the box already shown. */
      readonly box: number;
    }
  | { readonly kind: "box"; readonly label: string; readonly box: number }
  | { readonly kind: "groups"; readonly groups: readonly number[]; readonly after?: string }
  | { readonly kind: "dims"; readonly value: string; readonly dims: readonly string[] }
  /** What a step computed; `hint` stands there before the first one. */
  | { readonly kind: "computed"; readonly value: string; readonly hint: string }
  /** `hint` stands there before the first step. */
  | { readonly kind: "statistics"; readonly value: string; readonly hint: string }
  | { readonly kind: "type"; readonly label: string; readonly text: string };

export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Shown closed at first. */
  readonly closed?: boolean;
}

export interface Inspection {
  readonly title: string;
  readonly subtitle: string;
  readonly category: string;
  readonly sections: readonly Section[];
  /** Whether there is something to light that feeds it or is fed by it. */
  readonly traceable?: boolean;
  /** Whether its constants are boxes of their own; undefined where that is no question. */
  readonly constants?: boolean | undefined;
}

/** A section without lines is none. */
export function section(title: string, lines: readonly Line[], closed = false): Section[] {
  return lines.length === 0 ? [] : [{ title, lines, closed }];
}

export function port(
  scene: Scene,
  name: string,
  value: string,
  type: string,
  words: { readonly doc: string; readonly takes: string } = { doc: "", takes: "" },
  ends: readonly number[] = [],
  side: "from" | "to" = "to",
): Line {
  const edge = scene.edgesOfValue.get(value)?.[0];
  return {
    kind: "port",
    port: name,
    value,
    type: type || scene.initializers.get(value)?.type || "",
    mark: edge === undefined ? "known" : at(scene.edges, edge).mark,
    initializer: scene.initializers.has(value),
    ...words,
    ends,
    side,
  };
}

/** A click on one searches for it. */
export function operatorLines({ operators }: GroupContent): Line[] {
  const most = operators[0]?.[1] ?? 1;
  return operators.map(([operator, count]) => ({
    kind: "operator",
    operator,
    query: operator,
    amount: String(count),
    share: count / most,
  }));
}
