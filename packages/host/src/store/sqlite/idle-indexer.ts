import { limits } from '@rostra/protocol/wire/limits';
import { StoreError } from '../refusal.ts';
import type { Later } from './checkpointer.ts';

/**
 * Indexes new messages when nothing is written; in between when one has waited too long for that, a step at a time, and
 * when very many wait. A search does not wait for it.
 */
export class IdleIndexer {
  readonly #step: () => boolean;
  readonly #later: Later;
  readonly #now: () => number;
  #timer: ReturnType<Later> | null = null;
  #waiting = 0;
  /** Since when the first of them waits. */
  #since = 0;
  #writtenAt = 0;

  constructor(step: () => boolean, later: Later, now: () => number) {
    this.#step = step;
    this.#later = later;
    this.#now = now;
  }

  /** After each commit, with the number of messages that it held. */
  committed(messages: number): void {
    this.#writtenAt = this.#now();
    if (this.#waiting === 0) this.#since = this.#writtenAt;
    this.#waiting += messages;
    if (this.#waiting === 0) return;
    if (this.#waiting >= limits.index_backlog) this.#run();
    if (this.#timer === null) this.#wakeIn(limits.index_idle);
    else if (this.#writtenAt - this.#since < limits.index_late) this.#timer.refresh();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #wakeIn(ms: number): void {
    this.#timer = this.#later(ms, () => {
      this.#timer = null;
      if (!this.#run()) return;
      const isIdle = this.#now() - this.#writtenAt >= limits.index_idle;
      this.#wakeIn(isIdle ? 0 : limits.index_idle);
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
