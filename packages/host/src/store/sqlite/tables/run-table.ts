import type { InThread } from '../../in-thread.ts';
import { type PageRequest, pageLimit } from '../../ports/page.ts';
import type { RunRow, RunStatus, RunStore } from '../../ports/run.ts';
import type { SqlRow } from '../driver.ts';
import { jsonObject } from '../json-column.ts';
import type { Statements } from '../statements.ts';

const select = `SELECT run.*, session.id AS session_id FROM run JOIN session ON session.key = run.session
  WHERE NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = run.session)`;

export class RunTable implements InThread<RunStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  get(run_id: string): RunRow | null {
    const row = this.#sql.get(`${select} AND run_id = ?`, run_id);
    return row === undefined ? null : decode(row);
  }

  ofTurn(turn_id: string): RunRow[] {
    return this.#sql.all(`${select} AND turn_id = ? ORDER BY attempt`, turn_id).map(decode);
  }

  page(session_id: string, page: PageRequest<string> = {}): { rows: RunRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const found = this.#sql.all(
      `${select} AND run.session = (SELECT key FROM session WHERE id = ?1)
        AND (?2 IS NULL OR run.rowid < (SELECT rowid FROM run WHERE run_id = ?2))
        ORDER BY run.rowid DESC LIMIT ?3`,
      session_id,
      page.before ?? null,
      limit + 1,
    );
    return { rows: found.slice(0, limit).map(decode), has_more: found.length > limit };
  }

  listOpen(limit: number): RunRow[] {
    return this.#sql
      .all(`${select} AND status IN ('queued', 'running', 'interrupted') ORDER BY run.rowid LIMIT ?`, limit)
      .map(decode);
  }
}

function decode(row: SqlRow): RunRow {
  return {
    run_id: row.run_id as string,
    turn_id: row.turn_id as string,
    session_id: row.session_id as string,
    agent_id: row.agent_id as string,
    attempt: row.attempt as number,
    status: row.status as RunStatus,
    created_at: row.created_at as number,
    started_at: row.started_at as number | null,
    ended_at: row.ended_at as number | null,
    code: row.code as string | null,
    usage: row.usage === null ? null : jsonObject(row.usage),
  };
}
