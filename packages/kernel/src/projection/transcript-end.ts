import type { TranscriptRow } from './transcript-row.ts';

/** Where a conversation's transcript ends, and whether it holds more than the words of the turn that asks. */
export interface TranscriptPlace {
  readonly seq: number | null;
  readonly has_before: boolean;
}

type Placed = Pick<TranscriptRow, 'seq' | 'turn_id' | 'thread_id' | 'bot_id' | 'supersedes'>;

/**
 * The end of a session's transcript as far as it was seen being written, so that a run can be told of it without
 * anybody reading. What belongs to a thread or a bot is not looked at: its turns are told nothing here.
 */
export class TranscriptEnd {
  /** Nothing was said before this began to look. */
  #isWhole: boolean;
  #last: number | null = null;
  #turn_id: string | null = null;
  #isMixed = false;

  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  add({ seq, turn_id, thread_id, bot_id, supersedes }: Placed): void {
    if (thread_id !== null || bot_id !== null) return;
    // How much is left before it, nobody has looked at.
    if (supersedes !== null) this.#forget();
    this.#isMixed ||= this.#last !== null && this.#turn_id !== turn_id;
    this.#last = seq;
    this.#turn_id ??= turn_id;
  }

  #forget(): void {
    this.#isWhole = false;
    this.#isMixed = false;
    this.#last = null;
    this.#turn_id = null;
  }

  /** For a turn without thread and bot; null when it is not known. */
  of(turn_id: string): TranscriptPlace | null {
    const has_before = this.#isMixed || (this.#last !== null && this.#turn_id !== turn_id);
    if (!this.#isWhole && !has_before) return null;
    return { seq: this.#last, has_before };
  }
}
