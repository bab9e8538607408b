import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../../in-thread.ts';
import type { TurnRow } from '../../port.ts';
import { type PageRequest, pageLimit } from '../../ports/page.ts';
import type {
  ListPlace,
  SessionCard,
  SessionCare,
  SessionListing,
  SessionOwner,
  Tombstone,
} from '../../ports/session-care.ts';
import type { SqlRow } from '../driver.ts';
import { searchRange } from '../search-key.ts';
import type { Statements } from '../statements.ts';
import { SessionCards } from './session-cards.ts';

/** A session that is being purged keeps its key under a name that no session can have. */
const deletedId = (key: number) => `\u0001deleted ${key}`;

/** Where rows of a session lie by its key, and how many of them one step takes: a segment may be large. */
const keyed: readonly (readonly [table: string, rows: number])[] = [
  ['outbox', limits.sweep_rows],
  ['lease', limits.sweep_rows],
  ['session_context', limits.sweep_rows],
  ['message', limits.sweep_rows],
  ['transcript', limits.sweep_rows / 5],
  ['event', limits.sweep_rows],
  ['run', limits.sweep_rows / 5],
  ['turn', limits.sweep_rows],
  ['segment', limits.sweep_rows / 10],
];
/** Where they lie by its id. */
const named = ['state', 'artifact', 'interaction'] as const;
/** Tables without a rowid are cut by their own key. */
const cut: Readonly<Record<string, string>> = { message: 'id', outbox: 'seq', event: 'seq' };

export class CareTable implements InThread<SessionCare> {
  readonly #sql: Statements;
  readonly #cards: SessionCards;
  readonly #now: () => number;
  readonly #forget: (session_id: string) => void;

  /** `forget`: what the writer noted of the session is void. */
  constructor(sql: Statements, now: () => number, forget: (session_id: string) => void = () => undefined) {
    this.#sql = sql;
    this.#cards = new SessionCards(sql);
    this.#now = now;
    this.#forget = forget;
  }

  list(page: { after?: number; limit?: number } = {}): SessionListing[] {
    return this.#sql
      .all(
        `SELECT key, id, workspace_id, owner_id, created_at, updated_at, last_seq FROM session
          WHERE key > ?
            AND NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = session.key)
          ORDER BY key LIMIT ?`,
        page.after ?? 0,
        pageLimit(page.limit),
      )
      .map(decodeListing);
  }

  browse(whose: SessionOwner, page: { before?: ListPlace; limit?: number } = {}) {
    return this.#cards.browse(whose, page);
  }

  cards(session_ids: readonly string[]): SessionCard[] {
    return this.#cards.cards(session_ids);
  }

  activeWith(workspace_id: string, agent_id: string): string[] {
    return this.#sql
      .all(
        `SELECT id FROM session JOIN session_context ON session_context.session = session.key
          WHERE workspace_id = ?
          AND json_extract(context, '$.active_agent_id') = ? AND json_extract(context, '$.state') <> 'CLOSED'
          AND NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = session.key) LIMIT ?`,
        workspace_id,
        agent_id,
        limits.page_items,
      )
      .map(({ id }) => id as string);
  }

  rename(session_id: string, title: string | null): boolean {
    return this.#sql.run('UPDATE session SET title = ? WHERE id = ?', title, session_id) > 0;
  }

  turns(
    whose: SessionOwner & { session_id?: string },
    page: PageRequest<string> = {},
  ): { rows: TurnRow[]; has_more: boolean } {
    return this.#cards.turns(whose, page);
  }

  remove(session_id: string, { at, why }: { at: number; why: string }): boolean {
    const key = this.#sql.get('SELECT key FROM session WHERE id = ?', session_id)?.key as number | undefined;
    if (key === undefined) return false;
    this.#sql.run(
      `INSERT INTO tombstone (session_id, session, deleted_at, why, workspace_id, owner_id, last_seq, hash)
        SELECT id, key, ?, ?, workspace_id, owner_id, last_seq, hash FROM session WHERE key = ?`,
      at,
      why,
      key,
    );
    this.#sql.run('UPDATE session SET id = ?, epoch = epoch + 1 WHERE key = ?', deletedId(key), key);
    this.#forget(session_id);
    return true;
  }

  tombstone(session_id: string): Tombstone | null {
    const row = this.#sql.get('SELECT * FROM tombstone WHERE session_id = ?', session_id);
    if (row === undefined) return null;
    return {
      session_id,
      deleted_at: row.deleted_at as number,
      why: row.why as string,
      workspace_id: row.workspace_id as string | null,
      owner_id: row.owner_id as string | null,
      last_seq: row.last_seq as number | null,
      hash: row.hash as string | null,
    };
  }

  saved(session_id: string): { context: string; context_seq: number } | null {
    const row = this.#sql.get(
      `SELECT context, context_seq FROM session_context WHERE session = (SELECT key FROM session WHERE id = ?)`,
      session_id,
    );
    if (row === undefined) return null;
    return { context: row.context as string, context_seq: row.context_seq as number };
  }

  purge(): boolean {
    const row = this.#sql.get('SELECT session_id, session FROM tombstone WHERE session IS NOT NULL LIMIT 1');
    if (row === undefined) return false;
    const key = row.session as number;
    // What runs received is named by them: it goes before they do.
    const received = 'DELETE FROM dossier WHERE run_id IN (SELECT run_id FROM run WHERE session = ? LIMIT ?)';
    if (this.#sql.run(received, key, limits.sweep_rows / 5) > 0) return true;
    for (const [table, rows] of keyed) {
      const by = cut[table] ?? 'rowid';
      const sql = `DELETE FROM ${table} WHERE session = ?1 AND ${by} IN
        (SELECT ${by} FROM ${table} WHERE session = ?1 LIMIT ?2)`;
      if (this.#sql.run(sql, key, rows) > 0) return true;
    }
    if (this.#purgeIndex(key)) return true;
    const id = row.session_id as string;
    for (const table of named) {
      const sql = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE session_id = ? LIMIT ?)`;
      if (this.#sql.run(sql, id, limits.sweep_rows / 5) > 0) return true;
    }
    this.#sql.run('DELETE FROM session WHERE key = ?', key);
    this.#sql.run('UPDATE tombstone SET session = NULL WHERE session_id = ?', id);
    return true;
  }

  /** After its messages: none of them can be indexed any more. */
  #purgeIndex(key: number): boolean {
    const { first, last } = searchRange(key);
    const sql = 'DELETE FROM search WHERE rowid IN (SELECT rowid FROM search WHERE rowid BETWEEN ? AND ? LIMIT ?)';
    return this.#sql.run(sql, first, last, limits.sweep_rows) > 0;
  }

  retire(cursor: number, before: number, at: number): { removed: string[]; cursor: number | null } {
    const looked = this.#sql.all(
      'SELECT key, id, updated_at FROM session WHERE key > ? ORDER BY key LIMIT ?',
      cursor,
      limits.sweep_sessions,
    );
    const removed: string[] = [];
    for (const row of looked) {
      const id = row.id as string;
      if ((row.updated_at as number) >= before || !this.#isAtRest(row.key as number)) continue;
      if (this.remove(id, { at, why: 'retention' })) removed.push(id);
    }
    const last = looked.length < limits.sweep_sessions ? null : looked.at(-1)?.key;
    return { removed, cursor: (last as number | undefined) ?? null };
  }

  /** Nothing lives in it, nothing is owed, nobody holds it, and it is not being purged already. */
  #isAtRest(key: number): boolean {
    const busy = this.#sql.get(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM turn WHERE session = ?1 AND ended_at IS NULL)
        OR EXISTS (SELECT 1 FROM outbox WHERE session = ?1)
        OR EXISTS (SELECT 1 FROM lease JOIN holder ON holder.id = lease.holder WHERE session = ?1 AND until > ?2)
        OR EXISTS (SELECT 1 FROM tombstone WHERE session = ?1)`,
      key,
      this.#now(),
    );
    return busy === undefined;
  }
}

function decodeListing(row: SqlRow): SessionListing {
  return {
    cursor: row.key as number,
    session_id: row.id as string,
    workspace_id: row.workspace_id as string,
    owner_id: row.owner_id as string,
    created_at: row.created_at as number,
    updated_at: row.updated_at as number,
    last_seq: row.last_seq as number,
  };
}
