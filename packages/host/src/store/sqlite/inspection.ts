import { CorruptLogError } from '../port.ts';
import { sha256Hash, verifyTail } from '../segment-hash.ts';
import type { Database } from './driver.ts';
import { SegmentTable } from './segment-table.ts';
import { selectSession } from './session-row.ts';

/** What a look at a database found; nothing when it is sound. */
export interface Findings {
  problems: string[];
  damaged_sessions: string[];
}

const problemsMax = 20;
const sessionsPerPage = 200;

/** The structure of the file, then the last segment and the saved context of every session. */
export function inspect(db: Database): Findings {
  const told = db
    .prepare(`PRAGMA quick_check(${problemsMax})`)
    .all()
    .map((row) => String(row.quick_check));
  const problems = told.filter((line) => line !== 'ok');
  return { problems, damaged_sessions: problems.length > 0 ? [] : damagedSessions(db) };
}

function damagedSessions(db: Database): string[] {
  const page = db.prepare(`
    ${selectSession} WHERE key > ? AND NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = session.key)
    ORDER BY key LIMIT ${sessionsPerPage}`);
  const segments = new SegmentTable(db);
  const damaged: string[] = [];
  let rows = page.all(0);
  while (rows.length > 0) {
    for (const row of rows) {
      const key = row.key as number;
      const session_id = row.id as string;
      const last = segments.at(key, row.last_seq as number);
      const tail = {
        session_id,
        head: { seq: row.last_seq as number, hash: row.hash as string },
        context: row.context as string | null,
        context_seq: row.context_seq as number,
        context_hash: row.context_hash as string | null,
        from: segments.before(key, last?.first_seq ?? 0),
        segments: last === null ? [] : [last],
      };
      try {
        verifyTail(tail, sha256Hash);
      } catch (error) {
        if (!(error instanceof CorruptLogError)) throw error;
        damaged.push(session_id);
      }
    }
    rows = page.all(rows.at(-1)?.key ?? 0);
  }
  return damaged;
}
