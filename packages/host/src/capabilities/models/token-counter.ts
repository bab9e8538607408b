import { Worker } from 'node:worker_threads';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { ModelClock } from './model-clock.ts';
import type { CountAnswer, CountAsk } from './token-worker.ts';

/** Counts the tokens of all texts together. */
export interface TokenCounter {
  count(texts: readonly string[]): Promise<number>;
}

interface Waiting {
  resolve(tokens: number): void;
  reject(error: Error): void;
}

/**
 * Counts in a thread of its own, which is there only while somebody counts: its words are large, take long to load, and
 * would hold up the whole host.
 */
export class TokenThread implements TokenCounter {
  readonly #program: URL;
  readonly #clock: ModelClock;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #callOff: () => void = () => undefined;
  #asked = 0;

  constructor({ program, clock }: { program: URL; clock: ModelClock }) {
    this.#program = program;
    this.#clock = clock;
  }

  count(texts: readonly string[]): Promise<number> {
    this.#callOff();
    this.#asked += 1;
    const ask: CountAsk = { id: this.#asked, texts };
    const worker = this.#worker ?? this.#start();
    return new Promise((resolve, reject) => {
      this.#waiting.set(ask.id, { resolve, reject });
      worker.postMessage(ask);
    });
  }

  async close(): Promise<void> {
    this.#callOff();
    await this.#worker?.terminate();
  }

  #start(): Worker {
    // Neither the flags of this process nor its variables: some of those are keys.
    const worker = new Worker(this.#program, { name: 'tokens', execArgv: [], env: {} });
    worker.unref();
    worker.on('message', ({ id, tokens }: CountAnswer) => {
      this.#waiting.get(id)?.resolve(tokens);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#rest(worker);
    });
    worker.on('error', () => this.#ended(worker));
    worker.on('exit', () => this.#ended(worker));
    this.#worker = worker;
    return worker;
  }

  #rest(worker: Worker): void {
    this.#callOff = this.#clock.at(this.#clock.now() + limits.counter_idle, () => {
      this.#forget(worker);
      void worker.terminate();
    });
  }

  #ended(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#forget(worker);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new ApiError('runtime_error', 'The count of tokens was ended.'));
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = null;
  }
}
