/**
 * The explorer on a page alone, with a real kernel where the browser's driver offers `oxAsk`, else with a stand-in for the kernel; `?scene=cnn|transformer|flat&n=…&theme=dark&kernel=no`,
 * or `?scene=out/model.json` for a scene that Python has written.
 */
import { leaseEngine } from "../../src/layout/shared";
import { AloneTransport } from "../../src/protocol/alone";
import type { Question, StepState, ValueSummary } from "../../src/protocol/messages";
import type { SceneColumns } from "../../src/protocol/scene";
import { KernelError } from "../../src/protocol/transport";
import { Explorer } from "../../src/view/explorer";
import { flat } from "../flat";
import { type SceneBuilder, smallCnn, transformer } from "../scenes";

const query = new URLSearchParams(location.search);
const size = Number(query.get("n") ?? 12);
const scenes: Record<string, () => SceneBuilder> = {
  cnn: smallCnn,
  transformer: () => transformer(size),
  flat: () => flat(size),
};
document.body.dataset.jpThemeLight = String(query.get("theme") !== "dark");

const wanted = query.get("scene") ?? "cnn";
const columns: SceneColumns = wanted.endsWith(".json")
  ? await (await fetch(wanted)).json()
  : (scenes[wanted] ?? smallCnn)().columns;
const { boxes, initializers } = columns;
const order = boxes.id.flatMap((id, i) => (boxes.kind[i] === "node" ? [id] : []));
let position = 0;

const summary = (name: string): ValueSummary => {
  const place = boxes.outputs.flat().find(([, value]) => value === name);
  const type = place?.[2] ?? initializers.type[initializers.name.indexOf(name)] ?? "float32[]";
  return {
    type: type.replace(/\bN\b/, "1"),
    min: -1.2345,
    max: 2.5,
    mean: 0.0123,
    nan: 0,
    head: ["-0.31", "0.02", "1.27", "0", "0.44"],
  };
};

const state = (): StepState => {
  const done = order.slice(0, position);
  const values: Record<string, ValueSummary> = {};
  const last = boxes.id.indexOf(done.at(-1) ?? "");
  for (const [, value] of boxes.outputs[last] ?? []) values[value] = summary(value);
  return {
    stepping: true,
    position,
    total: order.length,
    current: order[position] ?? null,
    done,
    failed: null,
    failure: null,
    running: false,
    values,
    message: "",
  };
};

/** A kernel behind the page: answers a question, and tells where the stepper stands then. */
type Ask = (
  question: Question,
) => Promise<{ answer: Record<string, unknown> & { error?: string }; state: StepState }>;

async function answer(question: Question): Promise<Record<string, unknown>> {
  const { oxAsk } = globalThis as { oxAsk?: Ask };
  if (oxAsk) {
    const { answer, state } = await oxAsk(question);
    // What only looks changes nothing: it must not tell of a new state, or looking would never end.
    if (JSON.stringify(state) !== JSON.stringify(transport.state)) transport.setState(state);
    if (answer.error) throw new KernelError(answer.error);
    return answer;
  }
  switch (question.kind) {
    case "initializer":
    case "value":
      return { ...summary(question.name) };
    case "statistics":
      return { ...summary(question.name) };
    case "explain": {
      const { name, axis } = question;
      return { steps: [[0, axis === null ? name : `${name}[${axis}]`, "1", "a rule", name]] };
    }
    case "observed":
      return {
        types: Object.fromEntries(question.names.map((name) => [name, summary(name).type])),
      };
    case "step":
      position = Math.min(order.length, position + 1);
      break;
    case "back":
      position = Math.max(0, position - 1);
      break;
    case "run":
      position = order.length;
      break;
    case "run_to":
      position = Math.max(position, order.indexOf(question.target) + 1);
      break;
    case "restart":
      position = 0;
  }
  transport.setState(state());
  return { ok: true };
}

const transport =
  query.get("kernel") === "no"
    ? new AloneTransport(JSON.stringify(columns))
    : new AloneTransport(JSON.stringify(columns), answer);
const { engine } = leaseEngine();
const layouts: { ms: number; characters: number }[] = [];
const explorer = new Explorer(transport, async (dot) => {
  const started = performance.now();
  const text = await engine.layout(dot);
  layouts.push({ ms: performance.now() - started, characters: dot.length });
  return text;
});
Object.assign(globalThis, { transport, explorer, layouts });
document.querySelector("main")?.append(explorer.root);
explorer.start();
