import type { ISessionContext } from "@jupyterlab/apputils";
import {
  ABCWidgetFactory,
  type DocumentRegistry,
  DocumentWidget,
  TextModelFactory,
} from "@jupyterlab/docregistry";
import type { Contents } from "@jupyterlab/services";
import type { Message } from "@lumino/messaging";
import { Widget } from "@lumino/widgets";
import { DocumentExplorer } from "./explorer";
import { show } from "./front_end";
import { onnxIcon } from "./icon";

/** Documents of which only metadata travels: with a format of null the server is never asked for the content. */
export class ModelFileFactory extends TextModelFactory {
  override get name(): string {
    return "onnx-explorer-file";
  }

  override get contentType(): Contents.ContentType {
    return "file";
  }

  override get fileFormat(): Contents.FileFormat {
    return null;
  }

  override preferredLanguage(_path: string): string {
    return "python";
  }
}

export class OnnxDocumentFactory extends ABCWidgetFactory<DocumentWidget<OnnxView>> {
  readonly #dialogs: ISessionContext.IDialogs | null;

  constructor(
    dialogs: ISessionContext.IDialogs | null,
    options: DocumentRegistry.IWidgetFactoryOptions<DocumentWidget<OnnxView>>,
  ) {
    super(options);
    this.#dialogs = dialogs;
  }

  protected createNewWidget(context: DocumentRegistry.Context): DocumentWidget<OnnxView> {
    const content = new OnnxView(DocumentExplorer.of(context), this.#dialogs);
    const widget = new DocumentWidget({ content, context });
    widget.title.icon = onnxIcon;
    widget.toolbar.hide();
    return widget;
  }
}

/** The content of a document: the explorer, or what it waits for, or why there is none. */
export class OnnxView extends Widget {
  readonly #explorer: DocumentExplorer;
  readonly #dialogs: ISessionContext.IDialogs | null;
  readonly #notice = document.createElement("div");
  readonly #drawing = document.createElement("div");
  #shown = new AbortController();

  constructor(explorer: DocumentExplorer, dialogs: ISessionContext.IDialogs | null) {
    super();
    this.#explorer = explorer;
    this.#dialogs = dialogs;
    this.addClass("onnx-explorer-document");
    this.node.tabIndex = -1;
    this.#notice.className = "onnx-explorer-notice";
    this.#notice.setAttribute("role", "status");
    this.#drawing.className = "onnx-explorer-drawing";
    this.node.append(this.#notice, this.#drawing);
    explorer.changed.connect(this.#update, this);
    this.#update();
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.#explorer.changed.disconnect(this.#update, this);
    this.#shown.abort();
    super.dispose();
  }

  protected override onActivateRequest(_message: Message): void {
    const inside = this.#drawing.querySelector<HTMLElement>("[tabindex]");
    (inside ?? this.node).focus();
  }

  #update(): void {
    const stage = this.#explorer.stage;
    this.#notice.dataset.stage = stage.kind;
    this.#notice.replaceChildren();
    // The drawing of an ended kernel stays: most of it needs none.
    if (stage.kind !== "ended") {
      this.#shown.abort();
      this.#drawing.replaceChildren();
    }
    switch (stage.kind) {
      case "ready":
        this.#draw(stage.model);
        break;
      case "waiting":
        this.#notice.append(paragraph(stage.message));
        break;
      case "ended":
        this.#notice.append(paragraph(stage.message), this.#buttons());
        break;
      case "failed":
        this.#notice.append(paragraph(stage.message), this.#buttons());
        if (stage.details) this.#notice.append(unfoldable("Details", stage.details));
    }
  }

  #draw(model: Parameters<typeof show>[0]): void {
    const controller = new AbortController();
    this.#shown = controller;
    show(model, this.#drawing, controller.signal).catch((error: unknown) => {
      if (controller.signal.aborted) return;
      this.#notice.dataset.stage = "failed";
      this.#notice.append(paragraph(`The front end of the explorer failed: ${String(error)}`));
    });
  }

  #buttons(): HTMLElement {
    const bar = document.createElement("div");
    bar.append(button("open-again", "Open again", () => void this.#explorer.open()));
    const dialogs = this.#dialogs;
    if (dialogs)
      bar.append(button("choose-kernel", "Choose a kernel…", () => this.#choose(dialogs)));
    return bar;
  }

  #choose(dialogs: ISessionContext.IDialogs): void {
    const session = this.#explorer.session;
    // A kernel that a person chose may be at work elsewhere: it is theirs to end.
    session.kernelPreference = { ...session.kernelPreference, shutdownOnDispose: false };
    void dialogs.selectKernel(session);
  }
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement("p");
  element.textContent = text;
  return element;
}

function button(action: string, label: string, act: () => void): HTMLElement {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "jp-mod-styled";
  element.dataset.action = action;
  element.textContent = label;
  element.addEventListener("click", act);
  return element;
}

function unfoldable(label: string, text: string): HTMLElement {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = label;
  const pre = document.createElement("pre");
  pre.textContent = text;
  details.append(summary, pre);
  return details;
}
