import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../../in-thread.ts';
import type { AuditEntry, AuditFilter, AuditRow, AuditStore } from '../../ports/audit.ts';
import { type PageRequest, pageLimit } from '../../ports/page.ts';
import type { SqlRow } from '../driver.ts';
import { jsonText, jsonValue } from '../json-column.ts';
import type { Statements } from '../statements.ts';

const spans: Readonly<Record<string, string>> = { before: 'id < ?', since: 'at >= ?', until: 'at < ?' };

export class AuditTable implements InThread<AuditStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  append(entries: AuditEntry[]): void {
    for (const entry of entries) {
      this.#sql.run(
        `INSERT INTO audit (at, workspace_id, actor, session_id, run_id, runner_id, action, resource, scope, result,
          details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        entry.at,
        entry.workspace_id,
        entry.actor,
        entry.session_id,
        entry.run_id,
        entry.runner_id,
        entry.action,
        entry.resource,
        entry.scope,
        entry.result,
        jsonText(entry.details),
      );
    }
  }

  page(filter: AuditFilter, page: PageRequest<number> = {}): { rows: AuditRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    // Only what is asked for stands in the statement, so that the index of a run or a session is found.
    const { workspace_id, session_id, run_id, actor, action, result, since, until } = filter;
    const wanted = { workspace_id, session_id, run_id, actor, action, result, since, until, before: page.before };
    const conditions = Object.entries(wanted).filter(([, value]) => value !== undefined);
    const tests = conditions.map(([name]) => spans[name] ?? `${name} = ?`);
    const found = this.#sql.all(
      `SELECT * FROM audit WHERE ${tests.join(' AND ')} ORDER BY id DESC LIMIT ?`,
      ...conditions.map(([, value]) => value ?? null),
      limit + 1,
    );
    return { rows: found.slice(0, limit).map(decode), has_more: found.length > limit };
  }

  /** Rows are written in about the order of their time: only the oldest need be looked at. */
  sweep(before: number): number {
    return this.#sql.run(
      'DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ?) AND at < ?',
      limits.sweep_rows,
      before,
    );
  }
}

function decode(row: SqlRow): AuditRow {
  return {
    id: row.id as number,
    at: row.at as number,
    workspace_id: row.workspace_id as string,
    actor: row.actor as string,
    session_id: row.session_id as string | null,
    run_id: row.run_id as string | null,
    runner_id: row.runner_id as string | null,
    action: row.action as string,
    resource: row.resource as string | null,
    scope: row.scope as string | null,
    result: row.result as string,
    details: jsonValue(row.details),
  };
}
