import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { defineCommand } from 'citty';
import { findDatabase, readDatabase } from '../../store/sqlite/database-reading.ts';
import type { Database } from '../../store/sqlite/driver.ts';
import { journalPath } from '../../store/sqlite/journal-file.ts';
import { waitingCommits } from '../../store/sqlite/journal-mark.ts';
import { schemaVersion, versionOf } from '../../store/sqlite/migrate.ts';
import { type ReplayReport, replay as replayLogs, sessionIds } from '../../store/sqlite/replay.ts';
import { configOptions, readDataFolder } from './config-options.ts';
import { jsonOption } from './host-door.ts';
import { counted, endProgress, print, progress } from './printing.ts';
import { Derivation } from './replay/derivation.ts';

export const replay = defineCommand({
  meta: {
    description:
      'Proves the log of every session, or of one, and that context and transcript are what it gives; the host may be running.',
  },
  args: {
    session: { type: 'positional', required: false, description: 'only this session' },
    ...configOptions,
    ...jsonOption,
  },
  async run({ args }) {
    const file = path.join(await readDataFolder(args), 'rostra.db');
    if (!findDatabase(file)) throw noDatabase(file);
    const found = await readDatabase(file, (db) => prove(db, file, args.session ?? null)).finally(endProgress);
    print(args.json, found, () => replayText(found));
    if (found.problems.length > 0) process.exitCode = 1;
  },
});

interface Proof extends ReplayReport {
  /** Of a host that was killed, or of one at work; the next start writes them, or that one soon. */
  readonly waiting: number;
}

async function prove(db: Database, file: string, only: string | null): Promise<Proof> {
  if (only !== null && !sessionIds(db).includes(only)) {
    throw new ApiError('not_found', `There is no session ${JSON.stringify(only)}.`, {
      details: { hint: '`rostra sessions list` shows those that there are.' },
    });
  }
  progress('Proving the logs');
  const report = replayLogs(db, only);
  // What is made from a log that was changed proves nothing, whatever it is compared with.
  const derived = report.problems.length > 0 ? [] : await differences(db, only);
  return { ...report, waiting: waitingCommits(db, journalPath(file)), problems: [...report.problems, ...derived] };
}

function replayText({ sessions, records, problems, waiting, hash }: Proof): string {
  const said = problems.map((problem) => `${problem}\n`).join('');
  const late = waiting > 0 ? `waiting in the journal for the host to write them: ${counted(waiting, 'commit')}\n` : '';
  return `${said}${late}${counted(sessions, 'session')}, ${counted(records, 'record')}, ${problems.length} damaged\n${hash}\n`;
}

function noDatabase(file: string): ApiError {
  return new ApiError('not_found', `There is no database in ${path.dirname(file)}.`, {
    details: { hint: 'Name the folder of the host with --data.' },
  });
}

async function differences(db: Database, only: string | null): Promise<string[]> {
  if (versionOf(db) !== schemaVersion) {
    throw new ApiError('runtime_error', 'The database is of another version of Rostra; its hashes are right.', {
      details: { hint: 'Start this version on it once, then replay it again.' },
    });
  }
  const derivation = new Derivation(db);
  const found: string[] = [];
  const ids = only === null ? sessionIds(db) : [only];
  for (const [n, id] of ids.entries()) {
    progress(`Deriving context and transcript: ${n + 1} of ${ids.length} sessions`);
    const difference = await derivation.difference(id);
    if (difference !== null) found.push(difference);
  }
  return found;
}
