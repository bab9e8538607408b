import { createHash } from 'node:crypto';
import { CorruptLogError } from '../port.ts';
import { type ChainHead, genesis, type HashedSegment, hashContext, sha256Hash, verifyChain } from '../segment-hash.ts';
import type { Database, SqlRow } from './driver.ts';
import { SegmentTable } from './segment-table.ts';
import { selectSession } from './session-row.ts';

export interface ReplayReport {
  sessions: number;
  records: number;
  /** One sentence per session that does not verify. */
  problems: string[];
  /** Over id, last record and hash of every session, in the order of their ids: equal for equal logs. */
  hash: string;
}

/** Reads every log from its first record on, or that of one session, and proves each link of its chain, as of one moment. */
export function replay(db: Database, only: string | null = null): ReplayReport {
  db.exec('BEGIN');
  try {
    return replayAll(db, only);
  } finally {
    db.exec('ROLLBACK');
  }
}

/** Ids of the sessions that are there. */
export function sessionIds(db: Database): string[] {
  return presentSessions(db, null).map(({ id }) => id as string);
}

/** Backups are proven as they are, whatever schema they have. */
function has(db: Database, table: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
}

function presentSessions(db: Database, only: string | null): SqlRow[] {
  const present = has(db, 'tombstone')
    ? 'WHERE key NOT IN (SELECT session FROM tombstone WHERE session IS NOT NULL)'
    : '';
  const rows = db.prepare(`SELECT key, id FROM session ${present} ORDER BY id`).all();
  return only === null ? rows : rows.filter(({ id }) => id === only);
}

function replayAll(db: Database, only: string | null): ReplayReport {
  const ids = presentSessions(db, only);
  const one = db.prepare(`${has(db, 'session_context') ? selectSession : 'SELECT * FROM session'} WHERE key = ?`);
  const segments = new SegmentTable(db);
  const total = createHash('sha256');
  const problems: string[] = [];
  let records = 0;
  for (const { key = 0 } of ids) {
    const row = one.get(key);
    if (row === undefined) continue;
    try {
      verify(row, segments.after(key as number, 0));
    } catch (error) {
      if (!(error instanceof CorruptLogError)) throw error;
      problems.push(error.message);
    }
    records += row.last_seq as number;
    total.update(`${JSON.stringify(row.id)}\n${row.last_seq}\n${row.hash}\n`);
  }
  return { sessions: ids.length, records, problems, hash: total.digest('hex') };
}

function verify(row: SqlRow, segments: Iterable<HashedSegment>): void {
  const session_id = row.id as string;
  let head: ChainHead = genesis;
  for (const segment of segments) head = verifyChain(session_id, head, [segment], sha256Hash);
  if (head.seq !== row.last_seq || head.hash !== row.hash) {
    throw new CorruptLogError(
      session_id,
      `The log of session ${session_id} is damaged: it ends at record ${head.seq}, the session at ${row.last_seq}, or their hashes differ.`,
    );
  }
  const { context } = row;
  const saved =
    typeof context === 'string' ? hashContext(session_id, row.context_seq as number, context, sha256Hash) : null;
  if (saved !== row.context_hash) {
    throw new CorruptLogError(
      session_id,
      `The log of session ${session_id} is damaged: the context saved at record ${row.context_seq} was changed.`,
    );
  }
}
