import { namesOf } from '@rostra/kernel/projection/said-message';
import { limits } from '@rostra/protocol/wire/limits';
import type { OwnedTurn, Segment, SessionNames, TurnRow } from '../port.ts';
import { sessionGone } from '../refusal.ts';
import { cutSegments } from '../segment-hash.ts';
import { sessionNames } from '../session-names.ts';
import type { Database, Statement } from './driver.ts';
import { SegmentTable } from './segment-table.ts';
import { toStoreError } from './store-error.ts';
import { named } from './tables/transcript-table.ts';
import { fromTurnOfMessage } from './turn-of-message.ts';
import { decodeOwnedTurn, decodeTurn, selectOwnedTurn, selectTurn } from './turn-row.ts';

export interface SessionHead {
  last_seq: number;
  epoch: number;
  owner_id: string;
  workspace_id: string;
}

/** Answers from committed rows, on a connection of its own, so that a long reading delays no commit. */
export class Reader {
  readonly #db: Database;
  readonly #session: Statement;
  readonly #segments: SegmentTable;
  readonly #head: Statement;
  readonly #tombstone: Statement;
  readonly #turn: Statement;
  readonly #messageNames: Statement;
  readonly #saidNames: Statement;
  readonly #turnOfMessage: Statement;
  readonly #message: Statement;
  readonly #unfinished: Statement;

  constructor(db: Database) {
    this.#db = db;
    this.#session = db.prepare('SELECT key FROM session WHERE id = ?');
    this.#segments = new SegmentTable(db);
    this.#head = db.prepare(`
      SELECT last_seq, owner_id, workspace_id,
        coalesce((SELECT epoch FROM segment WHERE session = key ORDER BY first_seq DESC LIMIT 1), epoch) AS epoch
      FROM session WHERE id = ?`);
    this.#tombstone = db.prepare('SELECT 1 FROM tombstone WHERE session_id = ?');
    this.#turn = db.prepare(`
      ${selectOwnedTurn} WHERE turn.turn_id = ? AND NOT EXISTS (SELECT 1 FROM tombstone WHERE session = turn.session)`);
    this.#messageNames = db.prepare(`
      SELECT message_id AS id FROM turn WHERE session = ?1 UNION ALL SELECT id FROM message WHERE session = ?1 LIMIT ?2`);
    this.#saidNames = db.prepare(`
      SELECT seq, item_id, turn_id, client_id, role, item_type, '' AS content, NULL AS content_json
      FROM transcript WHERE session = ? LIMIT ?`);
    this.#turnOfMessage = db.prepare(selectTurn(fromTurnOfMessage));
    this.#message = db.prepare('SELECT 1 FROM message WHERE session = ? AND id = ?');
    this.#unfinished = db.prepare(`
      SELECT id FROM session
      WHERE key IN (SELECT session FROM turn WHERE ended_at IS NULL UNION SELECT session FROM outbox)
        AND key NOT IN (SELECT session FROM tombstone WHERE session IS NOT NULL)
      ORDER BY key`);
  }

  readSegments(session_id: string, after: number, bytes: number): Segment[] {
    return this.answer(() => {
      const key = this.#key(session_id);
      if (key === null) return [];
      return cutSegments(this.#segments.after(key, after), bytes);
    });
  }

  readAt(session_id: string, seqs: readonly number[]): Segment[] {
    return this.answer(() => {
      const key = this.#key(session_id);
      return key === null ? [] : this.#segments.holding(session_id, key, seqs);
    });
  }

  readHead(session_id: string): SessionHead | null {
    return this.answer(() => {
      const row = this.#head.get(session_id);
      if (row === undefined) {
        this.#refuseGone(session_id);
        return null;
      }
      return {
        last_seq: row.last_seq as number,
        epoch: row.epoch as number,
        owner_id: row.owner_id as string,
        workspace_id: row.workspace_id as string,
      };
    });
  }

  findTurn(turn_id: string): OwnedTurn | null {
    return this.answer(() => {
      const row = this.#turn.get(turn_id);
      return row === undefined ? null : decodeOwnedTurn(row);
    });
  }

  readNames(session_id: string): SessionNames | null {
    return this.answer(() => {
      const key = this.#key(session_id);
      if (key === null) return null;
      const most = limits.known_names + 1;
      const messages = this.#messageNames.all(key, most).map((row) => row.id as string);
      const said = messages.length === most ? [] : this.#saidNames.all(key, most).flatMap((row) => namesOf(named(row)));
      return sessionNames(
        messages,
        said.map(({ id }) => id),
      );
    });
  }

  findMessage(session_id: string, message_id: string): TurnRow | true | null {
    return this.answer(() => {
      const key = this.#key(session_id);
      if (key === null) return null;
      const turn = this.#turnOfMessage.get(key, message_id);
      if (turn !== undefined) return decodeTurn(turn);
      return this.#message.get(key, message_id) === undefined ? null : true;
    });
  }

  listUnfinished(): string[] {
    return this.answer(() => this.#unfinished.all().map((row) => row.id as string));
  }

  close(): void {
    this.#db.close();
  }

  #refuseGone(session_id: string): void {
    if (this.#tombstone.get(session_id) !== undefined) throw sessionGone(session_id);
  }

  #key(session_id: string): number | null {
    const key = (this.#session.get(session_id)?.key as number | undefined) ?? null;
    if (key === null) this.#refuseGone(session_id);
    return key;
  }

  /** Whatever SQLite refuses, in the store's own words. */
  answer<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw toStoreError(error);
    }
  }
}
