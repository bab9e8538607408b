import { copyFileSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lookAtStore } from '../../../../src/main/commands/doctor/store-look.ts';
import { connect } from '../../../../src/store/sqlite/driver.ts';
import { SqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts';
import { commit, SessionUnits } from '../../../store/session-units.ts';
import { databasePath, workerUrl } from '../../../store/sqlite/sqlite-folder.ts';

async function databaseWithALog(): Promise<string> {
  const file = await databasePath();
  const store = await SqliteStore.open({ path: file, workerUrl });
  await commit(store, new SessionUnits('a').next(3, { context: '{"n":1}' }));
  await store.close();
  return file;
}

function overwrite(file: string, bytes: Buffer, at: number): void {
  writeSync(openSync(file, 'r+'), bytes, 0, bytes.length, at);
}

test.each<[string, (file: string) => void]>([
  ['whose header was changed', (file) => overwrite(file, Buffer.from('x'), 0)],
  ['whose form no SQLite knows', (file) => overwrite(file, Buffer.from([0xff]), 47)],
  ['with a page that was overwritten', (file) => overwrite(file, Buffer.alloc(64, 0xa5), 4096)],
  ['that was cut', (file) => truncateSync(file, 9000)],
])('a database %s is a failure with something to do', async (_, damage) => {
  const file = await databaseWithALog();
  expect(await lookAtStore(path.dirname(file))).toMatchObject([{ state: 'ok' }]);
  damage(file);
  const findings = await lookAtStore(path.dirname(file));
  expect(findings).toMatchObject([{ what: 'store', state: 'fail', hint: expect.stringContaining('restore a backup') }]);
});

test('a database of another program is a failure', async () => {
  const file = await databaseWithALog();
  const other = `${file}.other`;
  const db = await connect(other, { readOnly: false });
  db.exec('CREATE TABLE x (y); PRAGMA user_version = 99');
  db.close();
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  copyFileSync(other, file);
  expect(await lookAtStore(path.dirname(file))).toMatchObject([
    { state: 'fail', said: 'The database file does not hold the tables of a Rostra database.' },
  ]);
});

test('a database that an older Rostra wrote is not called damaged', async () => {
  const file = await databaseWithALog();
  const db = await connect(file, { readOnly: false });
  db.exec('PRAGMA user_version = 3');
  db.close();
  expect(await lookAtStore(path.dirname(file))).toMatchObject([{ state: 'warn' }]);
});

test('an empty file is no database', async () => {
  const file = await databasePath();
  writeFileSync(file, '');
  expect(await lookAtStore(path.dirname(file))).toEqual([]);
});
