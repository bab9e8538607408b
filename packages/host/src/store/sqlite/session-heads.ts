import { limits } from '@rostra/protocol/wire/limits';
import type { Unit } from '../port.ts';
import type { Database, SqlRow, Statement } from './driver.ts';

/** What the writer must know of a session to extend its log. */
export interface SessionHead {
  key: number;
  epoch: number;
  seq: number;
  hash: string;
}

/** Heads of the sessions written last, so that a unit of chunks needs no reading. Least recently used leave first. */
export class SessionHeads {
  readonly #limit: number;
  readonly #heads = new Map<string, SessionHead>();
  readonly #row: Statement;

  constructor(db: Database, limit: number = limits.writer_heads) {
    this.#limit = limit;
    this.#row = db.prepare('SELECT key, epoch, last_seq, hash FROM session WHERE id = ?');
  }

  /** The head on which the unit means to build, from the row unless it was just written here; null when unknown. */
  of(unit: Unit): SessionHead | null {
    const known = this.#heads.get(unit.session_id);
    if (known?.epoch === unit.epoch && known.seq === unit.expected_seq) return known;
    return this.read(unit.session_id);
  }

  read(session_id: string): SessionHead | null {
    const row = this.#row.get(session_id);
    return row === undefined ? null : decodeHead(row);
  }

  set(session_id: string, head: SessionHead): void {
    this.#heads.delete(session_id);
    this.#heads.set(session_id, head);
    if (this.#heads.size <= this.#limit) return;
    const [oldest] = this.#heads.keys();
    if (oldest !== undefined) this.#heads.delete(oldest);
  }

  delete(session_id: string): void {
    this.#heads.delete(session_id);
  }

  /** After a rollback nothing that was noted is sure. */
  clear(): void {
    this.#heads.clear();
  }
}

function decodeHead(row: SqlRow): SessionHead {
  return {
    key: row.key as number,
    epoch: row.epoch as number,
    seq: row.last_seq as number,
    hash: row.hash as string,
  };
}
