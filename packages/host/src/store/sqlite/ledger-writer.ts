import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { RunRow } from '../ports/run.ts';
import { jsonText } from './json-column.ts';
import type { Statements } from './statements.ts';
import { transcriptColumns, transcriptValues } from './tables/transcript-table.ts';

const insertTranscript = `INSERT INTO transcript (session, ${transcriptColumns.join(', ')})
  VALUES (?, ${transcriptColumns.map(() => '?').join(', ')})`;

const insertRun = `INSERT INTO run
  (run_id, session, turn_id, agent_id, attempt, status, created_at, started_at, ended_at, code, usage)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const updateRun = `UPDATE run SET status = ?1, started_at = ?2, ended_at = ?3, code = ?4, usage = ?5
  WHERE run_id = ?6 AND session = ?7 AND (status NOT IN ('completed', 'failed', 'cancelled') OR status = ?1)`;

/** Run and transcript rows of a unit, within its transaction. */
export class LedgerWriter {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  writeTranscript(session: number, row: TranscriptRow): void {
    this.#sql.run(insertTranscript, session, ...transcriptValues(row));
  }

  /** A run that has ended stays as it is: only the very same end may be written again. */
  writeRun(session: number, run: RunRow): void {
    // A run that lives is most often new, one that has ended is there already: the likely statement goes first.
    const isWritten =
      run.ended_at === null
        ? this.#insertRun(session, run) || this.#updateRun(session, run)
        : this.#updateRun(session, run) || this.#insertRun(session, run);
    if (!isWritten) throw new Error(`run ${run.run_id} has ended and cannot become ${run.status}`);
  }

  #insertRun(session: number, run: RunRow): boolean {
    const { run_id, turn_id, agent_id, attempt, status, created_at, started_at, ended_at, code, usage } = run;
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
    );
    return added > 0;
  }

  #updateRun(session: number, { run_id, status, started_at, ended_at, code, usage }: RunRow): boolean {
    return this.#sql.run(updateRun, status, started_at, ended_at, code, jsonText(usage), run_id, session) > 0;
  }
}
