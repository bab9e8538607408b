import { limits } from '@rostra/protocol/wire/limits';
import { StoreError } from '../refusal.ts';
import type { Later } from './checkpointer.ts';
import type { Writer } from './writer.ts';

/** Has the rows of what waits in the journal written: when much waits, or when nothing more comes. */
export class IdleSettler {
  readonly #writer: Pick<Writer, 'waiting' | 'settle'>;
  readonly #settled: () => void;
  readonly #later: Later;
  #timer: ReturnType<Later> | null = null;

  constructor(writer: Pick<Writer, 'waiting' | 'settle'>, settled: () => void, later: Later) {
    this.#writer = writer;
    this.#settled = settled;
    this.#later = later;
  }

  /** After more has come into the journal. */
  committed(): void {
    if (this.#writer.waiting === 0) return;
    if (this.#writer.waiting >= limits.journal_settled) this.#settle();
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
      // Nothing is lost: it stays in the journal, and whatever comes next tries again.
      if (!(error instanceof StoreError)) throw error;
    }
  }
}
