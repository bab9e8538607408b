import { limits } from '@rostra/protocol/wire/limits';
import { StoreError } from '../refusal.ts';
import type { Later } from './checkpointer.ts';
import type { Writer } from './writer.ts';

/** Has the rows of what waits in the journal written: when much waits, or when nothing more comes. */
export class IdleSettler {
  readonly #writer: Pick<Writer, 'waiting' | 'settle'>;
  readonly #later: Later;
  readonly #settled: () => void;
  #timer: ReturnType<Later> | null = null;

  /** `settled` hears when nothing waits. */
  constructor(writer: Pick<Writer, 'waiting' | 'settle'>, later: Later, settled: () => void) {
    this.#writer = writer;
    this.#later = later;
    this.#settled = settled;
  }

  /** After each commit. */
  committed(): void {
    if (this.#writer.waiting === 0) this.#settled();
    else if (this.#writer.waiting >= limits.journal_settled) this.#settle();
    else if (this.#timer !== null) this.#timer.refresh();
    else this.#timer = this.#later(limits.journal_idle, () => this.#settle());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #settle(): void {
    this.stop();
    try {
      this.#writer.settle();
      this.#settled();
    } catch (error) {
      // Nothing is lost: it stays in the journal, and the next commit or reading tries again.
      if (!(error instanceof StoreError)) throw error;
    }
  }
}
