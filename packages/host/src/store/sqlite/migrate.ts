import type { Database } from './driver.ts';
import { sessionLog } from './migrations/001-session-log.ts';
import { StoreError } from './store-error.ts';
import { transactOn } from './transaction.ts';

/** In order; the number of the last one done stands in `user_version`. An entry never changes after its release. */
const migrations: readonly string[] = [sessionLog];

const schemaVersion = migrations.length;

/** One transaction for all of them: a host killed in between finds the old schema and begins again. */
export function migrate(db: Database): void {
  if (versionOf(db) === schemaVersion) return;
  transactOn(db)(() => {
    const version = versionOf(db);
    if (version > schemaVersion) throw newer(version);
    for (const migration of migrations.slice(version)) db.exec(migration);
    db.exec(`PRAGMA user_version = ${schemaVersion}`);
  });
}

function versionOf(db: Database): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

function newer(version: number): Error {
  return new StoreError({
    reason: 'STORE_NEWER',
    message: `The database has schema ${version}; this Rostra knows schemas up to ${schemaVersion}.`,
    retryable: false,
    hint: 'Start the newer Rostra that wrote it, or set ROSTRA_DATA to another folder.',
  });
}
