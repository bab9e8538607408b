import type { LogRecord } from '@rostra/protocol/record/record';
import { limits } from '@rostra/protocol/wire/limits';

/** The newest committed records of a live session: most resumes are served from here without the store. */
export class LogTail {
  #records: LogRecord[] = [];
  #sizes: number[] = [];
  #bytes = 0;
  #first = 0;

  push(records: LogRecord[], sizes: number[]): void {
    for (const [index, record] of records.entries()) {
      const size = sizes[index] ?? 0;
      this.#records.push(record);
      this.#sizes.push(size);
      this.#bytes += size;
    }
    while (this.#bytes > limits.tail_bytes && this.#first < this.#records.length) {
      this.#bytes -= this.#sizes[this.#first] ?? 0;
      this.#first += 1;
    }
    // Compacting seldom keeps a push constant in time.
    if (this.#first > 1024 && this.#first * 2 > this.#records.length) {
      this.#records = this.#records.slice(this.#first);
      this.#sizes = this.#sizes.slice(this.#first);
      this.#first = 0;
    }
  }

  /** Every record after `seq`, or null when the tail does not reach back that far. */
  after(seq: number): LogRecord[] | null {
    const oldest = this.#records[this.#first];
    if (oldest === undefined || oldest.seq > seq + 1) return null;
    return this.#records.slice(this.#first + (seq + 1 - oldest.seq));
  }
}
