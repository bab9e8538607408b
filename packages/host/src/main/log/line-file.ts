import { write, writeSync } from 'node:fs';
import { limits } from '@rostra/protocol/wire/limits';

/** How long lines wait for each other: the log is for reading later, and a write for each would cost more than they do. */
const GATHER_MS = 20;
/** How long a terminal or a pipe that takes nothing is left alone. */
const RETRY_MS = 100;

/** Whoever reads is slow; otherwise they are gone. */
function isBusy(error: { code?: unknown }): boolean {
  return error.code === 'EAGAIN' || error.code === 'EBUSY';
}

/**
 * Lines on their way to a file, a pipe or a terminal, written many together and by nobody who waits.
 *
 * L1. In the order in which they came, each once.
 * L2. At most `limits.log_buffer_bytes` wait; what comes on top is dropped.
 * L3. Whoever read them may leave before us, and a full disk must not end the host: from then on they are dropped.
 */
export class LineFile {
  readonly #fd: number;
  #waiting: string[] = [];
  #chars = 0;
  /** What is being written. */
  #under: Buffer | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isGone = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** A whole line, with its end. */
  add(line: string): void {
    if (this.#isGone || this.#chars + line.length > limits.log_buffer_bytes) return;
    this.#waiting.push(line);
    this.#chars += line.length;
    if (this.#under === null) this.#writeIn(GATHER_MS);
  }

  /** Somebody looks on: what waits is written now, before whatever this thread does next. */
  hurry(): void {
    if (this.#isGone || this.#under !== null || this.#waiting.length === 0) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const bytes = this.#take();
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      this.#failed(error, bytes.subarray(written));
    }
  }

  /** Writes what waits before this process ends. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const rest = this.#take();
    this.#isGone = true;
    try {
      for (let at = 0; at < rest.length; ) at += writeSync(this.#fd, rest, at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }

  #writeIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#write();
    }, ms);
    this.#timer.unref();
  }

  #take(): Buffer {
    const lines = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#chars = 0;
    const taken = this.#under === null ? lines : Buffer.concat([this.#under, lines]);
    this.#under = null;
    return taken;
  }

  #write(): void {
    if (this.#isGone) return;
    const bytes = this.#under ?? this.#take();
    this.#under = bytes;
    write(this.#fd, bytes, 0, bytes.length, null, (error, written) => {
      // The process is about to end, and wrote the rest itself.
      if (this.#isGone) return;
      if (error !== null) {
        this.#failed(error, bytes);
        return;
      }
      const left = bytes.subarray(written);
      this.#under = left.length === 0 ? null : left;
      if (this.#under !== null) this.#writeIn(0);
      else if (this.#waiting.length > 0) this.#writeIn(GATHER_MS);
    });
  }

  #failed(error: { code?: unknown }, left: Buffer): void {
    if (isBusy(error)) {
      this.#under = left;
      this.#writeIn(RETRY_MS);
      return;
    }
    this.#isGone = true;
    this.#under = null;
    this.#waiting = [];
  }
}
