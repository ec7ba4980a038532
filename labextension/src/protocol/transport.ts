import type { AnswerTo, Question, StepState } from "./messages";
import type { Shared } from "./shared";

/** Ends a subscription. */
export type Unsubscribe = () => void;

/** The front end's only way to the model and the kernel: a notebook widget, the JupyterLab document or a page alone. */
export interface Transport {
  /** The scene's bytes, undefined until they have arrived. */
  readonly scene: DataView | undefined;
  onScene(listener: () => void): Unsubscribe;
  /** The functions of operators that a run has gone into: they belong inside the scene. */
  readonly interiors: DataView | undefined;
  onInteriors(listener: () => void): Unsubscribe;
  readonly state: StepState;
  onState(listener: () => void): Unsubscribe;
  /** `node:ID`, `value:NAME` or nothing. */
  readonly selected: string;
  /** Says both at once: Python never hears one without the other. */
  setSelected(selected: string, selection: readonly string[]): void;
  onSelected(listener: () => void): Unsubscribe;
  shared<K extends keyof Shared>(key: K): Shared[K];
  share<K extends keyof Shared>(key: K, value: Shared[K]): void;
  onShared(key: keyof Shared, listener: () => void): Unsubscribe;
  /** Whether it is worth asking: a page without a kernel has some answers with it. */
  canAnswer(question: Question): boolean;
  /** Rejects with a `KernelError` whose message can be shown as it is. */
  ask<Q extends Question>(
    question: Q,
    buffers?: ArrayBuffer[],
  ): Promise<AnswerTo<Q> & { buffers: DataView[] }>;
  dispose(): void;
}

/** The kernel's refusal, or its silence. */
export class KernelError extends Error {
  override readonly name = "KernelError";
}
