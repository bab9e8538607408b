import { type ClaimedSession, CorruptLogError } from '../port.ts';
import { sha256Hash, verifyTail, withoutHash } from '../segment-hash.ts';
import type { Database, SqlRow, Statement } from './driver.ts';
import { SegmentTable } from './segment-table.ts';
import { selectSession } from './session-row.ts';
import { SQLITE_CORRUPT, sqliteCode } from './store-error.ts';
import { decodeTurn, selectTurn } from './turn-row.ts';

export interface SessionTail {
  key: number;
  /** As stored: the epoch not yet raised. */
  session: ClaimedSession;
  hash: string;
}

/** Reads what a new owner needs of a session, and proves it. */
export class TailReader {
  readonly #session: Statement;
  readonly #segments: SegmentTable;
  readonly #outbox: Statement;
  readonly #turns: Statement;

  constructor(db: Database) {
    this.#session = db.prepare(`${selectSession} WHERE id = ?`);
    this.#segments = new SegmentTable(db);
    this.#outbox = db.prepare('SELECT seq FROM outbox WHERE session = ? ORDER BY seq');
    this.#turns = db.prepare(`${selectTurn('turn')} WHERE turn.session = ? AND ended_at IS NULL ORDER BY turn.rowid`);
  }

  read(session_id: string): SessionTail | null {
    try {
      const row = this.#session.get(session_id);
      return row === undefined ? null : this.#verified(session_id, row);
    } catch (error) {
      if (sqliteCode(error) !== SQLITE_CORRUPT) throw error;
      throw new CorruptLogError(session_id, `The log of session ${session_id} is damaged: its pages cannot be read.`);
    }
  }

  #verified(session_id: string, row: SqlRow): SessionTail {
    const key = row.key as number;
    const last_seq = row.last_seq as number;
    const context = row.context as string | null;
    const context_seq = row.context_seq as number;
    const hash = row.hash as string;
    const tail = [...this.#segments.after(key, context_seq)];
    const last = tail.length === 0 ? this.#segments.at(key, last_seq) : null;
    const segments = last === null ? tail : [last];
    verifyTail(
      {
        session_id,
        head: { seq: last_seq, hash },
        context,
        context_seq,
        context_hash: row.context_hash as string | null,
        from: this.#segments.before(key, segments[0]?.first_seq ?? 0),
        segments,
      },
      sha256Hash,
    );
    const session: ClaimedSession = {
      epoch: row.epoch as number,
      workspace_id: row.workspace_id as string,
      owner_id: row.owner_id as string,
      last_seq,
      context,
      context_seq,
      tail: tail.map(withoutHash),
      outbox: this.#outbox.all(key).map((outbox) => outbox.seq as number),
      turns: this.#turns.all(key).map(decodeTurn),
    };
    return { key, session, hash };
  }
}
