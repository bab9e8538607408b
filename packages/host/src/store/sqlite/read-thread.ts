import { limits } from '@rostra/protocol/wire/limits';
import { standsApart } from './apart.ts';
import type { Later } from './checkpointer.ts';
import type { Unsettled } from './unsettled.ts';
import type { ReadMethod, RequestOf, WorkerAnswers, WorkerOptions } from './worker-message.ts';
import type { WorkerThread } from './worker-thread.ts';

/** What answers reads. Ports know no more of it. */
export interface Reading {
  ask<M extends ReadMethod>(request: RequestOf<M>): Promise<WorkerAnswers[M]>;
}

/** A read that the writer was asked, and that a reader may still answer before it. */
interface SharedRead {
  askOf(reader: WorkerThread): void;
  fail(error: Error): void;
}

const systemLater: Later = (ms, wake) => {
  const timer = setTimeout(wake, ms).unref();
  return { refresh: () => timer.refresh(), cancel: () => clearTimeout(timer) };
};

/**
 * Reads have a thread of their own, so that a long one delays no commit and a long commit delays none of them. It takes
 * as much time and memory as the writer's, and a host that just started or that nobody uses does without: the writer
 * answers the first reads, until there are many or one had to wait.
 */
export class ReadThread implements Reading {
  readonly #writer: WorkerThread;
  readonly #begin: () => WorkerThread;
  readonly #options: WorkerOptions;
  readonly #unsettled: Unsettled;
  readonly #later: Later;
  readonly #shared = new Set<SharedRead>();
  /** From when it has opened the file. */
  #reader: WorkerThread | null = null;
  #opening: Promise<void> | null = null;
  #patience: ReturnType<Later> | null = null;
  #reads = 0;
  #isClosed = false;

  constructor(
    writer: WorkerThread,
    begin: () => WorkerThread,
    options: WorkerOptions,
    unsettled: Unsettled,
    later = systemLater,
  ) {
    this.#writer = writer;
    this.#begin = begin;
    this.#options = options;
    this.#unsettled = unsettled;
    this.#later = later;
  }

  call<M extends ReadMethod>(
    request: RequestOf<M>,
    done: (error: Error | null, value: WorkerAnswers[M] | null) => void,
  ): void {
    if (this.#reader !== null) {
      this.#askOf(this.#reader, request, done);
      return;
    }
    const settle = (error: Error | null, value: WorkerAnswers[M] | null) => {
      if (this.#shared.delete(read)) done(error, value);
    };
    const read: SharedRead = {
      askOf: (reader) => this.#askOf(reader, request, settle),
      fail: (error) => settle(error, null),
    };
    this.#shared.add(read);
    this.#writer.call({ method: 'read', request }, (error, value) => {
      if (error !== null && this.#writer.hasEnded && !this.#isClosed) this.#open();
      // The writer answers what is in it as a reader would.
      else settle(error, value as WorkerAnswers[M] | null);
    });
    this.#reads += 1;
    if (this.#reads >= limits.store_reads_shared) this.#open();
    else this.#watch(read);
  }

  ask<M extends ReadMethod>(request: RequestOf<M>): Promise<WorkerAnswers[M]> {
    return new Promise((resolve, reject) => {
      this.call(request, (error, value) => (error === null ? resolve(value as WorkerAnswers[M]) : reject(error)));
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#patience?.cancel();
    await this.#opening;
    await this.#reader?.close();
  }

  /** The reader knows the tables only. */
  #askOf<M extends ReadMethod>(
    reader: WorkerThread,
    request: RequestOf<M>,
    done: (error: Error | null, value: WorkerAnswers[M] | null) => void,
  ): void {
    const read = () => reader.call(request, done);
    if (standsApart(request)) read();
    else this.#unsettled.before(read, (error) => done(error, null));
  }

  /** Two looks: behind the first one the answer may lie unread, when this very thread was late. */
  #watch(read: SharedRead, looks = 2): void {
    this.#patience ??= this.#later(limits.store_read_patience, () => {
      this.#patience = null;
      if (!this.#shared.has(read)) return;
      if (looks > 1) this.#watch(read, looks - 1);
      else this.#open();
    });
  }

  #open(): void {
    if (!this.#isClosed) this.#opening ??= this.#opened();
  }

  async #opened(): Promise<void> {
    const reader = this.#begin();
    try {
      await reader.ask({ method: 'open', options: this.#options });
      this.#reader = reader;
      for (const read of this.#shared) read.askOf(reader);
    } catch (error) {
      await reader.terminate();
      // With the writer alone reads are slower and not wrong; without it nobody is left to answer.
      if (this.#writer.hasEnded && error instanceof Error) for (const read of this.#shared) read.fail(error);
    }
  }
}
