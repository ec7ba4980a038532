import type { Kernel, KernelMessage } from "@jupyterlab/services";
import type { JSONObject } from "@lumino/coreutils";
import { beforeEach, expect, test, vi } from "vitest";
import { CommModel } from "../src/plugin/comm_model";

interface Sent {
  data: JSONObject;
  buffers: unknown;
}

/** A comm whose kernel is the test. */
class FakeComm {
  isDisposed = false;
  readonly sent: Sent[] = [];
  onMsg: (message: KernelMessage.ICommMsgMsg) => void = () => undefined;
  onClose: () => void = () => undefined;
  send(data: JSONObject, _metadata: unknown, buffers: unknown) {
    this.sent.push({ data, buffers });
  }
  dispose() {
    this.isDisposed = true;
  }
  receive(data: JSONObject, buffers: ArrayBuffer[] = []) {
    this.onMsg({ content: { data }, buffers } as unknown as KernelMessage.ICommMsgMsg);
  }
}

const bytes = (...values: number[]) => new Uint8Array(values).buffer;

let comm: FakeComm;
let model: CommModel;

beforeEach(() => {
  comm = new FakeComm();
  const opening = {
    content: {
      data: {
        state: { selected: "", state: { position: 0 }, nested: { deep: {} } },
        buffer_paths: [["scene"], ["nested", "deep", "block"]],
      },
    },
    buffers: [bytes(1, 2, 3), bytes(9)],
  };
  model = new CommModel(
    comm as unknown as Kernel.IComm,
    opening as unknown as KernelMessage.ICommOpenMsg,
  );
});

test("binary parts of the state stand where their paths say", () => {
  expect((model.get("scene") as DataView).byteLength).toBe(3);
  const nested = model.get("nested") as { deep: { block: DataView } };
  expect(nested.deep.block.getUint8(0)).toBe(9);
});

test("an update from the kernel changes only what it names, and tells those who listen for it", () => {
  const state = vi.fn();
  const selected = vi.fn();
  model.on("change:state", state);
  model.on("change:selected", selected);
  comm.receive({ method: "update", state: { state: { position: 1 } }, buffer_paths: [] });
  expect(model.get("state")).toEqual({ position: 1 });
  expect(state).toHaveBeenCalledOnce();
  expect(selected).not.toHaveBeenCalled();
  expect((model.get("scene") as DataView).byteLength).toBe(3);
});

test("the kernel's echo of an update of ours is no news", () => {
  const listener = vi.fn();
  model.on("change:selected", listener);
  comm.receive({ method: "echo_update", state: { selected: "node:old" }, buffer_paths: [] });
  expect(listener).not.toHaveBeenCalled();
  expect(model.get("selected")).toBe("");
});

test("saving sends what was set since, once", () => {
  model.set("selected", "node:conv1");
  expect(comm.sent).toEqual([]);
  model.save_changes();
  model.save_changes();
  expect(comm.sent.map(({ data }) => data)).toEqual([
    { method: "update", state: { selected: "node:conv1" }, buffer_paths: [] },
  ]);
});

test("setting the same value again is no change", () => {
  const listener = vi.fn();
  model.on("change:selected", listener);
  model.set("selected", "");
  model.save_changes();
  expect(listener).not.toHaveBeenCalled();
  expect(comm.sent).toEqual([]);
});

test("a custom message brings its buffers as views", () => {
  const listener = vi.fn();
  model.on("msg:custom", listener);
  comm.receive({ method: "custom", content: { id: 7 } }, [bytes(5, 6)]);
  const [content, buffers] = listener.mock.calls[0] as [unknown, DataView[]];
  expect(content).toEqual({ id: 7 });
  expect(buffers.map((view) => view.byteLength)).toEqual([2]);
});

test("a listener taken off hears nothing, the others still do", () => {
  const [gone, stays] = [vi.fn(), vi.fn()];
  model.on("msg:custom", gone);
  model.on("msg:custom", stays);
  model.off("msg:custom", gone);
  comm.receive({ method: "custom", content: {} });
  expect(gone).not.toHaveBeenCalled();
  expect(stays).toHaveBeenCalledOnce();
});

test("a listener that throws does not keep the message from the next one", () => {
  const silenced = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const next = vi.fn();
  model.on("msg:custom", () => {
    throw new Error("mine");
  });
  model.on("msg:custom", next);
  comm.receive({ method: "custom", content: {} });
  expect(next).toHaveBeenCalledOnce();
  expect(silenced).toHaveBeenCalledOnce();
  silenced.mockRestore();
});

test("a question to a kernel that has gone fails at once instead of waiting for ever", () => {
  comm.onClose();
  expect(() => model.send({ id: 1, kind: "step" })).toThrow("kernel of this document has ended");
  expect(comm.sent).toEqual([]);
});

test("what is looked at changes without a kernel too", () => {
  comm.onClose();
  model.set("selected", "node:conv1");
  model.save_changes();
  expect(model.get("selected")).toBe("node:conv1");
  expect(comm.sent).toEqual([]);
});
