import { type Recorded, Recording } from "../core/recorded";
import { AloneTransport, type Answers } from "./alone";
import type { AnswerTo, Question } from "./messages";
import { KernelError } from "./transport";

/** A page alone that holds a recorded run: it moves through that and answers from it. */
export class ReplayTransport extends AloneTransport {
  readonly #recording: Recording;

  constructor(scene: DataView, answers: Answers, run: Recorded) {
    super(scene, undefined, answers);
    this.#recording = new Recording(run);
    this.setState(this.#recording.state);
  }

  override canAnswer(question: Question): boolean {
    return super.canAnswer(question) || this.#recording.knows(question);
  }

  override async ask<Q extends Question>(
    question: Q,
  ): Promise<AnswerTo<Q> & { buffers: DataView[] }> {
    if (super.canAnswer(question) || !this.#recording.knows(question)) return super.ask(question);
    try {
      if (Recording.isMove(question)) {
        this.#recording.move(question);
        this.setState(this.#recording.state);
      }
      const answer = this.#recording.answer(question);
      return { ...answer, buffers: [] } as unknown as AnswerTo<Q> & { buffers: DataView[] };
    } catch (error) {
      throw new KernelError(error instanceof Error ? error.message : String(error));
    }
  }
}
