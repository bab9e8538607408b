import { toldResults } from '@rostra/kernel/run/told-results';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { AgentRunResult } from '@rostra/protocol/runner/run-result';
import type { RunRow } from '../store/ports/run.ts';

/** Where one result stands: the record that holds it, and its place among the results of that record. */
export interface ResultPlace {
  readonly seq: number;
  readonly piece: number;
}

export interface PlacedResult extends ResultPlace {
  readonly result: AgentRunResult;
}

/** The next records of a session's log after `seq`, oldest first, a bounded page of them; none at the end. */
export type ReadLog = (session_id: string, seq: number) => Promise<readonly LogRecord[]>;

/** How much further back each look goes that did not find enough. */
const WIDER = 4;

/** What runs said, read from their stretch of the log: a reading costs about as much as the page that it gives. */
export class RunResults {
  readonly #read: ReadLog;

  constructor(read: ReadLog) {
    this.#read = read;
  }

  /** The first `limit` results after a place, or from the beginning, and whether there are more. */
  async after(
    run: RunRow,
    place: ResultPlace | null,
    limit: number,
  ): Promise<{ items: PlacedResult[]; more: boolean }> {
    const { first_seq } = run;
    if (first_seq === null) return { items: [], more: false };
    const from = place?.seq ?? first_seq;
    const found = await this.#between(run, from, null, (each) => place === null || isBefore(place, each), limit + 1);
    return { items: found.slice(0, limit), more: found.length > limit };
  }

  /** The last `limit` results before a place, and whether there are more. */
  async before(run: RunRow, place: ResultPlace, limit: number): Promise<{ items: PlacedResult[]; more: boolean }> {
    const { first_seq } = run;
    if (first_seq === null) return { items: [], more: false };
    for (let span = 2 * limit; ; span *= WIDER) {
      const from = Math.max(first_seq, place.seq - span);
      const found = await this.#between(run, from, place.seq, (each) => isBefore(each, place), Infinity);
      if (found.length > limit || from === first_seq) {
        return { items: found.slice(-limit), more: found.length > limit };
      }
    }
  }

  async #between(
    run: RunRow,
    from: number,
    to: number | null,
    isWanted: (place: ResultPlace) => boolean,
    most: number,
  ): Promise<PlacedResult[]> {
    const found: PlacedResult[] = [];
    const last = Math.min(to ?? Infinity, run.last_seq ?? Infinity);
    for (let seq = from - 1; seq < last && found.length < most; ) {
      const records = await this.#read(run.session_id, seq);
      for (const record of records) {
        if (record.seq > last) return found;
        for (const placed of resultsIn(record, run.run_id)) if (isWanted(placed)) found.push(placed);
      }
      const read = records.at(-1)?.seq;
      if (read === undefined) return found;
      seq = read;
    }
    return found;
  }
}

/** A record that was stepped and not withheld is what the run said; what went out again is the session's own. */
function resultsIn(record: LogRecord, run_id: string): PlacedResult[] {
  if (record.run_id !== run_id || (record.mark !== 'in' && record.mark !== 'both')) return [];
  return toldResults(record).map((result, piece) => ({ seq: record.seq, piece, result }));
}

function isBefore(one: ResultPlace, other: ResultPlace): boolean {
  return one.seq < other.seq || (one.seq === other.seq && one.piece < other.piece);
}
