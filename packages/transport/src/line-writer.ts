import type { Writable } from 'node:stream';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';

const TAKEN_MAX = 256;

/** A line, or how to make it when the write that carries it is put together; undefined then means none. */
type QueuedLine = string | (() => string | undefined);

/**
 * The outgoing half of a connection. All lines of one tick leave as one write, urgent ones first; while the stream is
 * full they wait here, up to a bound. A line that is still to be made takes no room until the stream has some.
 */
export class LineWriter {
  readonly #writable: Writable;
  #urgent: string[] = [];
  #data: QueuedLine[] = [];
  #next = 0;
  #queuedChars = 0;
  #writing = 0;
  #scheduled = false;
  #full = false;
  #broken = false;
  #onRoom: (() => void)[] = [];
  #onFlushed: (() => void)[] = [];

  constructor(writable: Writable) {
    this.#writable = writable;
    writable.on('drain', () => this.#drained());
    // A broken pipe ends what can be said, not what can be heard: the last results of a dead process are still to come.
    writable.on('error', () => this.#break());
    writable.on('close', () => this.#break());
  }

  /** The other side does not read as fast as this one writes. */
  get congested(): boolean {
    return this.#full && !this.#broken;
  }

  get broken(): boolean {
    return this.#broken;
  }

  send(line: string, urgent: boolean): void {
    if (this.#broken) return;
    const bound = urgent ? limits.peer_queue_bytes * 2 : limits.peer_queue_bytes;
    if (this.#queuedChars + line.length > bound) {
      throw new ApiError('rate_limited', 'The other side does not read what is sent to it.', { retryable: true });
    }
    this.#queuedChars += line.length;
    if (urgent) this.#urgent.push(line);
    else this.#data.push(line);
    this.#schedule();
  }

  /** Takes its place among the data lines now; what it says is asked when it leaves. */
  sendLate(make: () => string | undefined): void {
    if (this.#broken) return;
    this.#data.push(make);
    this.#schedule();
  }

  /** Resolves at once unless the stream is full; also when there is nothing to wait for any more. */
  room(): Promise<void> {
    if (!this.congested) return Promise.resolve();
    return new Promise((resolve) => this.#onRoom.push(resolve));
  }

  /** Resolves when everything sent so far was handed to the operating system, or never can be. */
  flushed(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#onFlushed.push(resolve));
  }

  /** Writes out what is queued and takes no more. */
  finish(): void {
    this.#full = false;
    for (let batch = this.#batch(); batch !== ''; batch = this.#batch()) this.#write(batch);
    this.#break();
  }

  #schedule(): void {
    if (this.#scheduled || this.#full) return;
    this.#scheduled = true;
    // After all callbacks and promises of this turn of the loop, and before it waits for IO again.
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (!this.#full && !this.#broken) {
      const batch = this.#batch();
      if (batch === '') break;
      this.#full = !this.#write(batch);
    }
    if (this.#isIdle()) this.#wake('flushed');
  }

  #write(batch: string): boolean {
    this.#writing += 1;
    return this.#writable.write(batch, () => {
      this.#writing -= 1;
      if (this.#isIdle()) this.#wake('flushed');
    });
  }

  #batch(): string {
    let batch = '';
    for (const line of this.#urgent) {
      this.#queuedChars -= line.length;
      batch += `${line}\n`;
    }
    if (this.#urgent.length > 0) this.#urgent = [];
    while (this.#next < this.#data.length && batch.length < limits.peer_write_bytes) {
      const queued = this.#data[this.#next];
      this.#next += 1;
      if (typeof queued === 'string') this.#queuedChars -= queued.length;
      const line = typeof queued === 'function' ? made(queued) : queued;
      if (line !== undefined) batch += `${line}\n`;
    }
    this.#forgetTaken();
    return batch;
  }

  /** The head of the queue moves by index; the lines behind it are let go now and then, not one by one. */
  #forgetTaken(): void {
    if (this.#next < this.#data.length && this.#next < TAKEN_MAX) return;
    this.#data = this.#data.slice(this.#next);
    this.#next = 0;
  }

  #drained(): void {
    this.#full = false;
    this.#flush();
    if (!this.#full) this.#wake('room');
  }

  #break(): void {
    this.#broken = true;
    this.#urgent = [];
    this.#data = [];
    this.#next = 0;
    this.#queuedChars = 0;
    this.#wake('room');
    if (this.#isIdle()) this.#wake('flushed');
  }

  #isIdle(): boolean {
    const empty = this.#urgent.length === 0 && this.#data.length === 0;
    return empty && (this.#writing === 0 || this.#writable.destroyed);
  }

  #wake(what: 'room' | 'flushed'): void {
    const waiting = what === 'room' ? this.#onRoom : this.#onFlushed;
    if (waiting.length === 0) return;
    if (what === 'room') this.#onRoom = [];
    else this.#onFlushed = [];
    for (const resolve of waiting) resolve();
  }
}

function made(make: () => string | undefined): string | undefined {
  const line = make();
  if (line !== undefined && frameBytes(line) > limits.frame_bytes) throw new Error('a line was made over the limit');
  return line;
}

/** A UTF-16 unit is at most three bytes of UTF-8: lines that are short by that measure need not be counted. */
export function frameBytes(line: string): number {
  return line.length * 3 <= limits.frame_bytes ? line.length : Buffer.byteLength(line);
}
