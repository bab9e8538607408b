import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../../in-thread.ts';
import { pageLimit } from '../../ports/page.ts';
import type { LedgerSpan, RunPage, RunRow, RunStatus, RunStore } from '../../ports/run.ts';
import type { SqlRow } from '../driver.ts';
import { jsonObject } from '../json-column.ts';
import type { Statements } from '../statements.ts';

const columns = `run_id, turn_id, agent_id, attempt, status, run.created_at, started_at, ended_at, code, usage, bot_id,
  thread_id, first_seq, run.last_seq, tool_calls, handovers, waited, session.id AS session_id`;
const isKept = 'NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = run.session)';
const select = `SELECT ${columns} FROM run JOIN session ON session.key = run.session WHERE ${isKept}`;

/** The runs of a turn are named after it, `<turn_id>.<attempt>`: the index of their names finds them, and `/` follows `.`. */
function isOfTurn(turn_id: string): string {
  return `run.run_id > ${turn_id} || '.' AND run.run_id < ${turn_id} || '/' AND run.turn_id = ${turn_id}`;
}

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
    return this.#sql.all(`${select} AND ${isOfTurn('?1')} ORDER BY attempt`, turn_id).map(decode);
  }

  ofTurns(turn_ids: readonly string[]): RunRow[] {
    const sql = `SELECT ${columns} FROM json_each(?) AS wanted JOIN run ON ${isOfTurn('wanted.value')}
      JOIN session ON session.key = run.session WHERE ${isKept} ORDER BY turn_id, attempt`;
    return this.#sql.all(sql, JSON.stringify(turn_ids)).map(decode);
  }

  page(session_id: string, page: RunPage = {}): { rows: RunRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const { place, statuses = [] } = page;
    const found = this.#sql.all(
      `${select} AND run.session = (SELECT key FROM session WHERE id = ?1)
        AND (?2 IS NULL OR run.rowid < (SELECT rowid FROM run WHERE run_id = ?2))
        AND (?4 = 0 OR (run.bot_id IS ?5 AND run.thread_id IS ?6))
        AND (?7 = '[]' OR run.status IN (SELECT value FROM json_each(?7)))
        ORDER BY run.rowid DESC LIMIT ?3`,
      session_id,
      page.before ?? null,
      limit + 1,
      place === undefined ? 0 : 1,
      place?.bot_id ?? null,
      place?.thread_id ?? null,
      JSON.stringify(statuses),
    );
    return { rows: found.slice(0, limit).map(decode), has_more: found.length > limit };
  }

  /** Rows are numbered as they are made: whoever goes back from the newest needs no index of times. */
  endedSince(agent_id: string, since: number, before?: number): { rows: RunRow[]; next: number | null } {
    const step = this.#sql.all(
      `SELECT rowid AS at, run_id, created_at, agent_id, ended_at FROM run WHERE ?1 IS NULL OR rowid < ?1
        ORDER BY rowid DESC LIMIT ?2`,
      before ?? null,
      limits.sweep_rows,
    );
    const wanted = step.filter(
      (row) => row.agent_id === agent_id && row.ended_at !== null && (row.created_at as number) >= since,
    );
    const rows = wanted.map((row) => this.get(row.run_id as string)).filter((row) => row !== null);
    const isOver = step.length < limits.sweep_rows || step.every((row) => (row.created_at as number) < since);
    return { rows, next: isOver ? null : ((step.at(-1)?.at as number | undefined) ?? null) };
  }

  ledger({ workspace_id, since, until }: LedgerSpan, before?: number): { rows: RunRow[]; next: number | null } {
    const step = this.#sql.all(
      `SELECT run.rowid AS at, ${columns}, session.workspace_id AS workspace_id
        FROM run JOIN session ON session.key = run.session WHERE ?1 IS NULL OR run.rowid < ?1
        ORDER BY run.rowid DESC LIMIT ?2`,
      before ?? null,
      limits.usage_rows,
    );
    const isWithin = (at: number) => at >= since && at < until;
    const rows = step.filter((row) => row.workspace_id === workspace_id && isWithin(row.created_at as number));
    const isOver = step.length < limits.usage_rows || step.every((row) => (row.created_at as number) < since);
    return { rows: rows.map(decode), next: isOver ? null : ((step.at(-1)?.at as number | undefined) ?? null) };
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
    bot_id: row.bot_id as string | null,
    thread_id: row.thread_id as string | null,
    first_seq: row.first_seq as number | null,
    last_seq: row.last_seq as number | null,
    tool_calls: row.tool_calls as number | null,
    handovers: row.handovers as number | null,
    waited: row.waited as number | null,
  };
}
