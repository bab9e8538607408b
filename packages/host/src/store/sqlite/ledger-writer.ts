import { isTerminal, type RunRow, type RunStatus } from '../ports/run.ts';
import type { TranscriptRow } from '../ports/transcript.ts';
import { jsonText } from './json-column.ts';
import type { Statements } from './statements.ts';
import { transcriptColumns, transcriptValues } from './tables/transcript-table.ts';

const insertTranscript = `INSERT INTO transcript (session, ${transcriptColumns.join(', ')})
  VALUES (?, ${transcriptColumns.map(() => '?').join(', ')})`;

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
    const { run_id, status, started_at, ended_at, code, usage } = run;
    const changed = this.#sql.run(
      `UPDATE run SET status = ?1, started_at = ?2, ended_at = ?3, code = ?4, usage = ?5
        WHERE run_id = ?6 AND session = ?7 AND (status NOT IN ('completed', 'failed', 'cancelled') OR status = ?1)`,
      status,
      started_at,
      ended_at,
      code,
      jsonText(usage),
      run_id,
      session,
    );
    if (changed > 0) return;
    const old = this.#sql.get('SELECT status FROM run WHERE run_id = ? AND session = ?', run_id, session);
    if (old !== undefined && isTerminal(old.status as RunStatus)) {
      throw new Error(`run ${run_id} is ${old.status} and cannot become ${status}`);
    }
    this.#sql.run(
      `INSERT INTO run (run_id, session, turn_id, agent_id, attempt, status, created_at, started_at, ended_at, code, usage)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      run_id,
      session,
      run.turn_id,
      run.agent_id,
      run.attempt,
      status,
      run.created_at,
      started_at,
      ended_at,
      code,
      jsonText(usage),
    );
  }
}
