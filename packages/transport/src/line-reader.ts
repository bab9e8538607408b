import { limits } from '@rostra/protocol/wire/limits';

const NEWLINE = 0x0a;
const HELD_BYTES_MIN = 4096;
const HELD_BYTES_KEPT_MAX = 64 * 1024;

export interface LineSink {
  /** One line without its newline; `bytes` is what it measured on the wire. */
  onLine(line: string, bytes: number): void;
  /** A line outgrew the limit: how it began. The rest of it is skipped. */
  onOverlong(start: string): void;
}

/**
 * Cuts a stream of bytes into lines. Only whole lines are decoded, so that a character is never torn at the border of
 * two chunks. What waits for its newline lies in one growing buffer: a writer that dribbles single bytes costs no
 * object per byte.
 */
export class LineReader {
  readonly #limit: number;
  readonly #sink: LineSink;
  #held = Buffer.alloc(0);
  #length = 0;
  #skipping = false;
  #stopped = false;

  constructor(limit: number, sink: LineSink) {
    this.#limit = limit;
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let from = 0;
    while (from < chunk.length && !this.#stopped) {
      const newline = chunk.indexOf(NEWLINE, from);
      const to = newline === -1 ? chunk.length : newline;
      this.#take(chunk.subarray(from, to), newline !== -1);
      from = to + 1;
    }
  }

  /** The stream is over: what has no newline is the last line. */
  end(): void {
    if (!this.#stopped && this.#length > 0) this.#take(Buffer.alloc(0), true);
    this.stop();
  }

  /** Delivers nothing more, not even the rest of the chunk at hand. */
  stop(): void {
    this.#stopped = true;
    this.#release();
  }

  #take(piece: Buffer, whole: boolean): void {
    if (this.#skipping) {
      this.#skipping = !whole;
      return;
    }
    const length = this.#length + piece.length;
    if (length > this.#limit) {
      const start = this.#start(piece);
      this.#release();
      this.#skipping = !whole;
      this.#sink.onOverlong(start);
      return;
    }
    if (!whole) {
      this.#hold(piece);
      return;
    }
    if (this.#length === 0) {
      this.#sink.onLine(piece.toString('utf8'), length);
      return;
    }
    this.#hold(piece);
    const line = this.#held.toString('utf8', 0, length);
    this.#release();
    this.#sink.onLine(line, length);
  }

  #hold(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(HELD_BYTES_MIN, this.#held.length * 2, length));
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    piece.copy(this.#held, this.#length);
    this.#length = length;
  }

  #release(): void {
    this.#length = 0;
    if (this.#held.length > HELD_BYTES_KEPT_MAX) this.#held = Buffer.alloc(0);
  }

  #start(piece: Buffer): string {
    const shown = Math.min(this.#limit, limits.log_line_chars);
    const held = this.#held.subarray(0, Math.min(this.#length, shown));
    return Buffer.concat([held, piece.subarray(0, shown - held.length)]).toString('utf8');
  }
}
