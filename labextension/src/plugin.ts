import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin,
} from "@jupyterlab/application";
import { ISessionContextDialogs, WidgetTracker } from "@jupyterlab/apputils";
import type { DocumentRegistry, DocumentWidget } from "@jupyterlab/docregistry";
import { ModelFileFactory, OnnxDocumentFactory } from "./plugin/document";
import { onnxIcon } from "./plugin/icon";

const FACTORY = "ONNX Explorer";
const FILE_TYPE = "onnx";

/** Opens `.onnx` files with the explorer, drawn by the package that is installed in the kernel. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: "onnx-explorer:plugin",
  description: "Opens ONNX models in the explorer",
  autoStart: true,
  optional: [ILayoutRestorer, ISessionContextDialogs],
  activate: (
    app: JupyterFrontEnd,
    restorer: ILayoutRestorer | null,
    dialogs: ISessionContextDialogs | null,
  ) => {
    app.docRegistry.addFileType({
      name: FILE_TYPE,
      displayName: "ONNX model",
      extensions: [".onnx"],
      mimeTypes: ["application/onnx"],
      contentType: "file",
      fileFormat: null,
      icon: onnxIcon,
    });
    const models = new ModelFileFactory();
    app.docRegistry.addModelFactory(models);

    const factory = new OnnxDocumentFactory(dialogs, {
      name: FACTORY,
      label: FACTORY,
      modelName: models.name,
      fileTypes: [FILE_TYPE],
      defaultFor: [FILE_TYPE],
      readOnly: true,
      canStartKernel: true,
      preferKernel: true,
      shutdownOnClose: true,
    });
    const tracker = new WidgetTracker<DocumentWidget>({ namespace: "onnx-explorer" });
    factory.widgetCreated.connect((_, widget) => {
      void tracker.add(widget);
      widget.context.pathChanged.connect(() => void tracker.save(widget));
    });
    // The cast: JupyterLab's class and interface differ in a property that is absent or undefined.
    app.docRegistry.addWidgetFactory(factory as DocumentRegistry.WidgetFactory);
    void restorer?.restore(tracker, {
      command: "docmanager:open",
      args: (widget) => ({ path: widget.context.path, factory: FACTORY }),
      name: (widget) => widget.context.path,
    });
  },
};

export default plugin;
