/** A recorded run: it moves over what was written down, and answers what can be asked about that. */
import type {
  Miniature,
  Question,
  Statistics,
  StepState,
  ValueSummary,
  ValueView,
  ValueWindow,
} from "../protocol/messages";

interface RecordedValue {
  /** The step after which it is there. */
  at: number;
  value: ValueSummary;
  statistics: Statistics;
  miniature: Miniature | null;
  views: Partial<Record<ValueView, ValueWindow>>;
  /** All elements of a small tensor. */
  numbers?: (number | string)[];
}

interface RecordedStep {
  current: string | null;
  ran: string[];
  values: Record<string, ValueSummary>;
}

export interface Recorded {
  total: number;
  message: string;
  steps: RecordedStep[];
  failed: string | null;
  failure: string | null;
  clash: StepState["clash"];
  values: Record<string, RecordedValue>;
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
]);
const LOOKS: ReadonlySet<string> = new Set([
  "value",
  "statistics",
  "view",
  "observed",
  "miniatures",
  "iterations",
]);
const ROWS = 32;
const COLUMNS = 16;

export class Recording {
  readonly #run: Recorded;
  #at = 0;
  #failed = false;
  #stops: string[] = [];

  constructor(run: Recorded) {
    this.#run = run;
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
      position: Math.min(total, this.#at),
      total,
      current: this.#failed ? null : (step?.current ?? null),
      done: steps.slice(0, this.#at + 1).flatMap(({ ran }) => ran),
      failed: this.#failed ? failed : null,
      failure: this.#failed ? failure : null,
      clash: this.#failed ? (clash ?? null) : null,
      running: false,
      values: step?.values ?? {},
      message: `A recorded run. ${message}`,
      breakpoints: this.#stops.map((node) => ({ node, when: "always", place: "", hits: 0 })),
    };
  }

  move(question: Question): void {
    switch (question.kind) {
      case "step":
      case "step_into":
        this.#goTo(this.#at + 1);
        break;
      case "back":
        this.#goTo(this.#failed ? this.#at : this.#at - 1);
        break;
      case "restart":
        this.#goTo(0);
        break;
      case "step_out":
      case "run":
        this.#goTo(this.#nextStop());
        break;
      case "goto":
        this.#goTo(question.position);
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
        return { frames: [] };
      default:
        return { ok: true };
    }
  }

  /** Behind the last step lies the failure, if the run ended with one. */
  #goTo(position: number): void {
    const last = this.#run.steps.length - 1;
    this.#failed = this.#run.failed !== null && position > last;
    this.#at = Math.max(0, Math.min(last, position));
  }

  #nextStop(): number {
    const found = this.#run.steps.findIndex(
      ({ current }, i) => i > this.#at && current !== null && this.#stops.includes(current),
    );
    return found < 0 ? this.#run.steps.length : found;
  }

  #placeOf(target: string): number {
    const name = target.replace(/^(value|node):/, "");
    const made = this.#run.values[name]?.at;
    const ran = this.#run.steps.findIndex(({ ran: nodes }) => nodes.includes(name));
    if (made === undefined && ran < 0) throw new Error(`The recorded run has not come to ${name}.`);
    return ran >= 0 ? ran : (made ?? 0);
  }

  #has(name: string): boolean {
    const value = Object.hasOwn(this.#run.values, name) ? this.#run.values[name] : undefined;
    return value !== undefined && value.at <= this.#at;
  }

  #value(name: string): RecordedValue {
    const value = this.#run.values[name];
    if (!value || !this.#has(name)) throw new Error(`${name} has not been computed yet.`);
    return value;
  }

  #each<T>(names: readonly string[], tell: (value: RecordedValue) => T): Record<string, T> {
    const known = names.filter((name) => this.#has(name));
    return Object.fromEntries(known.map((name) => [name, tell(this.#value(name))]));
  }

  #window(question: Extract<Question, { kind: "view" }>): ValueWindow {
    const { views, numbers } = this.#value(question.name);
    const first = Object.values(views)[0];
    const stored = (question.view && views[question.view]) || first;
    if (!stored) throw new Error("This page does not hold its elements: only its statistics.");
    return numbers ? sliced(stored, numbers, question) : stored;
  }
}

/** Another slice of a small tensor, in a view that needs no more than its elements. */
function sliced(
  stored: ValueWindow,
  numbers: readonly (number | string)[],
  { at = [], axes: asked = [], start = [] }: Extract<Question, { kind: "view" }>,
): ValueWindow {
  const { view, sizes } = stored;
  if (view !== "table" && view !== "heat" && view !== "line") return stored;
  const axes = asked.length === stored.axes.length ? asked : stored.axes;
  const place = sizes.map((size, i) => Math.max(0, Math.min(at[i] ?? 0, size - 1)));
  const strides = sizes.map((_, i) => sizes.slice(i + 1).reduce((all, size) => all * size, 1));
  const [rowAxis, columnAxis] = axes.length === 2 ? axes : [undefined, axes[0]];
  const sizeOf = (axis: number | undefined) => (axis === undefined ? 1 : (sizes[axis] ?? 1));
  const [height, width] = [sizeOf(rowAxis), sizeOf(columnAxis)];
  const whole = view !== "table";
  if (whole && (height > stored.rows * 4 || width > 256)) return stored;
  const [row = 0, column = 0] = axes.length === 2 ? start : [0, start[0]];
  const rows = whole ? height : Math.min(ROWS, height - row);
  const columns = whole ? width : Math.min(COLUMNS, width - column);
  const cells = Array.from({ length: rows * columns }, (_, i) => {
    const index = [...place];
    if (rowAxis !== undefined) index[rowAxis] = (whole ? 0 : row) + Math.floor(i / columns);
    if (columnAxis !== undefined) index[columnAxis] = (whole ? 0 : column) + (i % columns);
    return numbers[index.reduce((all, one, axis) => all + one * (strides[axis] ?? 1), 0)] ?? "nan";
  });
  const made = { ...stored, at: place, axes, rows, columns, every: [1, 1] };
  if (!whole) return { ...made, start: [row, column], texts: cells.map(String) };
  const finite = cells.filter((cell): cell is number => typeof cell === "number");
  const [low, high] = finite.length > 0 ? [Math.min(...finite), Math.max(...finite)] : [0, 0];
  const both = view === "line" ? { highs: cells } : {};
  return { ...made, numbers: cells, low, high, start: [0, 0], ...both };
}
