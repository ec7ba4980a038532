export interface LayoutRequest {
  readonly id: number;
  readonly dot: string;
}

export type LayoutReply =
  /** The worker has started. */
  | { readonly id: 0 }
  | { readonly id: number; readonly text: string }
  | {
      readonly id: number;
      readonly error: string;
      /** The engine may be left in pieces and has to be started anew. */
      readonly broken: boolean;
    };

/** Where the worker's text registers itself when it runs in the page instead. */
export const IN_PAGE = Symbol.for("onnx-explorer.layout.in-page");

export type Serve = (request: LayoutRequest) => Promise<LayoutReply>;
