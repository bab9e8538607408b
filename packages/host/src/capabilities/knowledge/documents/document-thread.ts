import { Worker } from 'node:worker_threads';
import { limits } from '@rostra/protocol/wire/limits';
import type { DocumentChunk } from './chunker.ts';
import { DocumentError, tooLarge, unreadable } from './document-error.ts';
import type { DocumentFile } from './document-reading.ts';
import type { WorkerAnswer, WorkerAsk } from './document-worker.ts';

/** Time as far as it is needed here. */
export interface ReadingClock {
  now(): number;
  at(at: number, wake: () => void): () => void;
}

export interface ThreadOptions {
  /** The built program of the thread. */
  readonly program: URL;
  readonly clock: ReadingClock;
  /** Milliseconds that one document may take. */
  readonly deadline?: number;
  readonly memory_mib?: number;
}

const SMALLER = 'Split it into smaller documents, or add its text.';

interface Waiting {
  resolve(answer: WorkerAnswer): void;
  reject(error: Error): void;
}

/**
 * One document being read in a thread of its own: whatever its bytes do to the programs that read them, they have this
 * thread, its memory and its time.
 */
export class DocumentThread {
  readonly #worker: Worker;
  readonly #name: string;
  readonly #callOff: () => void;
  readonly #exited: Promise<void>;
  #waiting: Waiting | null = null;
  #ended: Error | null = null;

  private constructor({ program, clock, ...bounds }: ThreadOptions, name: string) {
    this.#name = name;
    this.#worker = new Worker(program, {
      name: 'document',
      // Neither the flags of this process nor its variables: some of those are keys.
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: bounds.memory_mib ?? limits.document_memory_mib },
    });
    this.#worker.on('message', (answer: WorkerAnswer) => this.#settle((waiting) => waiting.resolve(answer)));
    this.#worker.on('error', (error) => this.#end(this.#failure(error)));
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#end(unreadable(`The reading of ${name} was ended.`));
        resolve();
      });
    });
    const deadline = bounds.deadline ?? limits.document_read;
    this.#callOff = clock.at(clock.now() + deadline, () => {
      this.#end(tooLarge(`${name} takes longer than ${deadline / 1000} s to read.`, SMALLER));
      void this.#worker.terminate();
    });
  }

  /** Reads a file, whose bytes go over to the thread; `total` chunks can be had then. */
  static async read(file: DocumentFile, options: ThreadOptions): Promise<{ thread: DocumentThread; total: number }> {
    const thread = new DocumentThread(options, file.name);
    try {
      const answer = await thread.#ask({ read: file }, [file.bytes.buffer]);
      thread.#callOff();
      if ('problem' in answer) throw new DocumentError(answer.problem);
      if ('total' in answer) return { thread, total: answer.total };
      throw new Error('the thread of a document answers what it was not asked');
    } catch (error) {
      await thread.close();
      throw error;
    }
  }

  /** The next chunks; none at the end. */
  async more(): Promise<readonly DocumentChunk[]> {
    const answer = await this.#ask('more');
    if ('chunks' in answer) return answer.chunks;
    throw new Error('the thread of a document answers what it was not asked');
  }

  async close(): Promise<void> {
    this.#callOff();
    await this.#worker.terminate();
    await this.#exited;
  }

  #ask(ask: WorkerAsk, transfer: readonly ArrayBuffer[] = []): Promise<WorkerAnswer> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker.postMessage(ask, transfer);
    });
  }

  #settle(settle: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) settle(waiting);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    const reason = this.#ended;
    this.#settle((waiting) => waiting.reject(reason));
  }

  /** What reads documents may fail at what is in them: that is the document's fault, and told as such. */
  #failure(error: Error): Error {
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return tooLarge(`${this.#name} takes more memory to read than it may.`, SMALLER);
    }
    return unreadable(`${this.#name} cannot be read.`, 'Save it anew with another program.', error);
  }
}
