import { limits } from '@rostra/protocol/wire/limits';
import { createParser } from 'eventsource-parser';
import { unreachable } from './rostra-error.ts';
import type { Timing } from './timing.ts';

/** One event as it stands on the wire. */
export interface Frame {
  readonly id: string;
  /** JSON, byte for byte as the host wrote it. */
  readonly data: string;
}

/**
 * The frames of one response, read only as far as they are asked for: what is not asked for waits in the network, and
 * the host stops writing. Of a line without end no more is kept than the host may write at once.
 */
export class FrameReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #timing: Timing;
  readonly #decoder = new TextDecoder();
  readonly #ready: Frame[] = [];
  #broken: Error | null = null;
  readonly #parser = createParser({
    maxBufferSize: limits.frame_bytes,
    onEvent: ({ id, data }) => {
      // A frame without an id cannot be resumed from; the host writes none.
      if (id !== undefined && id !== '') this.#ready.push({ id, data });
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') this.#broken = error;
    },
  });

  constructor(body: ReadableStream<Uint8Array>, timing: Timing) {
    this.#reader = body.getReader();
    this.#timing = timing;
  }

  /** The next frame; null at a clean end. Rejects when the connection breaks or says nothing for too long. */
  async next(): Promise<Frame | null> {
    for (;;) {
      const frame = this.#ready.shift();
      if (frame !== undefined) return frame;
      if (this.#broken !== null) throw unreachable(this.#broken);
      const { done, value } = await this.#read();
      if (done) return null;
      this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    }
  }

  /** Lets go of the connection. */
  close(): void {
    // A connection that is broken cannot be closed in order, and need not be.
    this.#reader.cancel().catch(() => undefined);
  }

  #read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
    return new Promise((resolve, reject) => {
      const callOff = this.#timing.after(limits.stream_silence, () => {
        reject(unreachable(new Error('the stream went silent')));
        this.close();
      });
      this.#reader.read().then(
        (chunk) => {
          callOff();
          resolve(chunk);
        },
        (error: unknown) => {
          callOff();
          reject(unreachable(error));
        },
      );
    });
  }
}
