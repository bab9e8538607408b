import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../../in-thread.ts';
import {
  type AnswerResult,
  encodeRequest,
  type InteractionRow,
  type InteractionStatus,
  type InteractionStore,
  type NewInteraction,
} from '../../ports/interaction.ts';
import { type PageRequest, pageLimit } from '../../ports/page.ts';
import type { SqlRow } from '../driver.ts';
import { jsonText, jsonValue } from '../json-column.ts';
import type { Statements } from '../statements.ts';

export class InteractionTable implements InThread<InteractionStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  insert(row: NewInteraction): void {
    this.#sql.run(
      `INSERT INTO interaction (interaction_id, workspace_id, session_id, turn_id, run_id, kind, token_hash, status,
        created_at, expires_at, request) VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?)`,
      row.interaction_id,
      row.workspace_id,
      row.session_id,
      row.turn_id,
      row.run_id,
      row.kind,
      row.token_hash,
      row.created_at,
      row.expires_at,
      encodeRequest(row),
    );
  }

  get(interaction_id: string): InteractionRow | null {
    const row = this.#sql.get('SELECT * FROM interaction WHERE interaction_id = ?', interaction_id);
    return row === undefined ? null : decode(row);
  }

  listPending(
    filter: { workspace_id: string; session_id?: string },
    page: PageRequest<string> = {},
  ): { rows: InteractionRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const found = this.#sql.all(
      `SELECT * FROM interaction WHERE status = 'pending' AND workspace_id = ?1
        AND (?2 IS NULL OR session_id = ?2)
        AND (?3 IS NULL OR rowid < (SELECT rowid FROM interaction WHERE interaction_id = ?3))
        ORDER BY rowid DESC LIMIT ?4`,
      filter.workspace_id,
      filter.session_id ?? null,
      page.before ?? null,
      limit + 1,
    );
    return { rows: found.slice(0, limit).map(decode), has_more: found.length > limit };
  }

  answer(interaction_id: string, { answer, by, at }: { answer: Json; by: string; at: number }): AnswerResult {
    const changed = this.#sql.run(
      `UPDATE interaction SET status = 'answered', answer = ?, answered_by = ?, resolved_at = ?
        WHERE interaction_id = ? AND status = 'pending' AND expires_at > ?`,
      jsonText(answer),
      by,
      at,
      interaction_id,
      at,
    );
    if (changed > 0) return 'answered';
    return this.get(interaction_id) === null ? 'unknown' : 'too_late';
  }

  resolve(interaction_id: string, status: InteractionStatus, at: number): boolean {
    const changed = this.#sql.run(
      `UPDATE interaction SET status = ?, resolved_at = ? WHERE interaction_id = ? AND status = 'pending'`,
      status,
      at,
      interaction_id,
    );
    return changed > 0;
  }

  expire(now: number): InteractionRow[] {
    const due = this.#sql.all(
      `SELECT interaction_id FROM interaction WHERE status = 'pending' AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
      now,
      limits.page_items,
    );
    const ids = due.map((row) => row.interaction_id as string);
    for (const id of ids) this.resolve(id, 'expired', now);
    return ids.flatMap((id) => this.get(id) ?? []);
  }
}

function decode(row: SqlRow): InteractionRow {
  return {
    interaction_id: row.interaction_id as string,
    workspace_id: row.workspace_id as string,
    session_id: row.session_id as string,
    turn_id: row.turn_id as string | null,
    run_id: row.run_id as string | null,
    kind: row.kind as string,
    request: jsonValue(row.request),
    token_hash: row.token_hash as string | null,
    status: row.status as InteractionStatus,
    answer: jsonValue(row.answer),
    answered_by: row.answered_by as string | null,
    created_at: row.created_at as number,
    expires_at: row.expires_at as number,
    resolved_at: row.resolved_at as number | null,
  };
}
