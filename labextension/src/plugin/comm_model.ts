import type { AnyModel } from "@anywidget/types";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import type { JSONObject, JSONValue } from "@lumino/coreutils";

/** The comm target to which ipywidgets, in the kernel, opens the comms of its models. */
export const WIDGET_TARGET = "jupyter.widget";

type State = Record<string, unknown>;
/** Takes whatever its event carries. */
type Listener = (...values: never[]) => void;

/**
 * One widget of the kernel as anywidget's front ends see it, spoken to over its comm.
 *
 * A document has a kernel of its own and a single widget in it, so it needs no widget manager: this is the part of
 * ipywidgets' protocol (version 2) that one model uses.
 */
export class CommModel implements AnyModel<State> {
  readonly #comm: Kernel.IComm;
  readonly #state: State;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #unsaved = new Set<string>();
  #closed = false;

  constructor(comm: Kernel.IComm, opening: KernelMessage.ICommOpenMsg) {
    this.#comm = comm;
    this.#state = stateOf(opening.content.data, opening.buffers);
    comm.onMsg = (message) => this.#receive(message.content.data, message.buffers);
    comm.onClose = () => {
      this.#closed = true;
    };
  }

  readonly widget_manager = {
    get_model: (id: string) =>
      Promise.reject(new Error(`A document holds one widget; it cannot reach the model ${id}.`)),
  };

  get(name: string): unknown {
    return this.#state[name];
  }

  set(name: string, value: unknown): void {
    if (this.#state[name] === value) return;
    this.#state[name] = value;
    this.#unsaved.add(name);
    this.#emit(`change:${name}`);
    this.#emit("change");
  }

  /** With the kernel gone, what is looked at changes here alone. */
  save_changes(): void {
    if (this.#ended) return;
    const state: JSONObject = {};
    for (const name of this.#unsaved) state[name] = this.#state[name] as JSONValue;
    this.#unsaved.clear();
    if (Object.keys(state).length > 0) {
      this.#post({ method: "update", state, buffer_paths: [] });
    }
  }

  send(content: unknown, _callbacks?: unknown, buffers?: ArrayBuffer[] | ArrayBufferView[]): void {
    this.#post({ method: "custom", content: content as JSONValue }, buffers);
  }

  on(event: string, listener: Listener): void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
  }

  off(event?: string | null, listener?: Listener | null): void {
    for (const [name, listeners] of this.#listeners) {
      if (event && name !== event) continue;
      if (listener) listeners.delete(listener);
      else listeners.clear();
    }
  }

  /** From now on every question to the kernel is refused: it has gone. */
  close(): void {
    this.#closed = true;
    if (!this.#comm.isDisposed) this.#comm.dispose();
  }

  get #ended(): boolean {
    return this.#closed || this.#comm.isDisposed;
  }

  #post(data: JSONObject, buffers?: (ArrayBuffer | ArrayBufferView)[]): void {
    if (this.#ended) throw new Error("the kernel of this document has ended");
    this.#comm.send(data, undefined, buffers);
  }

  #receive(data: JSONValue, buffers: Buffers): void {
    const message = data as JSONObject;
    if (message.method === "custom") {
      this.#emit("msg:custom", message.content, viewsOf(buffers));
    } else if (message.method === "update") {
      const changed = stateOf(data, buffers);
      Object.assign(this.#state, changed);
      for (const name of Object.keys(changed)) this.#emit(`change:${name}`);
      this.#emit("change");
    }
  }

  #emit(event: string, ...values: unknown[]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      // One listener's mistake must not keep the message from the others.
      try {
        listener(...(values as never[]));
      } catch (error) {
        console.error(error);
      }
    }
  }
}

type Buffers = readonly (ArrayBuffer | ArrayBufferView)[] | undefined;

function viewsOf(buffers: Buffers): DataView[] {
  return (buffers ?? []).map((buffer) =>
    ArrayBuffer.isView(buffer)
      ? new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
      : new DataView(buffer),
  );
}

/** The state that a message carries, with its binary parts back in their places. */
function stateOf(data: JSONValue, buffers: Buffers): State {
  const { state, buffer_paths: paths } = data as { state?: State; buffer_paths?: string[][] };
  const whole: State = { ...state };
  const views = viewsOf(buffers);
  paths?.forEach((path, index) => {
    const last = path.at(-1);
    let holder: State = whole;
    for (const step of path.slice(0, -1)) holder = holder[step] as State;
    if (last !== undefined) holder[last] = views[index];
  });
  return whole;
}
