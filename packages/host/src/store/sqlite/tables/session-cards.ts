import { limits } from '@rostra/protocol/wire/limits';
import type { TurnRow } from '../../port.ts';
import { type PageRequest, pageLimit } from '../../ports/page.ts';
import type { ListPlace, SessionCard, SessionOwner } from '../../ports/session-care.ts';
import type { SqlRow } from '../driver.ts';
import type { Statements } from '../statements.ts';
import { decodeTurn } from '../turn-row.ts';
import { standing } from './row-filter.ts';

/** Messages of people and agents, not those of tools, not what changed one, and not what was taken back. */
const spoken = `FROM transcript WHERE transcript.session = session.key AND item_type = 'message'${standing}`;

/** Everything but the row itself is one step in an index of its session. */
const select = `SELECT key, id, workspace_id, owner_id, title, created_at, active_at,
  (SELECT json_extract(context, '$.active_agent_id') FROM session_context WHERE session_context.session = session.key)
    AS active_agent_id,
  (SELECT substr(content, 1, ${limits.title_cut_chars + 1}) ${spoken} AND role = 'user' ORDER BY seq LIMIT 1)
    AS first_message,
  (SELECT json_object('role', role, 'content', substr(content, 1, ${limits.last_message_chars + 1}),
      'created_at', transcript.created_at)
    ${spoken} AND role IN ('user', 'assistant') ORDER BY seq DESC LIMIT 1) AS last_message,
  (SELECT count(*) FROM turn WHERE turn.session = session.key) AS turns,
  (SELECT count(*) FROM turn WHERE turn.session = session.key AND ended_at IS NULL) AS live_turns,
  (SELECT count(*) FROM interaction WHERE interaction.session_id = session.id AND status = 'pending'
    AND purpose <> 'client_tool') AS open_interactions
  FROM session`;
const isThere = 'NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = session.key)';

/** Lists of sessions, and of what was done in them, as people look through them. */
export class SessionCards {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  browse(
    { workspace_id, owner_id }: SessionOwner,
    page: { before?: ListPlace; limit?: number },
  ): { rows: SessionCard[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const { active_at, key } = page.before ?? { active_at: Number.MAX_SAFE_INTEGER, key: 0 };
    const ofOwner = owner_id === undefined ? '' : ' AND owner_id = ?';
    const found = this.#sql.all(
      `${select} WHERE workspace_id = ?${ofOwner} AND (active_at, key) < (?, ?) AND ${isThere}
        ORDER BY active_at DESC, key DESC LIMIT ?`,
      workspace_id,
      ...(owner_id === undefined ? [] : [owner_id]),
      active_at,
      key,
      limit + 1,
    );
    return { rows: found.slice(0, limit).map(decode), has_more: found.length > limit };
  }

  cards(session_ids: readonly string[]): SessionCard[] {
    const sql = `${select} WHERE id IN (SELECT value FROM json_each(?)) AND ${isThere}`;
    return this.#sql.all(sql, JSON.stringify(session_ids)).map(decode);
  }

  /** Of one owner by way of their sessions, however many others there are; of a workspace by the order of the rows. */
  turns(
    { workspace_id, owner_id, session_id }: SessionOwner & { session_id?: string },
    page: PageRequest<string>,
  ): { rows: TurnRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const isNarrow = owner_id !== undefined || session_id !== undefined;
    const from = isNarrow
      ? 'session CROSS JOIN turn ON turn.session = session.key'
      : 'turn CROSS JOIN session ON turn.session = session.key';
    const found = this.#sql.all(
      `SELECT turn.*, session.id AS session_id FROM ${from}
        WHERE session.workspace_id = ?${owner_id === undefined ? '' : ' AND session.owner_id = ?'}
          ${session_id === undefined ? '' : ' AND session.id = ?'} AND ${isThere}
          AND turn.rowid < ifnull((SELECT rowid FROM turn WHERE turn_id = ?), ${Number.MAX_SAFE_INTEGER})
        ORDER BY turn.rowid DESC LIMIT ?`,
      workspace_id,
      ...(owner_id === undefined ? [] : [owner_id]),
      ...(session_id === undefined ? [] : [session_id]),
      page.before ?? null,
      limit + 1,
    );
    return { rows: found.slice(0, limit).map(decodeTurn), has_more: found.length > limit };
  }
}

function decode(row: SqlRow): SessionCard {
  return {
    key: row.key as number,
    session_id: row.id as string,
    workspace_id: row.workspace_id as string,
    owner_id: row.owner_id as string,
    title: row.title as string | null,
    first_message: row.first_message as string | null,
    active_agent_id: row.active_agent_id as string | null,
    last_message: row.last_message === null ? null : JSON.parse(row.last_message as string),
    turns: row.turns as number,
    live_turns: row.live_turns as number,
    open_interactions: row.open_interactions as number,
    created_at: row.created_at as number,
    active_at: row.active_at as number,
  };
}
