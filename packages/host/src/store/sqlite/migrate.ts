import { hit } from '../../failpoint.ts';
import { StoreError } from '../refusal.ts';
import { copyBefore } from './database-copy.ts';
import type { Database } from './driver.ts';
import { journalPath } from './journal-file.ts';
import { waitingCommits } from './journal-mark.ts';
import { sessionLog } from './migrations/001-session-log.ts';
import { ports } from './migrations/002-ports.ts';
import { search } from './migrations/003-search.ts';
import { inbox } from './migrations/004-inbox.ts';
import { runFacts } from './migrations/005-run-facts.ts';
import { artifactPlace } from './migrations/006-artifact-place.ts';
import { knownMessages } from './migrations/007-known-messages.ts';
import { sessionList } from './migrations/008-session-list.ts';
import { uploads } from './migrations/009-uploads.ts';
import { dossiers } from './migrations/010-dossiers.ts';
import { knowledge } from './migrations/011-knowledge.ts';
import { leanRuns } from './migrations/012-lean-runs.ts';
import { sessionContext } from './migrations/013-session-context.ts';
import { shortDossiers } from './migrations/014-short-dossiers.ts';
import { journal } from './migrations/015-journal.ts';
import { journalFile } from './migrations/016-journal-file.ts';
import { nearNames } from './migrations/017-near-names.ts';
import { joinedSegments } from './migrations/018-joined-segments.ts';
import { transactOn } from './transaction.ts';

interface Migration {
  sql: string;
  /** Throws when this database cannot be brought further. */
  check?(db: Database): void;
}

/** In order; the number of the last one done stands in `user_version`. An entry never changes after its release. */
const migrations: readonly Migration[] = [
  { sql: sessionLog },
  { sql: ports, check: refuseShortChunks },
  { sql: search },
  { sql: inbox },
  { sql: runFacts },
  { sql: artifactPlace },
  { sql: knownMessages },
  { sql: sessionList },
  { sql: uploads },
  { sql: dossiers },
  { sql: knowledge },
  { sql: leanRuns },
  { sql: sessionContext },
  { sql: shortDossiers },
  { sql: journal },
  { sql: journalFile },
  { sql: nearNames },
  { sql: joinedSegments },
];

export const schemaVersion = migrations.length;

/** What takes a while with a large database. */
export interface SchemaChange {
  readonly from: number;
  readonly to: number;
}

/**
 * One transaction for all of them: a host killed in between finds the old schema and begins again. A database that
 * holds anything is copied before, so that the way back is a rename.
 */
export function migrate(db: Database, path: string, changing: (change: SchemaChange) => void): void {
  const found = versionOf(db);
  if (found === schemaVersion) return;
  if (found > schemaVersion) throw newer(found);
  refuseJournal(db, path, found);
  for (const { check } of migrations.slice(found)) check?.(db);
  if (found > 0) {
    changing({ from: found, to: schemaVersion });
    copyBefore(db, path, `schema-${found}`);
  }
  transactOn(db)(() => {
    const version = versionOf(db);
    if (version > schemaVersion) throw newer(version);
    for (const { sql } of migrations.slice(version)) db.exec(sql);
    hit('migration.written');
    db.exec(`PRAGMA user_version = ${schemaVersion}`);
  });
}

export function versionOf(db: Database): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

/**
 * Early logs of schema 1 wrote a chunk as what differs from the one before it. Nothing reads that form any more, and
 * only builds between releases wrote it: such a database is told apart by its lines, and refused.
 */
function refuseShortChunks(db: Database): void {
  if (versionOf(db) < 1) return;
  const bodies = db.prepare(`SELECT rowid, body FROM segment WHERE rowid > ? AND instr(body, ',"like":') > 0 LIMIT 1`);
  for (let row = bodies.get(0); row !== undefined; row = bodies.get(row.rowid ?? 0)) {
    if (!/^\{"seq":\d+,"like":/m.test(String(row.body))) continue;
    throw new StoreError({
      reason: 'STORE_OLDER',
      message: `The database has schema 1 in a form that only unreleased builds wrote; this Rostra cannot read it.`,
      retryable: false,
      hint: 'Move the data folder away, or name another folder with --data or ROSTRA_DATA.',
    });
  }
}

/** What waits in the journal, a table in schema 15 and a file since, is in the form of the version that wrote it. */
function refuseJournal(db: Database, path: string, version: number): void {
  if (version < 15) return;
  const isTable = version === 15;
  if (isTable && db.prepare('SELECT 1 FROM journal LIMIT 1').get() === undefined) return;
  if (!isTable && waitingCommits(db, journalPath(path)) === 0) return;
  throw new StoreError({
    reason: 'STORE_UNSETTLED',
    message: `The Rostra that wrote this database, with schema ${version}, was killed before it had written all that it had committed.`,
    retryable: false,
    hint: 'Start that Rostra once more and stop it with Ctrl-C; then start this one.',
  });
}

function newer(version: number): Error {
  return new StoreError({
    reason: 'STORE_NEWER',
    message: `The database has schema ${version}; this Rostra knows schemas up to ${schemaVersion}.`,
    retryable: false,
    hint: 'Start the newer Rostra that wrote it, or name another folder with --data or ROSTRA_DATA.',
  });
}
