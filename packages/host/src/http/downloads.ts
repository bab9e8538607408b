import type { Writable } from 'node:stream';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../session/clock.ts';
import { HttpError } from './errors.ts';

/** Bytes of a file, from an offset on; none when they are gone. */
export type ReadBytes = (offset: number, bytes: number) => Promise<Uint8Array | null>;

/** Files on their way to readers: so many at once, and none to a reader who takes nothing. */
export class Downloads {
  readonly #clock: Clock;
  #open = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A place for one more, or the refusal; whoever has it gives it back. */
  admit(): () => void {
    if (this.#open >= limits.downloads) {
      throw new HttpError(429, 'rate_limited', `${limits.downloads} files are being read`, {
        retryable: true,
        details: { hint: 'Read the files one after the other.' },
      });
    }
    this.#open += 1;
    return () => {
      this.#open -= 1;
    };
  }

  /** All bytes from the first to the last; resolves when the reader has them, is gone or was cut. */
  async send(to: Writable, { first, last }: { first: number; last: number }, read: ReadBytes): Promise<void> {
    let offset = first;
    while (offset <= last && !to.destroyed) {
      const bytes = await read(offset, Math.min(limits.stream_piece_bytes, last - offset + 1));
      // It was removed while it was being read: half an answer is cut.
      if (bytes === null || bytes.length === 0) break;
      offset += bytes.length;
      if (!to.write(bytes) && !to.destroyed) await this.#taken(to, 'drain');
    }
    if (offset <= last) to.destroy();
    if (to.destroyed) return;
    const taken = this.#taken(to, 'finish');
    to.end();
    await taken;
  }

  /** Until the reader has taken what was written, or is gone; one who takes nothing for so long is cut. */
  #taken(to: Writable, event: 'drain' | 'finish'): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#clock.at(this.#clock.now() + limits.sse_stall, () => to.destroy());
      const goOn = () => {
        callOff();
        for (const each of [event, 'close']) to.off(each, goOn);
        resolve();
      };
      for (const each of [event, 'close']) to.on(each, goOn);
    });
  }
}
