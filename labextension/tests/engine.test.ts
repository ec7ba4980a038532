import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LayoutEngine } from "../src/layout/engine";
import type { LayoutReply, LayoutRequest } from "../src/layout/messages";
import { leaseEngine } from "../src/layout/shared";

/** A worker that the test plays. */
class FakeWorker {
  static made: FakeWorker[] = [];
  static blocked = false;
  readonly got: LayoutRequest[] = [];
  ended = false;
  onmessage: ((event: { data: LayoutReply }) => void) | null = null;
  onerror: ((event: { message: string; preventDefault(): void }) => void) | null = null;

  constructor() {
    FakeWorker.made.push(this);
    queueMicrotask(() => {
      if (FakeWorker.blocked) this.onerror?.({ message: "", preventDefault: () => undefined });
      else this.say({ id: 0 });
    });
  }

  postMessage(request: LayoutRequest): void {
    this.got.push(request);
  }

  terminate(): void {
    this.ended = true;
  }

  say(reply: LayoutReply): void {
    this.onmessage?.({ data: reply });
  }

  answer(text: string): void {
    const id = this.got.at(-1)?.id ?? -1;
    this.say({ id, text });
  }
}

const latest = () => {
  const worker = FakeWorker.made.at(-1);
  if (!worker) throw new Error("no worker was made");
  return worker;
};

beforeEach(() => {
  FakeWorker.made = [];
  FakeWorker.blocked = false;
  vi.useFakeTimers();
  vi.stubGlobal("Worker", FakeWorker);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the layout engine", () => {
  it("sends one request at a time, in order", async () => {
    const engine = new LayoutEngine();
    const both = [engine.layout("a"), engine.layout("b")];
    await vi.advanceTimersByTimeAsync(0);
    expect(latest().got.map(({ dot }) => dot)).toEqual(["a"]);
    latest().answer("A");
    expect(latest().got.map(({ dot }) => dot)).toEqual(["a", "b"]);
    latest().answer("B");
    expect(await Promise.all(both)).toEqual(["A", "B"]);
    expect(FakeWorker.made.length).toBe(1);
  });

  it("ends a worker that takes too long and serves the next request with another", async () => {
    const engine = new LayoutEngine();
    const slow = engine.layout("slow", { timeout_ms: 500 });
    const next = engine.layout("next");
    const rejected = expect(slow).rejects.toThrow("0.5 s");
    await vi.advanceTimersByTimeAsync(600);
    await rejected;
    expect(FakeWorker.made.map(({ ended }) => ended)).toEqual([true, false]);
    latest().answer("N");
    expect(await next).toBe("N");
  });

  it("keeps the worker after a syntax error and replaces it after anything worse", async () => {
    const engine = new LayoutEngine();
    const wrong = engine.layout("{");
    await vi.advanceTimersByTimeAsync(0);
    latest().say({ id: latest().got[0]?.id ?? -1, error: "syntax error", broken: false });
    await expect(wrong).rejects.toThrow("syntax error");
    const deep = engine.layout("deep");
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeWorker.made.length).toBe(1);
    latest().say({ id: latest().got[1]?.id ?? -1, error: "stack", broken: true });
    await expect(deep).rejects.toThrow("stack");
    expect(FakeWorker.made.map(({ ended }) => ended)).toEqual([true, false]);
  });

  it("cancels what waits without touching what runs", async () => {
    const engine = new LayoutEngine();
    const abort = new AbortController();
    const runs = engine.layout("runs");
    const waits = engine.layout("waits", { signal: abort.signal });
    const rejected = expect(waits).rejects.toThrow("cancelled");
    await vi.advanceTimersByTimeAsync(0);
    abort.abort();
    await rejected;
    latest().answer("R");
    expect(await runs).toBe("R");
    expect(FakeWorker.made.length).toBe(1);
  });

  it("lets what is cancelled early come to its end, and ends the worker that goes on with it", async () => {
    const engine = new LayoutEngine();
    const [early, late] = [new AbortController(), new AbortController()];
    const quick = engine.layout("quick", { signal: early.signal });
    const gone = expect(quick).rejects.toThrow("cancelled");
    await vi.advanceTimersByTimeAsync(0);
    early.abort();
    await gone;
    const slow = engine.layout("slow", { signal: late.signal });
    const after = engine.layout("after");
    latest().answer("Q");
    expect(FakeWorker.made.length).toBe(1);
    const stopped = expect(slow).rejects.toThrow("cancelled");
    await vi.advanceTimersByTimeAsync(1000);
    late.abort();
    await stopped;
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeWorker.made.map(({ ended }) => ended)).toEqual([true, false]);
    expect(latest().got.map(({ dot }) => dot)).toEqual(["after"]);
    latest().answer("A");
    expect(await after).toBe("A");
  });

  it("starts one worker for all that one signal ends", async () => {
    const engine = new LayoutEngine();
    const all = new AbortController();
    const jobs = ["a", "b", "c"].map((dot) => engine.layout(dot, { signal: all.signal }));
    const gone = Promise.all(jobs.map((job) => expect(job).rejects.toThrow("cancelled")));
    await vi.advanceTimersByTimeAsync(1000);
    all.abort();
    await gone;
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeWorker.made.map(({ ended }) => ended)).toEqual([true, false]);
    expect(latest().got).toEqual([]);
  });

  it("where workers are forbidden, and the page cannot help either, says so", async () => {
    FakeWorker.blocked = true;
    const engine = new LayoutEngine();
    const rejected = expect(engine.layout("a")).rejects.toThrow(/no layout engine starts here/);
    vi.useRealTimers();
    await rejected;
  });

  it("rejects what is open when it is disposed of", async () => {
    const engine = new LayoutEngine();
    const open = engine.layout("a");
    const rejected = expect(open).rejects.toThrow("cancelled");
    await vi.advanceTimersByTimeAsync(0);
    engine.dispose();
    await rejected;
  });
});

describe("the page's one engine", () => {
  it("is shared by its users and ends with the last of them", async () => {
    const [a, b] = [leaseEngine(), leaseEngine()];
    expect(a.engine).toBe(b.engine);
    const asked = a.engine.layout("x");
    await vi.advanceTimersByTimeAsync(0);
    latest().answer("X");
    await asked;
    a.release();
    a.release();
    expect(latest().ended).toBe(false);
    b.release();
    expect(latest().ended).toBe(true);
    const c = leaseEngine();
    expect(c.engine).not.toBe(a.engine);
    c.release();
  });
});
