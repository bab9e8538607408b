import type { InteractionChange, InteractionRow, Resolution } from '@rostra/kernel/projection/interaction-rows';
import type { InThread } from '../../in-thread.ts';
import type { InteractionFilter, InteractionStore } from '../../ports/interaction.ts';
import { type PageRequest, pageLimit } from '../../ports/page.ts';
import type { SqlRow } from '../driver.ts';
import { jsonText, jsonValue } from '../json-column.ts';
import type { Statements } from '../statements.ts';

export class InteractionTable implements InThread<InteractionStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  get(interaction_id: string): InteractionRow | null {
    const row = this.#sql.get('SELECT * FROM interaction WHERE interaction_id = ?', interaction_id);
    return row === undefined ? null : decode(row);
  }

  page(
    { workspace_id, owner_id, session_id, status, turn_id, purpose, except }: InteractionFilter,
    page: PageRequest<string> = {},
  ): { rows: InteractionRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const found = this.#sql.all(
      `SELECT interaction.* FROM interaction JOIN session ON session.id = interaction.session_id
        WHERE interaction.workspace_id = ?1 AND (?2 IS NULL OR session.owner_id = ?2)
        AND (?3 IS NULL OR session_id = ?3) AND (?4 IS NULL OR status = ?4)
        AND (?5 IS NULL OR interaction.rowid < (SELECT rowid FROM interaction WHERE interaction_id = ?5))
        AND (?7 IS NULL OR turn_id = ?7) AND (?8 IS NULL OR purpose = ?8) AND (?9 IS NULL OR purpose <> ?9)
        ORDER BY interaction.rowid DESC LIMIT ?6`,
      workspace_id,
      owner_id ?? null,
      session_id ?? null,
      status ?? null,
      page.before ?? null,
      limit + 1,
      turn_id ?? null,
      purpose ?? null,
      except ?? null,
    );
    return { rows: found.slice(0, limit).map(decode), has_more: found.length > limit };
  }
}

/** What a unit does to the inbox, within its transaction. A row that has ended stays as it is. */
export function writeInteraction(sql: Statements, change: InteractionChange): void {
  if (change.opened !== undefined) insert(sql, change.opened);
  else resolve(sql, change.resolved);
}

function insert(sql: Statements, row: InteractionRow): void {
  sql.run(
    `INSERT INTO interaction (interaction_id, workspace_id, session_id, turn_id, run_id, agent_id, purpose, kind, status,
      created_at, expires_at, request) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    row.interaction_id,
    row.workspace_id,
    row.session_id,
    row.turn_id,
    row.run_id,
    row.agent_id,
    row.purpose,
    row.kind,
    row.status,
    row.created_at,
    row.expires_at,
    JSON.stringify(row.request),
  );
}

function resolve(sql: Statements, { interaction_id, status, answer, answered_by, resolved_at }: Resolution): void {
  sql.run(
    `UPDATE interaction SET status = ?, answer = ?, answered_by = ?, resolved_at = ?
      WHERE interaction_id = ? AND status = 'pending'`,
    status,
    jsonText(answer),
    answered_by,
    resolved_at,
    interaction_id,
  );
}

function decode(row: SqlRow): InteractionRow {
  return {
    interaction_id: row.interaction_id as string,
    workspace_id: row.workspace_id as string,
    session_id: row.session_id as string,
    turn_id: row.turn_id as string | null,
    run_id: row.run_id as string | null,
    agent_id: row.agent_id as string,
    purpose: row.purpose as InteractionRow['purpose'],
    kind: row.kind as InteractionRow['kind'],
    request: jsonValue(row.request),
    status: row.status as InteractionRow['status'],
    answer: jsonValue(row.answer) as InteractionRow['answer'],
    answered_by: row.answered_by as string | null,
    created_at: row.created_at as number,
    expires_at: row.expires_at as number,
    resolved_at: row.resolved_at as number | null,
  };
}
