/** The scene as Python sends it: UTF-8 JSON in columns. `core/scene.ts` checks it and turns it into objects. */

export const SCENE_VERSION = 1;

/** `operator`: the function that the standard gives for an operator, there once a run has gone into it. */
export const GROUP_KINDS = ["root", "scope", "function", "subgraph", "operator"] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

export const BOX_KINDS = ["input", "output", "node", "constant", "initializer"] as const;
export type BoxKind = (typeof BOX_KINDS)[number];

export const CATEGORIES = [
  "convolution",
  "matrix",
  "recurrent",
  "activation",
  "normalization",
  "pooling",
  "reduction",
  "elementwise",
  "shape",
  "tensor",
  "logic",
  "control",
  "quantization",
  "sequence",
  "random",
  "io",
  "other",
] as const;
export type Category = (typeof CATEGORIES)[number];

export const MARKS = ["known", "unknown", "mismatch"] as const;
export type Mark = (typeof MARKS)[number];

/** A number, arithmetic over symbols, or "" where nothing is known. */
export type Figure = number | string;

export type Severity = "error" | "warning";

/** Name, text, and 1 where the text is the operator's default rather than the model's own. */
export type AttributeRow = [name: string, text: string, isDefault: 0 | 1];
export type PortRow = [port: string, value: string, type: string];
export type ProblemRow = [severity: Severity, message: string, code: string, repairs: string[]];
/** `cause` is the row that this one follows from, or -1. */
export type DiagnosticRow = [
  severity: Severity,
  code: string,
  message: string,
  box: number,
  cause: number,
  repairs: string[],
];

/** A function of the model, with how many nodes it has and how many call it. */
export type FunctionRow = [
  name: string,
  domain: string,
  inputs: string[],
  outputs: string[],
  nodes: number,
  calls: number,
];

export interface GroupColumns {
  parent: number[];
  label: string[];
  kind: GroupKind[];
  /** The node that owns a subgraph or function body, else -1. */
  box: number[];
}

export interface BoxColumns {
  group: number[];
  kind: BoxKind[];
  id: string[];
  op: string[];
  domain: string[];
  version: number[];
  name: string[];
  detail: string[];
  category: Category[];
  attributes: AttributeRow[][];
  inputs: PortRow[][];
  outputs: PortRow[][];
  doc: string[];
  metadata: [key: string, value: string][][];
  problems: ProblemRow[][];
  /** Of all outputs. */
  bytes: Figure[];
  /** Multiply-adds. */
  macs: Figure[];
  /** Operations; a multiply-add is two. */
  flops: Figure[];
}

export interface EdgeColumns {
  value: string[];
  source: number[];
  target: number[];
  label: string[];
  mark: Mark[];
  note: string[];
  /** What the file says of the type, empty where it says nothing or the same as the label. */
  declared: string[];
  /** 1 where the file alone knows the type. */
  from_file: (0 | 1)[];
}

export interface InitializerColumns {
  name: string[];
  type: string[];
  bytes: number[];
  /** The nodes that use it. */
  boxes: number[][];
  /** The group of the graph that it stands in. */
  group: number[];
  /** Its element where it has but one, else empty. */
  text: string[];
  /** One a reader, why it does not fit there; none where it fits everywhere. */
  notes: string[][];
}

export interface SceneColumns {
  version: number;
  title: string;
  model: [label: string, text: string][];
  groups: GroupColumns;
  boxes: BoxColumns;
  edges: EdgeColumns;
  initializers: InitializerColumns;
  diagnostics: DiagnosticRow[];
  /** Long names of dims with the short forms that stand for them in the drawing. */
  aliases?: [name: string, short: string][];
  functions?: FunctionRow[];
  /** Sizes that the symbols of the inputs are likely to have. */
  sizes?: [symbol: string, size: number][];
}
