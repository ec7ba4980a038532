import { type Kernel, KernelMessage } from "@jupyterlab/services";
import type { JSONObject } from "@lumino/coreutils";
import { CommModel, WIDGET_TARGET } from "./comm_model";

const WIDGET_MIME = "application/vnd.jupyter.widget-view+json";

/** What went wrong in the kernel, in one sentence to show and the rest to unfold. */
export class OpenError extends Error {
  override readonly name = "OpenError";
  constructor(
    message: string,
    readonly details = "",
  ) {
    super(message);
  }
}

/**
 * Makes the explorer of one model file in a kernel.
 *
 * The kernel reads the file; `fileName` is relative to the folder that the kernel was started in.
 */
export async function openModel(
  kernel: Kernel.IKernelConnection,
  fileName: string,
): Promise<CommModel> {
  if (!kernel.handleComms) {
    throw new OpenError(
      "This kernel belongs to another document, which receives its messages. Choose a kernel of its own for this file.",
    );
  }
  const models = new Map<string, CommModel>();
  const collect = (comm: Kernel.IComm, opening: KernelMessage.ICommOpenMsg) => {
    models.set(comm.commId, new CommModel(comm, opening));
  };
  kernel.registerCommTarget(WIDGET_TARGET, collect);
  try {
    const id = await showDocument(kernel, fileName);
    const model = models.get(id);
    if (!model) throw new OpenError("The kernel made the explorer, but its widget did not arrive.");
    return model;
  } finally {
    kernel.removeCommTarget(WIDGET_TARGET, collect);
  }
}

/** Runs the package's own opener in the kernel; the widget that it returns is told by its id. */
async function showDocument(kernel: Kernel.IKernelConnection, fileName: string): Promise<string> {
  // A string as JSON writes it is a string of Python too.
  const code = `from onnx_explorer.widgets import document\ndocument(${JSON.stringify(fileName)})`;
  let id: string | undefined;
  let failure: OpenError | undefined;
  const future = kernel.requestExecute({ code, store_history: false, stop_on_error: true });
  future.onIOPub = (message) => {
    if (KernelMessage.isErrorMsg(message)) {
      failure = explain(message.content);
    } else if (
      KernelMessage.isExecuteResultMsg(message) ||
      KernelMessage.isDisplayDataMsg(message)
    ) {
      const view = message.content.data[WIDGET_MIME] as JSONObject | undefined;
      if (typeof view?.model_id === "string") id = view.model_id;
    }
  };
  const gone = kernelGone(kernel);
  try {
    await Promise.race([future.done, gone.promise]);
  } finally {
    gone.forget();
  }
  if (failure) throw failure;
  if (id === undefined) throw new OpenError("The kernel ran the opener, but it made no widget.");
  return id;
}

/** Rejects when the kernel dies: its reply would never come. */
function kernelGone(kernel: Kernel.IKernelConnection) {
  let watch: (sender: unknown, status: Kernel.Status) => void = () => undefined;
  const promise = new Promise<never>((_, reject) => {
    watch = (_sender, status) => {
      if (status === "dead" || status === "autorestarting" || status === "terminating") {
        reject(
          new OpenError("The kernel ended while it read the file; it may have run out of memory."),
        );
      }
    };
    kernel.statusChanged.connect(watch);
  });
  return { promise, forget: () => kernel.statusChanged.disconnect(watch) };
}

function explain(error: KernelMessage.IErrorMsg["content"]): OpenError {
  // Tracebacks come coloured for terminals.
  const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
  const details = error.traceback.join("\n").replaceAll(colour, "");
  if (error.ename === "ModuleNotFoundError" && error.evalue.includes("'onnx_explorer'")) {
    return new OpenError(
      "This kernel's Python has no package onnx_explorer. Install it there (pip install onnx-explorer), or choose another kernel.",
      details,
    );
  }
  return new OpenError(`${error.ename}: ${error.evalue}`, details);
}
