/** A recorded run: it moves over what was written down, and answers what can be asked about that. */
import type {
  FrameState,
  Miniature,
  Question,
  Statistics,
  StepState,
  ValueSummary,
  ValueView,
  ValueWindow,
} from "../protocol/messages";
import { sliced } from "./slices";

interface RecordedValue {
  /** The graph on its way that made it. */
  frame: number;
  /** The step after which it is there. */
  at: number;
  value: ValueSummary;
  statistics: Statistics;
  miniature: Miniature | null;
  views: Partial<Record<ValueView, ValueWindow>>;
  /** All elements of a small tensor. */
  numbers?: (number | string)[];
}

/** A graph on its way; the first is the main graph. */
interface RecordedFrame {
  path: string;
  /** The graph that its node lies in. */
  around: number;
  /** The how-manieth run of its node it is. */
  number: number;
  /** The step at which it was entered. */
  first: number;
}

interface RecordedStep {
  frame: number;
  /** How many nodes of the main graph have run. */
  position: number;
  current: string | null;
  ran: string[];
  values: Record<string, ValueSummary>;
}

export interface Recorded {
  total: number;
  message: string;
  frames: RecordedFrame[];
  steps: RecordedStep[];
  failed: string | null;
  failure: string | null;
  clash: StepState["clash"];
  values: Record<string, RecordedValue[]>;
}

const MOVES: ReadonlySet<string> = new Set([
  "step",
  "step_into",
  "step_out",
  "back",
  "run",
  "restart",
  "goto",
  "run_to",
  "pause",
  "break",
  "unbreak",
  "iteration",
]);
const LOOKS: ReadonlySet<string> = new Set([
  "value",
  "statistics",
  "view",
  "observed",
  "miniatures",
  "iterations",
]);

export class Recording {
  readonly #run: Recorded;
  /** For each step how many graphs are on their way. */
  readonly #depths: readonly number[];
  #at = 0;
  #failed = false;
  #note = "";
  #stops: string[] = [];
  /** The runs of bodies that are looked at in place of the last ones, by path. */
  #shown = new Map<string, number>();

  constructor(run: Recorded) {
    this.#run = run;
    this.#depths = run.steps.map(({ frame }) => this.#stackOf(frame).length);
  }

  static isMove({ kind }: Question): boolean {
    return MOVES.has(kind);
  }

  /** Whether it can be told about; what was made can be told of values alone that were written down. */
  knows(question: Question): boolean {
    if (question.kind === "statistics" || question.kind === "view" || question.kind === "value")
      return Object.hasOwn(this.#run.values, question.name);
    return MOVES.has(question.kind) || LOOKS.has(question.kind);
  }

  get state(): StepState {
    const { steps, total, message, failed, failure, clash } = this.#run;
    const step = steps[this.#at];
    return {
      stepping: true,
      position: step?.position ?? 0,
      total,
      note: this.#note,
      current: this.#failed ? null : (step?.current ?? null),
      done: this.#done(),
      failed: this.#failed ? failed : null,
      failure: this.#failed ? failure : null,
      clash: this.#failed ? (clash ?? null) : null,
      running: false,
      values: step?.values ?? {},
      message: `A recorded run. ${message}`,
      frames: this.#stack.slice(1).map((frame) => this.#frameState(frame)),
      iterations: Object.fromEntries(this.#shown),
      breakpoints: this.#stops.map((node) => ({ node, when: "always", place: "", hits: 0 })),
    };
  }

  move(question: Question): void {
    this.#note = "";
    if (question.kind === "iteration") {
      this.#show(question.path, question.iteration);
      return;
    }
    switch (question.kind) {
      case "step":
        this.#goTo(this.#over());
        break;
      case "step_into":
        this.#into();
        break;
      case "step_out":
        this.#goTo(this.#out());
        break;
      case "back":
        this.#goTo(this.#failed ? this.#at : this.#back());
        break;
      case "restart":
        this.#goTo(0);
        break;
      case "run":
        this.#goTo(this.#nextStop());
        break;
      case "goto":
        this.#goTo(this.#atPosition(question.position));
        break;
      case "run_to":
        this.#goTo(this.#placeOf(question.target));
        break;
      case "break":
        if (question.node) this.#stops.push(question.node);
        break;
      case "unbreak":
        this.#stops = this.#stops.filter((_, i) => i !== question.index);
    }
  }

  answer(question: Question): Record<string, unknown> {
    switch (question.kind) {
      case "value":
        return { ...this.#value(question.name).value };
      case "statistics":
        return { ...this.#value(question.name).statistics };
      case "view":
        return { ...this.#window(question) };
      case "observed":
        return { types: this.#each(question.names, ({ value }) => value.type) };
      case "miniatures":
        return { miniatures: this.#each(question.names, ({ miniature }) => miniature) };
      case "iterations":
        return { frames: this.#around(question.name) };
      default:
        return { ok: true };
    }
  }

  // Moves

  /** Behind the last step lies the failure, if the run ended with one. */
  #goTo(position: number): void {
    const last = this.#run.steps.length - 1;
    this.#failed = this.#run.failed !== null && position > last;
    this.#at = Math.max(0, Math.min(last, position));
    this.#shown = new Map();
  }

  get #depth(): number {
    return this.#depths[this.#at] ?? 1;
  }

  #into(): void {
    const depth = this.#depth;
    this.#goTo(this.#at + 1);
    if (!this.#failed && this.#depth <= depth)
      this.#note = "This page holds nothing that is inside of it: stepped over";
  }

  /** The next step from a place on that is no deeper, or that a breakpoint stops. */
  #over(): number {
    return this.#find((i) => this.#depthAt(i) <= this.#depth || this.#stopsAt(i));
  }

  #out(): number {
    return this.#find((i) => this.#depthAt(i) < this.#depth || this.#stopsAt(i));
  }

  #nextStop(): number {
    return this.#find((i) => this.#stopsAt(i));
  }

  #atPosition(position: number): number {
    const found = this.#run.steps.findIndex(
      (step) => step.position >= position && step.frame === 0,
    );
    return found < 0 ? this.#run.steps.length : found;
  }

  /** With all that was inside of the node that is taken back. */
  #back(): number {
    let place = this.#at - 1;
    while (place > 0 && this.#depthAt(place) > this.#depth) place--;
    return place;
  }

  #find(wanted: (step: number) => boolean): number {
    const { length } = this.#run.steps;
    for (let i = this.#at + 1; i < length; i++) if (wanted(i)) return i;
    return length;
  }

  #depthAt(step: number): number {
    return this.#depths[step] ?? 1;
  }

  #stopsAt(step: number): boolean {
    const current = this.#run.steps[step]?.current;
    return current !== null && current !== undefined && this.#stops.includes(current);
  }

  #placeOf(target: string): number {
    const name = target.replace(/^(value|node):/, "");
    const made = this.#run.values[name]?.[0]?.at;
    const ran = this.#run.steps.findIndex(({ ran: nodes }) => nodes.includes(name));
    if (made === undefined && ran < 0) throw new Error(`The recorded run has not come to ${name}.`);
    return ran >= 0 ? ran : (made ?? 0);
  }

  #done(): string[] {
    const latestFirst = new Set<string>();
    for (let i = this.#at; i >= 0; i--)
      for (const id of [...(this.#run.steps[i]?.ran ?? [])].reverse()) latestFirst.add(id);
    return [...latestFirst].reverse();
  }

  // Graphs on their way

  #stackOf(frame: number): number[] {
    const stack: number[] = [];
    for (let f = frame; f >= 0; f = this.#run.frames[f]?.around ?? -1) stack.unshift(f);
    return stack;
  }

  get #stack(): number[] {
    // A failure may have come in a graph that was entered behind the last step.
    const latest = this.#run.frames.length - 1;
    const { first = 0 } = this.#run.frames[latest] ?? {};
    if (this.#failed && first > this.#at) return this.#stackOf(latest);
    return this.#stackOf(this.#run.steps[this.#at]?.frame ?? 0);
  }

  /** The runs of a body so far, during what is shown of the graph around it. */
  #runs(path: string): number[] {
    const { frames } = this.#run;
    const until = this.#failed ? this.#at + 1 : this.#at;
    const entered = frames.flatMap((frame, i) =>
      frame.path === path && frame.first <= until ? [i] : [],
    );
    const around = entered.map((frame) => frames[frame]?.around ?? 0);
    const outer = frames[around.at(-1) ?? 0]?.path ?? "";
    const shown = this.#frame(outer);
    return entered.filter((_, i) => around[i] === shown);
  }

  /** What is shown of a graph: the last run of it, unless another was asked for. */
  #frame(path: string): number | undefined {
    if (path === "") return 0;
    const runs = this.#runs(path);
    return runs[Math.min(this.#shown.get(path) ?? runs.length, runs.length - 1)];
  }

  #show(path: string, iteration: number): void {
    for (const known of [...this.#shown.keys()])
      if (known.startsWith(path)) this.#shown.delete(known);
    this.#shown.set(path, Math.max(0, Math.min(iteration, this.#runs(path).length - 1)));
  }

  #frameState(frame: number): FrameState {
    const path = this.#run.frames[frame]?.path ?? "";
    const runs = this.#runs(path);
    const shown = this.#frame(path) ?? frame;
    const parts = path.replace(/\/$/, "");
    const cut = parts.lastIndexOf("/");
    const place = runs.indexOf(shown);
    const { number = place } = this.#run.frames[shown] ?? {};
    return {
      path,
      owner: parts.slice(0, cut),
      title: parts.slice(cut + 1),
      live: this.#stack.includes(frame),
      count: runs.length,
      shown: place,
      ...(number === place ? {} : { number }),
    };
  }

  /** The bodies around a node or a value that have been entered. */
  #around(name: string): FrameState[] {
    return pathsOf(name).flatMap((path) => {
      const frame = this.#frame(path);
      if (frame === undefined) return [];
      const live = this.#stack.some((one) => this.#run.frames[one]?.path === path);
      return [{ ...this.#frameState(frame), live }];
    });
  }

  // Values

  #found(name: string): RecordedValue | undefined {
    const made = Object.hasOwn(this.#run.values, name) ? (this.#run.values[name] ?? []) : [];
    const frame = made[0] && this.#frame(this.#run.frames[made[0].frame]?.path ?? "");
    return made.find((value) => value.frame === frame && value.at <= this.#at);
  }

  #value(name: string): RecordedValue {
    const value = this.#found(name);
    if (!value) throw new Error(`${name} has not been computed yet.`);
    return value;
  }

  #each<T>(names: readonly string[], tell: (value: RecordedValue) => T): Record<string, T> {
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = this.#found(name);
        return value ? [[name, tell(value)]] : [];
      }),
    );
  }

  #window(question: Extract<Question, { kind: "view" }>): ValueWindow {
    const { views, numbers } = this.#value(question.name);
    const first = Object.values(views)[0];
    const stored = (question.view && views[question.view]) || first;
    if (!stored) throw new Error("This page does not hold its elements: only its statistics.");
    return numbers ? sliced(stored, numbers, question) : stored;
  }
}

/** What may be the path of a graph around a node or value, the outermost first. */
function pathsOf(name: string): string[] {
  const paths: string[] = [];
  for (let place = name.indexOf("/"); place >= 0; place = name.indexOf("/", place + 1))
    paths.push(name.slice(0, place + 1));
  return paths;
}
