import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tarHeader } from '../../../src/store/backup/tar.ts';
import { backUp } from '../../../src/store/sqlite/back-up.ts';
import { connect } from '../../../src/store/sqlite/driver.ts';
import { schemaVersion } from '../../../src/store/sqlite/migrate.ts';
import { replay } from '../../../src/store/sqlite/replay.ts';
import { restore } from '../../../src/store/sqlite/restore.ts';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { lockDataFolder } from '../../../src/store/store-lock.ts';
import { newArtifact } from '../ports/artifact.suite.ts';
import { claim, commit, own, SessionUnits } from '../session-units.ts';
import { databasePath, workerUrl } from './sqlite-folder.ts';

const now = Date.parse('2026-03-04T05:06:07Z');
const later = now + 100;
const large = new Uint8Array(3_000_000).map((_, n) => n % 253);

async function replayOf(data: string) {
  const db = await connect(join(data, 'rostra.db'), { readOnly: true });
  const report = replay(db);
  db.close();
  return report;
}

/** A data folder with some sessions, artifacts and objects, closed. */
async function dataFolder(): Promise<string> {
  const path = await databasePath();
  const store = await SqliteStore.open({ path, workerUrl });
  const units = [new SessionUnits('a'), new SessionUnits('b')];
  for (let n = 0; n < 5; n += 1) await commit(store, ...units.map((each) => each.next(3, { context: `{"n":${n}}` })));
  await store.artifacts.create(newArtifact('file'), large);
  await store.storage.set({ scope: 'plugin', owner: 'demo', key: 'large' }, large.subarray(1), { at: 1 });
  await store.close();
  return dirname(path);
}

async function emptyFolder(): Promise<string> {
  return join(dirname(await databasePath()), 'restored');
}

describe('a backup', () => {
  it('taken while the host writes, restored elsewhere, replays with equal hashes', { timeout: 30_000 }, async () => {
    const path = await databasePath();
    const data = dirname(path);
    const store = await SqliteStore.open({ path, workerUrl, checkpoint: { idle: 1, bytes: 100_000 } });
    let isWriting = true;
    let writes = 0;
    const load = ['a', 'b', 'c', 'd'].map(async (id) => {
      const units = new SessionUnits(id);
      for (let n = 0; isWriting; n += 1) {
        await commit(store, units.next(20, { flush: n % 5 === 0, context: n % 3 === 0 ? `{"n":${n}}` : null }));
        if (n % 20 === 0) await store.artifacts.create(newArtifact(`${id}-${n}`), large.subarray(n, n + 70_000));
        writes += 1;
      }
    });
    while (writes < 200) await new Promise((resolve) => setImmediate(resolve));
    const before = writes;
    const { manifest, problems } = await backUp(data, join(data, 'x.backup'), now);
    expect(writes).toBeGreaterThan(before);
    isWriting = false;
    await Promise.all(load);
    await store.close();
    expect(problems).toEqual([]);
    expect(manifest.sessions).toBe(4);
    expect(manifest.blobs.length).toBeGreaterThan(0);

    const target = await emptyFolder();
    await restore({ file: join(data, 'x.backup'), data: target, force: false, now: later });
    expect(await replayOf(target)).toEqual({
      sessions: 4,
      records: manifest.records,
      problems: [],
      hash: manifest.replay,
    });
    const again = await SqliteStore.open({ path: join(target, 'rostra.db'), workerUrl });
    for (const id of ['a', 'b', 'c', 'd']) expect((await own(again, id)).last_seq).toBeGreaterThan(0);
    expect(await again.artifacts.read('a-0', { offset: 0, length: 10 }, 1)).toEqual(large.slice(0, 10));
    await again.close();
  });

  it('holds everything, and any tar program reads it', async () => {
    const data = await dataFolder();
    const file = join(data, 'x.backup');
    const { manifest } = await backUp(data, file, now);
    const names = execFileSync('tar', ['tf', file]).toString().trim().split('\n');
    expect(names.slice(0, 2)).toEqual(['manifest.json', 'rostra.db']);
    expect(names).toHaveLength(2 + 2);
    expect(manifest).toMatchObject({ sessions: 2, records: 30, schema: schemaVersion });
    expect(readdirSync(data).filter((name) => name.startsWith('x.backup'))).toEqual(['x.backup']);
    expect(existsSync(join(data, 'blobs', 'backup'))).toBe(false);
  });

  it('keeps large numbers in its headers', () => {
    const header = tarHeader({ name: 'large', size: 20_000_000_000 }, now);
    expect(header.readBigUInt64BE(128)).toBe(20_000_000_000n);
  });

  it('overwrites nothing, and needs a database', async () => {
    const data = await dataFolder();
    writeFileSync(join(data, 'taken'), 'x');
    await expect(backUp(data, join(data, 'taken'), now)).rejects.toMatchObject({
      details: { reason: 'BACKUP_UNUSABLE' },
    });
    expect(readFileSync(join(data, 'taken'), 'utf8')).toBe('x');
    await expect(backUp(await emptyFolder(), join(data, 'y'), now)).rejects.toThrow('There is no database');
  });

  it('of an empty file is refused: that is no database', async () => {
    const path = await databasePath();
    writeFileSync(path, '');
    await expect(backUp(dirname(path), join(dirname(path), 'x.backup'), now)).rejects.toMatchObject({
      message: `There is no database in ${dirname(path)}.`,
    });
  });
});

describe('a restore', () => {
  it('gives every session a new epoch, greater than any before', async () => {
    const data = await dataFolder();
    const file = join(data, 'x.backup');
    await backUp(data, file, now);
    const target = await emptyFolder();
    await restore({ file, data: target, force: false, now: later });
    const store = await SqliteStore.open({ path: join(target, 'rostra.db'), workerUrl });
    expect((await claim(store, 'a'))?.epoch).toBe(Math.floor(later / 1000) + 1);
    await store.close();
  });

  it('refuses a folder that is not empty, unless what is there may be moved aside', async () => {
    const data = await dataFolder();
    const file = join(dirname(data), `${now}-${Math.random()}.backup`);
    await backUp(data, file, now);
    const { hash } = await replayOf(data);
    await expect(restore({ file, data, force: false, now })).rejects.toMatchObject({
      details: { reason: 'DATA_FOLDER_NOT_EMPTY' },
    });
    for (const key of ['owner.key', 'secret.key']) writeFileSync(join(data, key), 'key');
    const { replaced } = await restore({ file, data, force: true, now });
    expect(replaced).toBe(join(data, 'replaced-20260304T050607Z'));
    expect((await replayOf(replaced ?? '')).hash).toBe(hash);
    expect((await replayOf(data)).hash).toBe(hash);
    const left = ['blobs', 'owner.key', 'replaced-20260304T050607Z', 'rostra.db', 'secret.key'];
    expect(readdirSync(data).sort()).toEqual(left);
  });

  it('refuses a folder that a host uses', async () => {
    const data = await dataFolder();
    const file = join(data, 'x.backup');
    await backUp(data, file, now);
    const target = await emptyFolder();
    mkdirSync(target);
    const lock = lockDataFolder(target);
    await expect(restore({ file, data: target, force: true, now })).rejects.toMatchObject({
      details: { reason: 'DATA_FOLDER_LOCKED' },
    });
    lock.release();
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut off', (bytes) => bytes.subarray(0, bytes.length - 2_000_000)],
    ['with a manifest that is no JSON', (bytes) => replaced(bytes, /"sessions":2/, '"sessions":x')],
    ['with a manifest of another form', (bytes) => replaced(bytes, /"replay":"./, '"replay":"~')],
    [
      'whose manifest names another hash',
      (bytes) => replaced(bytes, /"replay":"[0-9a-f]{64}/, `"replay":"${'0'.repeat(64)}`),
    ],
    ['with a changed byte in the database', (bytes) => flip(bytes, 20_000)],
    ['with a changed byte in a file', (bytes) => flip(bytes, bytes.length - 500_000)],
    ['that is something else', () => Buffer.alloc(9_000, 'x')],
  ])('refuses a backup %s and leaves the folder as it was', async (_, damage) => {
    const data = await dataFolder();
    const file = join(data, 'x.backup');
    await backUp(data, file, now);
    writeFileSync(file, damage(readFileSync(file)));
    const target = await emptyFolder();
    await expect(restore({ file, data: target, force: false, now })).rejects.toMatchObject({
      details: { reason: 'BACKUP_UNUSABLE' },
    });
    expect(readdirSync(target)).toEqual([]);
  });
});

describe('a replay', () => {
  it('names every session that does not verify', async () => {
    const data = await dataFolder();
    const sound = await replayOf(data);
    expect(sound).toMatchObject({ sessions: 2, records: 30, problems: [] });
    const db = await connect(join(data, 'rostra.db'), { readOnly: false });
    db.exec(`UPDATE segment SET body = replace(body, 'chunk 4', 'chunk 9') WHERE first_seq = 4 AND session = 2`);
    db.close();
    const { problems } = await replayOf(data);
    expect(problems).toEqual(['The log of session b is damaged: the segment of records 4 to 6 was changed.']);
  });
});

function replaced(bytes: Buffer, what: RegExp, by: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(what, by), 'latin1');
}

function flip(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  return bytes;
}
