import { message, type RunResult, resumed, text } from '@rostra/runner-sdk';
import type { ModelAnswer } from './model-caller.ts';
import type { TurnRun } from './turn-run.ts';

/** What people are shown of a turn: in pieces where the surface can, otherwise message by message. */
export class Speech {
  readonly isStreamed: boolean;
  readonly #showsReasoning: boolean;
  /** Everything of the turn, also what an earlier attempt said. */
  #said: string;
  /** Of the message that is still open. */
  #open: string;

  /** `open`: what an earlier attempt said of the message that goes on. */
  constructor({ context, settings }: TurnRun, open: string) {
    this.isStreamed = context.delivery.supports_streaming;
    this.#showsReasoning = settings.show_reasoning;
    this.#said = resumed(context)?.said ?? '';
    this.#open = open;
  }

  get said(): string {
    return this.#said;
  }

  /** Takes note of what goes by. */
  async *through<T>(results: AsyncGenerator<RunResult, T>): AsyncGenerator<RunResult, T> {
    for (;;) {
      const next = await results.next();
      if (next.done === true) return next.value;
      if (next.value.type === 'message.delta') this.#note(next.value.data.chunk.content ?? '');
      yield next.value;
    }
  }

  /** An answer that was not streamed, or what stands behind one that was. */
  *say(answer: Pick<ModelAnswer, 'text' | 'reasoning'>, behind = ''): Generator<RunResult> {
    const missing = this.isStreamed ? behind : answer.text + behind;
    if (missing === '') return;
    this.#note(missing);
    if (this.isStreamed) yield text(missing);
    else {
      const { type, data } = message(missing);
      const thought = this.#showsReasoning && answer.reasoning !== '' ? { reasoning_content: answer.reasoning } : {};
      yield { type, data: { message: { ...data.message, ...thought } } };
    }
  }

  /** The calls of tools stand between messages. */
  closed(): void {
    this.#open = '';
  }

  /** Ends the message that is open: what follows answers something else. */
  *close(): Generator<RunResult> {
    if (this.isStreamed && this.#open !== '') yield message(this.#open);
    this.#open = '';
  }

  #note(piece: string): void {
    this.#said += piece;
    this.#open += piece;
  }
}
