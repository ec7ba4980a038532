import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AloneTransport } from "../src/protocol/alone";
import { AnyWidgetTransport, type WidgetTraits } from "../src/protocol/anywidget";
import { KernelError } from "../src/protocol/transport";

type Listener = (...values: never[]) => void;

/** A widget model whose kernel is the test. */
class Model {
  readonly sent: { id: number; kind: string }[] = [];
  readonly traits: WidgetTraits = { scene: null, interiors: null, state: {}, selected: "" };
  saved = 0;
  broken = false;
  readonly #listeners = new Map<string, Set<Listener>>();

  get<K extends keyof WidgetTraits>(name: K): WidgetTraits[K] {
    return this.traits[name];
  }

  set<K extends keyof WidgetTraits>(name: K, value: WidgetTraits[K]): void {
    this.traits[name] = value;
    this.emit(`change:${String(name)}`);
  }

  save_changes(): void {
    this.saved++;
  }

  send(content: unknown): void {
    if (this.broken) throw new Error("the comm is closed");
    this.sent.push(content as { id: number; kind: string });
  }

  on(event: string, listener: Listener): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(listener));
  }

  off(event?: string | null, listener?: Listener | null): void {
    if (event && listener) this.#listeners.get(event)?.delete(listener);
  }

  emit(event: string, ...values: unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(...(values as never[]));
  }

  listening(event: string): number {
    return this.#listeners.get(event)?.size ?? 0;
  }
}

const pair = () => {
  const model = new Model();
  return { model, transport: new AnyWidgetTransport(model) };
};

describe("questions over a widget model", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("are answered by the reply with the same id, in whatever order", async () => {
    const { model, transport } = pair();
    const first = transport.ask({ kind: "explain", name: "x", axis: 1 });
    const second = transport.ask({ kind: "step" });
    const [a, b] = model.sent;
    expect(a).toMatchObject({ kind: "explain", name: "x", axis: 1 });
    const buffer = new DataView(new ArrayBuffer(4));
    model.emit("msg:custom", { id: b?.id, ok: true });
    model.emit("msg:custom", { id: a?.id, text: "from the file" }, [buffer]);
    expect((await second).ok).toBe(true);
    expect(await first).toEqual({ text: "from the file", buffers: [buffer] });
  });

  it("that the kernel refuses reject with its words", async () => {
    const { model, transport } = pair();
    const asked = transport.ask({ kind: "value", name: "nope" });
    model.emit("msg:custom", { id: model.sent[0]?.id, error: "no value 'nope'" });
    await expect(asked).rejects.toThrow(new KernelError("no value 'nope'"));
  });

  it("that nobody answers reject after a while and say what to do", async () => {
    const { transport } = pair();
    const asked = transport.ask({ kind: "initializer", name: "w" });
    const rejected = expect(asked).rejects.toThrow(/busy or gone.*run the cell again/s);
    await vi.advanceTimersByTimeAsync(60_000);
    await rejected;
  });

  it("that start a run wait as long as it takes", async () => {
    const { model, transport } = pair();
    const asked = transport.ask({ kind: "run" });
    await vi.advanceTimersByTimeAsync(3_600_000);
    model.emit("msg:custom", { id: model.sent[0]?.id, ok: true });
    expect((await asked).ok).toBe(true);
  });

  it("over a closed comm reject at once", async () => {
    const { model, transport } = pair();
    model.broken = true;
    await expect(transport.ask({ kind: "step" })).rejects.toThrow(
      /^No kernel is connected: .*Run the cell again\.$/,
    );
  });

  it("about a run that a kernel took with it reject, and the run is no longer on its way", async () => {
    const { model, transport } = pair();
    const states: (boolean | undefined)[] = [];
    transport.onState(() => states.push(transport.state.running));
    const run = expect(transport.ask({ kind: "run" })).rejects.toThrow("was restarted");
    model.set("state", { running: true, position: 3 });
    vi.advanceTimersByTime(5_000);
    // As long as something can be sent the kernel may be busy with another cell.
    expect(transport.state.running).toBe(true);
    model.broken = true;
    vi.advanceTimersByTime(5_000);
    await run;
    expect(transport.state).toEqual({ running: false, position: 3 });
    expect(states).toEqual([true, false]);
    model.broken = false;
    model.set("state", { running: true, position: 4 });
    expect(transport.state.running).toBe(true);
    transport.dispose();
  });

  it("about a run that a notebook was saved with find nobody, and it is no longer on its way", async () => {
    const model = new Model();
    model.traits.state = { running: true, position: 3 };
    const transport = new AnyWidgetTransport(model);
    expect(transport.state.running).toBe(true);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(transport.state).toEqual({ running: false, position: 3 });
    transport.dispose();
  });

  it("still open when the widget closes reject, and nothing listens any more", async () => {
    const { model, transport } = pair();
    const asked = transport.ask({ kind: "step" });
    transport.dispose();
    await expect(asked).rejects.toThrow(KernelError);
    expect(model.listening("msg:custom")).toBe(0);
  });

  it("ignore messages that are no replies", () => {
    const { model } = pair();
    for (const message of [null, "text", {}, { id: "1" }, { id: 99 }])
      expect(() => model.emit("msg:custom", message)).not.toThrow();
  });
});

describe("traits", () => {
  it("a selection is saved once, and again only when it changes", () => {
    const { model, transport } = pair();
    transport.setSelected("node:a", ["a"]);
    transport.setSelected("node:a", ["a"]);
    expect([model.traits.selected, model.saved]).toEqual(["node:a", 1]);
  });

  it("a change from the kernel reaches listeners until they leave", () => {
    const { model, transport } = pair();
    const heard = vi.fn();
    const end = transport.onState(heard);
    model.set("state", { position: 1 });
    end();
    model.set("state", { position: 2 });
    expect(heard).toHaveBeenCalledTimes(1);
    expect(transport.state.position).toBe(2);
  });

  it("before the scene has come there is none", () => {
    expect(pair().transport.scene).toBeUndefined();
  });
});

it("a page alone says that no kernel stands behind it", async () => {
  const transport = new AloneTransport("{}");
  await expect(transport.ask({ kind: "step" })).rejects.toThrow(/No kernel/);
});
