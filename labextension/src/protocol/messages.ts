/** What travels between the front end and the kernel besides the scene. */

/** A tensor in a few numbers; numbers arrive as JSON numbers or, where JSON has none (NaN, inf), as text. */
export interface ValueSummary {
  type: string;
  min?: number | string | null;
  max?: number | string | null;
  mean?: number | string | null;
  /** How many elements are NaN. */
  nan?: number | null;
  head?: string[] | null;
}

/** The stepper's state, a synced trait; every field may be missing before the first step. */
export interface StepState {
  stepping?: boolean;
  /** Nodes done so far, of `total`. */
  position?: number;
  total?: number;
  /** What is to be said of the last move. */
  note?: string;
  /** The id of the box that runs next. */
  current?: string | null;
  done?: string[];
  failed?: string | null;
  failure?: string | null;
  running?: boolean;
  values?: Record<string, ValueSummary>;
  message?: string;
  /** The subgraphs on their way, the outermost first. */
  frames?: FrameState[];
  /** The iterations that are shown in place of the last ones, by path. */
  iterations?: Record<string, number>;
  breakpoints?: BreakpointState[];
  /** The place in the list of the breakpoint that ended the last run. */
  stopped?: number | null;
  clash?: Clash | null;
  /** How often the inputs have been changed. */
  inputs?: number;
  /** Whether they have been since the run began. */
  stale?: boolean;
  /** Whether the scene is that of a changed model. */
  what_if?: boolean;
  watches?: WatchRow[];
  /** How often values that were seen may have become others. */
  turns?: number;
}

/** A value at the size of a label: itself, or bars between `low` and `high`. */
export interface Miniature {
  text?: string;
  low?: number;
  high?: number;
  counts?: number[];
  nan: number;
  infinite: number;
  sampled?: boolean;
}

/** A watched expression: what it comes to, or why to nothing, and what it came to before. */
export interface WatchRow {
  text: string;
  shown: string;
  problem: string;
  points: (number | string)[];
}

/** A loop's body, a branch or a function that was entered `count` times. */
export interface FrameState {
  path: string;
  /** The node that it belongs to. */
  owner: string;
  title: string;
  live: boolean;
  count: number;
  shown: number;
  /** Which round it is, from 0, where not all are there. */
  number?: number;
}

export interface BreakpointState {
  /** A node's id; nothing for any node. */
  node: string;
  when: string;
  /** Other places that were set in Python: an operator, a group, a value. */
  place: string;
  hits: number;
  /** What there is to know of it: where it can stop at all, or why it stopped elsewhere. */
  note?: string;
}

/** Why a node failed: what came, and what was expected. */
export interface Clash {
  found: string;
  expected: string;
  port: string;
}

/** How an input is filled; the last three hold what a person gave. */
export type Filling = "random" | "zeros" | "ones" | "list" | "file" | "python";

export interface InputRow {
  name: string;
  type: string;
  how: Filling;
  /** What was typed, or the file's name. */
  text: string;
  /** The type of what it is now. */
  shown: string;
  problem: string;
  /** Where it takes a picture; a height or width of 0 is open. */
  image?: { layout: string; height: number; width: number };
}

/** An open size; `fixed` names the input that decides it, `asked` what the model asks of it. */
export interface SizeRow {
  name: string;
  size: number;
  fixed: string;
  asked: string;
}

/** What the next run starts from. */
export interface InputsState {
  seed: number;
  rows: InputRow[];
  sizes: SizeRow[];
}

/** One thing that is otherwise: of an attribute `place` is the node, else what is changed. */
export interface Change {
  what: "size" | "type" | "attribute" | "initializer";
  place: string;
  name: string;
  text: string;
}

export interface WhatIfState {
  sizes: string[];
  inputs: [name: string, type: string][];
  changes: (Change & { told: string })[];
  /** How many edges say something else. */
  changed: number;
  gone: string[];
  new: string[];
}

export type StepKind = "step" | "step_into" | "step_out" | "back" | "run" | "restart" | "pause";

export type Question =
  | { kind: StepKind }
  | { kind: "run_to"; target: string }
  /** To where so many nodes of the main graph have run. */
  | { kind: "goto"; position: number }
  | { kind: "break"; node: string; when: string }
  | { kind: "unbreak"; index: number }
  | { kind: "iteration"; path: string; iteration: number }
  | { kind: "iterations"; name: string }
  | { kind: "set"; name: string; text: string }
  | { kind: "retry"; attributes: Record<string, string> }
  | { kind: "inputs" }
  /** A file's bytes, or an image's pixels, travel beside it. */
  | {
      kind: "fill";
      name: string;
      how: "random" | "zeros" | "ones" | "list" | "file" | "image";
      text?: string;
      file?: string;
      height?: number;
      width?: number;
    }
  | { kind: "size"; name: string; size: number }
  | { kind: "seed"; seed: number }
  | { kind: "watch"; text: string }
  | { kind: "unwatch"; text: string }
  | { kind: "what_if" }
  | ({ kind: "change" } & Change)
  | ({ kind: "take_back" } & Change)
  | { kind: "reset" }
  | { kind: "take_over" }
  /** What the edges said before a what-if. */
  | { kind: "was" }
  /** The function that an operator stands for, without a run that goes there. */
  | { kind: "look_inside"; node: string }
  /** What the next move into an operator would show of it. */
  | { kind: "foresee" }
  /** A new run, from the inputs as they are now. */
  | { kind: "begin" }
  | { kind: "value"; name: string }
  | { kind: "initializer"; name: string }
  | { kind: "code"; name: string }
  | { kind: "statistics"; name: string }
  /** A window of a value; what is left out is guessed. */
  | ({ kind: "view"; name: string } & WindowChoice)
  | { kind: "partners"; name: string }
  | { kind: "difference"; name: string; against: Against; other: string | number }
  | { kind: "explain"; name: string; axis: number | null }
  /** The types of those of these values that have been computed. */
  | { kind: "observed"; names: string[] }
  /** Those of these values that have been computed, at the size of a label. */
  | { kind: "miniatures"; names: string[] }
  /** Least and largest element of what each node has made. */
  | { kind: "ranges" }
  /** The nodes that read or have made a NaN. */
  | { kind: "nan" }
  | { kind: "operator"; name: string; version: number; domain: string };

export interface Done {
  ok: true;
}

/** What a code of a finding means. */
export interface CodeWords {
  headline: string;
  meaning: string;
  example: string;
  remedy: string;
}

/** How deep the step stands below the first one, what is said, and the value it is about. */
export type DerivationRow = [
  depth: number,
  what: string,
  fact: string,
  reason: string,
  value: string,
];

export interface Explanation {
  steps: DerivationRow[];
}

/** Only tensors of numbers have more than a summary; `looked_at` is smaller than `elements` where a sample had to do. */
export interface Statistics extends ValueSummary {
  elements?: number;
  bytes?: number;
  looked_at?: number;
  std?: number | string;
  infinite?: number;
  zeros?: number;
  histogram?: { low: number | string; high: number | string; counts: number[] };
}

export type ValueView = "table" | "heat" | "image" | "line" | "top" | "text";

export interface WindowChoice {
  view?: ValueView;
  /** An index for every axis; those of axes that are shown are passed over. */
  at?: number[];
  /** The axes that are shown: rows and columns, or the one of a line. */
  axes?: number[];
  /** The first of each axis that a table shows. */
  start?: number[];
  layout?: string;
  /** One channel of an image in place of its colours. */
  channel?: number | undefined;
  /** Of a list. */
  item?: number;
  /** The difference to another value is looked at. */
  against?: Against | undefined;
  other?: string | number | undefined;
}

/** Another value, another iteration, the run before, or what the model was compared with. */
export type Against = "value" | "iteration" | "former" | "compared";

export interface Partner {
  against: Against;
  other: string | number;
  label: string;
  /** Of an iteration: how many there are. */
  count?: number;
  /** Of another step: those whose values have the same shape, in the order of the run. */
  steps?: { value: string; node: string }[];
}

export interface DifferentElement {
  at: number[];
  ours: string;
  theirs: string;
  difference: string;
}

export interface Difference {
  ours: Statistics;
  theirs: Statistics;
  difference: Statistics;
  /** How many elements are the same. */
  equal: number;
  elements: number;
  largest: DifferentElement[];
  mean_apart: number | string;
}

/** Each row and column shown stands for `every` of the slice's; numbers as in a summary. */
export interface ValueWindow {
  view: ValueView;
  views: ValueView[];
  type: string;
  sizes: number[];
  at: number[];
  axes: number[];
  start: number[];
  every: number[];
  rows: number;
  columns: number;
  numbers?: (number | string)[];
  /** The upper ends of a line's points. */
  highs?: (number | string)[];
  texts?: string[];
  low?: number | string;
  high?: number | string;
  indices?: number[];
  /** Probabilities, or the softmax of what are none. */
  shares?: number[];
  layout?: string;
  layouts?: string[];
  /** -1 for colours. */
  channel?: number;
  channels?: number;
  item?: number;
  items?: number;
  /** Whether NaN and infinities between the elements shown were looked for. */
  scanned?: boolean;
}

export interface ObservedTypes {
  types: Record<string, string>;
}

export interface ManualPort {
  name: string;
  types: string[];
  option: "single" | "optional" | "variadic";
  doc: string;
}

export interface ManualAttribute {
  name: string;
  type: string;
  /** Nothing where there is none. */
  default: string;
  required: boolean;
  doc: string;
}

/** `type` is empty where the text says it all. */
export interface ShownValue {
  name: string;
  type: string;
  text: string;
}

export interface ManualExample {
  inputs: ShownValue[];
  attributes: ShownValue[];
  outputs: ShownValue[];
}

/** What a version changed; `until` is the last opset in which it holds, null for the newest. */
export interface ManualVersion {
  since: number;
  until: number | null;
  reason: string;
}

/** An operator in one version, in words; examples are of the newest. */
export interface Manual {
  operator: string;
  domain: string;
  version: number;
  deprecated: boolean;
  doc: string;
  inputs: ManualPort[];
  outputs: ManualPort[];
  attributes: ManualAttribute[];
  examples: ManualExample[];
  versions: ManualVersion[];
  /** Whether the standard gives it as a function of other operators. */
  function?: boolean;
}

/** What a question is answered with. */
export type AnswerTo<Q extends Question> = Q extends { kind: keyof Answers }
  ? Answers[Q["kind"]]
  : Done;

interface Answers {
  value: ValueSummary;
  initializer: ValueSummary;
  statistics: Statistics;
  view: ValueWindow;
  iterations: { frames: FrameState[] };
  explain: Explanation;
  code: CodeWords;
  operator: Manual;
  observed: ObservedTypes;
  miniatures: { miniatures: Record<string, Miniature> };
  partners: { partners: Partner[] };
  difference: Difference;
  nan: {
    nodes: string[];
    /** What may have been missed; empty if nothing. */
    note?: string;
  };
  ranges: { ranges: Record<string, [low: number, high: number]> };
  inputs: InputsState;
  fill: InputsState;
  size: InputsState;
  seed: InputsState;
  what_if: WhatIfState;
  change: WhatIfState;
  take_back: WhatIfState;
  reset: WhatIfState;
  was: { labels: Record<string, string> };
  /** A line of the functions that a run has gone into; empty where there is nothing that is not known. */
  foresee: { interior: string };
}

/** A question as it is sent; the reply carries the same `id`. */
export type Envelope = Question & { id: number };

export type Reply = ({ id: number } & Record<string, unknown>) | { id: number; error: string };

export function isReply(message: unknown): message is Reply {
  return (
    typeof message === "object" &&
    message !== null &&
    "id" in message &&
    typeof message.id === "number"
  );
}
