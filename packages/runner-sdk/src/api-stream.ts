import { CallChunkParams } from '@rostra/protocol/runner/wire-params';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';

type Push = (chunk: Json) => void;

/** Which open call a piece belongs to. A piece of a call that is over is nobody's. */
export class CallStreams {
  readonly #open = new Map<number | string, Push>();

  open(id: number, push: Push): void {
    this.#open.set(id, push);
  }

  close(id: number): void {
    this.#open.delete(id);
  }

  receive(params: Json | undefined): void {
    const piece = CallChunkParams.safeParse(params);
    if (piece.success) this.#open.get(piece.data.id)?.(piece.data.chunk);
  }
}

interface Source<C, R> {
  open(push: (chunk: C) => void): Promise<R>;
  giveUp(): void;
}

/**
 * An answer in pieces: iterate over it once. What came before an error is delivered, then the error is thrown; to stop
 * early gives the call up.
 */
export class ApiStream<C, R> implements AsyncIterable<C> {
  /** What closed the stream; rejects with what broke it. */
  readonly result: Promise<R>;
  readonly #source: Source<C, R>;
  readonly #waiting: C[] = [];
  #wake: () => void = () => undefined;
  #isOver = false;
  #overflow: ApiError | undefined;

  constructor(source: Source<C, R>) {
    this.#source = source;
    this.result = source.open((chunk) => this.#push(chunk));
    const end = () => {
      this.#isOver = true;
      this.#wake();
    };
    this.result.then(end, end);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<C> {
    try {
      for (;;) {
        const chunk = this.#waiting.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#overflow !== undefined) throw this.#overflow;
        else if (this.#isOver) break;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
      await this.result;
    } finally {
      if (!this.#isOver) this.#source.giveUp();
    }
  }

  #push(chunk: C): void {
    if (this.#waiting.length >= limits.api_stream_chunks) {
      this.#overflow ??= new ApiError('rate_limited', 'More pieces came than were read.');
      this.#source.giveUp();
    } else this.#waiting.push(chunk);
    this.#wake();
  }
}
