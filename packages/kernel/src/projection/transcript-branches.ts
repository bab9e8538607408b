import type { LogRecord } from '@rostra/protocol/record/record';
import type { TranscriptRow } from './transcript-row.ts';

/**
 * Live turns, and which of them were taken back while they lived: what an answer says after it was asked for again, or
 * after its question was edited, belongs to no transcript any more.
 */
export class TranscriptBranches {
  /** The record that each live turn began with. */
  readonly #live = new Map<string, number>();
  readonly #superseded = new Set<string>();

  /** The rows of one step that stay. */
  step(input: LogRecord, outs: readonly LogRecord[], rows: TranscriptRow[]): TranscriptRow[] {
    const kept =
      this.#superseded.size === 0 ? rows : rows.filter(({ turn_id }) => !this.#superseded.has(turn_id ?? ''));
    for (const out of outs) if (out.event === 'EVENT' && out.turn_id !== undefined) this.#note(input, out, out.turn_id);
    return kept;
  }

  #note(input: LogRecord, { subtype }: LogRecord, turn_id: string): void {
    if (subtype === 'TURN_ACCEPTED') {
      const from_seq = input.event === 'USER_INPUT' ? input.payload.branch?.from_seq : undefined;
      for (const [live, seq] of this.#live) if (from_seq !== undefined && seq >= from_seq) this.#superseded.add(live);
      this.#live.set(turn_id, input.seq);
    } else if (subtype === 'TURN_COMPLETED' || subtype === 'TURN_FAILED' || subtype === 'CANCELED') {
      this.#live.delete(turn_id);
      this.#superseded.delete(turn_id);
    }
  }
}
