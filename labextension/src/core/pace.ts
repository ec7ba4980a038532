/** Long work in pieces: between them the page can paint and answer. */

/** Work that may stop at every `yield`. */
export type Steps<T> = Generator<void, T>;

/** A piece that is worth a pause. */
const PIECE_MS = 12;
/** How many small things are done before the time is looked at. */
export const MANY = 1024;
/** How many larger ones. */
export const SOME = 64;

/** All of it at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export async function inPieces<T>(steps: Steps<T>): Promise<T> {
  let began = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - began < PIECE_MS) continue;
    await pause();
    began = performance.now();
  }
}

interface Scheduler {
  yield?(): Promise<void>;
}

/** Lets events and frames in. */
export async function pause(): Promise<void> {
  const scheduler = Reflect.get(globalThis, "scheduler") as Scheduler | undefined;
  // A timer comes back later than it has to, but every browser has it.
  if (scheduler?.yield) await scheduler.yield();
  else await new Promise((resolve) => setTimeout(resolve));
}

/** The next frame, or soon where none comes: nobody sees the page. */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 100);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** When the page has nothing else to do, or soon all the same. */
export function idle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === "function")
      requestIdleCallback(() => resolve(), { timeout: 300 });
    else setTimeout(resolve, 100);
  });
}

/** Pauses for several things that go on side by side: they take turns, and each looks at the time when its turn comes. */
export class Pace {
  #began = performance.now();
  #turn: Promise<void> = Promise.resolve();

  rest(): Promise<void> {
    this.#turn = this.#turn.then(() => {
      if (performance.now() - this.#began < PIECE_MS) return undefined;
      return pause().then(() => {
        this.#began = performance.now();
      });
    });
    return this.#turn;
  }
}
