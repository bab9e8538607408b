import type { Database } from './driver.ts';
import { SQLITE_ERROR, sqliteCode } from './store-error.ts';

/** Runs `work` and commits it, or undoes all of it and throws what it threw. */
export type Transact = <T>(work: () => T) => T;

export function transactOn(db: Database): Transact {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return (work) => {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      rollBack(db);
      throw error;
    }
  };
}

/** After some failures, a full disk among them, SQLite has already rolled back and reports that there is nothing to do. */
function rollBack(db: Database): void {
  try {
    db.exec('ROLLBACK');
  } catch (error) {
    if (sqliteCode(error) !== SQLITE_ERROR) throw error;
  }
}
