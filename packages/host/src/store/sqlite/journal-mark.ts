import type { Database } from './driver.ts';
import { type JournalMark, journalBytes, journalEntries } from './journal-file.ts';
import { setMeta } from './meta-value.ts';
import type { Statements } from './statements.ts';

const key = 'journal';
const form = /^(\d{1,10}):(\d{1,15})$/;

/** How far the journal is in the tables; null for a database that never had one. */
export function readMark(db: Database): JournalMark | null {
  const value = db.prepare('SELECT value FROM meta WHERE key = ?').get(key)?.value;
  const found = typeof value === 'string' ? form.exec(value) : null;
  return found === null ? null : { salt: Number(found[1]), offset: Number(found[2]) };
}

/** Within the transaction that brings it that far. */
export function writeMark(sql: Statements, { salt, offset }: JournalMark): void {
  setMeta(sql, key, `${salt}:${offset}`);
}

/** Commits in the journal at this path that are in no table of the database. */
export function waitingCommits(db: Database, path: string): number {
  const mark = readMark(db);
  return mark === null ? 0 : [...journalEntries(journalBytes(path, mark), mark.salt)].length;
}
