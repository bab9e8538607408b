import { limits } from '@rostra/protocol/wire/limits';
import { StoreError } from '../refusal.ts';
import type { Later } from './checkpointer.ts';

/** Indexes new messages when nothing is written, and in between when very many wait; a search does not wait for it. */
export class IdleIndexer {
  readonly #step: () => boolean;
  readonly #later: Later;
  #timer: ReturnType<Later> | null = null;
  #waiting = 0;

  constructor(step: () => boolean, later: Later) {
    this.#step = step;
    this.#later = later;
  }

  /** After each commit, with the number of messages that it held. */
  committed(messages: number): void {
    this.#waiting += messages;
    if (this.#waiting === 0) return;
    if (this.#waiting >= limits.index_backlog) this.#run();
    if (this.#timer !== null) this.#timer.refresh();
    else this.#wakeIn(limits.index_idle);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #wakeIn(ms: number): void {
    this.#timer = this.#later(ms, () => {
      this.#timer = null;
      if (this.#run()) this.#wakeIn(0);
    });
  }

  #run(): boolean {
    try {
      const more = this.#step();
      this.#waiting = more ? Math.max(this.#waiting - limits.index_rows, 1) : 0;
      return more;
    } catch (error) {
      // Nothing is lost: the messages stay, and the next commit or search tries again.
      if (!(error instanceof StoreError)) throw error;
      return false;
    }
  }
}
