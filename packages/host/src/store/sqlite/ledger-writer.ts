import type { EventRow } from '@rostra/kernel/projection/event-row';
import type { InteractionChange } from '@rostra/kernel/projection/interaction-rows';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { RunRow } from '../ports/run.ts';
import { jsonText } from './json-column.ts';
import type { Statements } from './statements.ts';
import { writeInteraction } from './tables/interaction-table.ts';
import { transcriptColumns, transcriptValues } from './tables/transcript-table.ts';

const insertTranscript = `INSERT INTO transcript (key, session, ${transcriptColumns.join(', ')})
  VALUES (?, ?, ${transcriptColumns.map(() => '?').join(', ')})`;
const lastTranscript = `SELECT max(ifnull((SELECT max(key) FROM transcript), 0),
  (SELECT value + 0 FROM meta WHERE key = 'indexed')) AS key`;

const insertEvent = `INSERT INTO event
  (session, seq, event_id, event_type, turn_id, run_id, thread_id, bot_id, actor_id, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const insertRun = `INSERT INTO run
  (run_id, session, turn_id, agent_id, attempt, status, created_at, started_at, ended_at, code, usage,
    bot_id, thread_id, first_seq, last_seq, tool_calls, handovers, waited)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const updateRun = `UPDATE run SET status = ?1, started_at = ?2, ended_at = ?3, code = ?4, usage = ?5, last_seq = ?6,
    tool_calls = ?7, handovers = ?8, waited = ?9
  WHERE run_id = ?10 AND session = ?11 AND (status NOT IN ('completed', 'failed', 'cancelled') OR status = ?1)`;

/** Run, transcript, event and interaction rows of a unit, within its transaction. */
export class LedgerWriter {
  readonly #sql: Statements;
  /** Keys rise, also above those of messages that are gone: what is not indexed yet is found by them. */
  #transcriptKey: number | null = null;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  writeTranscript(session: number, row: TranscriptRow): void {
    this.#transcriptKey = 1 + (this.#transcriptKey ?? Number(this.#sql.get(lastTranscript)?.key));
    this.#sql.run(insertTranscript, this.#transcriptKey, session, ...transcriptValues(row));
  }

  writeEvent(session: number, row: EventRow): void {
    const { seq, event_id, event_type, turn_id, run_id, thread_id, bot_id, actor_id, created_at } = row;
    const found = [event_id, event_type, turn_id, run_id, thread_id, bot_id, actor_id];
    this.#sql.run(insertEvent, session, seq, ...found, created_at);
  }

  writeInteraction(change: InteractionChange): void {
    writeInteraction(this.#sql, change);
  }

  /**
   * Whether it was written: a run that has ended stays as it is, only the very same end may be written again. The likely
   * statement goes first.
   */
  writeRun(session: number, run: RunRow, likelyNew: boolean): boolean {
    return likelyNew
      ? this.#insertRun(session, run) || this.#updateRun(session, run)
      : this.#updateRun(session, run) || this.#insertRun(session, run);
  }

  #insertRun(session: number, run: RunRow): boolean {
    const { run_id, turn_id, agent_id, attempt, status, created_at, started_at, ended_at, code, usage } = run;
    const { bot_id, thread_id, first_seq, last_seq, tool_calls, handovers, waited } = run;
    const added = this.#sql.run(
      insertRun,
      run_id,
      session,
      turn_id,
      agent_id,
      attempt,
      status,
      created_at,
      started_at,
      ended_at,
      code,
      jsonText(usage),
      bot_id,
      thread_id,
      first_seq,
      last_seq,
      tool_calls,
      handovers,
      waited,
    );
    return added > 0;
  }

  #updateRun(session: number, run: RunRow): boolean {
    const { run_id, status, started_at, ended_at, code, usage, last_seq, tool_calls, handovers, waited } = run;
    const changed = this.#sql.run(
      updateRun,
      status,
      started_at,
      ended_at,
      code,
      jsonText(usage),
      last_seq,
      tool_calls,
      handovers,
      waited,
      run_id,
      session,
    );
    return changed > 0;
  }
}
