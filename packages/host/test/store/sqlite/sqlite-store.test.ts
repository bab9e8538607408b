import { existsSync } from 'node:fs';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { describe, expect, it } from 'vitest';
import { openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { schemaVersion } from '../../../src/store/sqlite/migrate.ts';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Damage, StoreUnderTest } from '../damaged-log.suite.ts';
import { describeSessionStore } from '../session-store.suite.ts';
import { claim, commit, own, SessionUnits } from '../session-units.ts';
import { databasePath, workerUrl } from './sqlite-folder.ts';

async function underTest(options: { sole?: boolean; crowd?: number } = {}): Promise<StoreUnderTest> {
  const path = await databasePath();
  const store = await SqliteStore.open({ path, workerUrl, ...options });
  return {
    store,
    async damage(session_id, what, how) {
      // Reading has all rows written that wait.
      await store.readHead(session_id);
      const db = await openForWriting(path);
      const key = db.prepare('SELECT key FROM session WHERE id = ?').get(session_id)?.key ?? null;
      if (what === 'context') {
        db.prepare('UPDATE session_context SET context = ? WHERE session = ?').run(how as Damage['context'], key);
      } else {
        const target = how as Damage['segment'];
        const change = 'remove' in target ? null : Object.entries(target.change)[0];
        const sql = change == null ? 'DELETE FROM segment' : `UPDATE segment SET ${change[0]} = ?`;
        const values = change == null ? [] : [change[1] as string | number];
        db.prepare(`${sql} WHERE session = ? AND first_seq = ?`).run(...values, key, target.first_seq);
      }
      db.close();
    },
  };
}

describeSessionStore('sqlite', underTest);
describeSessionStore('sqlite by its journal', () => underTest({ sole: true, crowd: 1 }), { journaled: true });

describe('sqlite: texts', () => {
  it('with a NUL are kept to their end, and no id is taken for the part of it before one', async () => {
    const store = await SqliteStore.open({ path: await databasePath(), workerUrl });
    await commit(store, new SessionUnits('s').next());
    await store.sessions.rename('s', 'be\0fore');
    expect(await store.sessions.cards(['s'])).toMatchObject([{ title: 'be\uFFFDfore' }]);
    expect(await store.readHead('s\0more')).toBeNull();
    await store.close();
  });
});

describe('sqlite: threads', () => {
  it('finishes what is under way when it closes, leaves an empty log file and takes no more', async () => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl });
    const units = new SessionUnits('s');
    const commits = Array.from({ length: 50 }, () => commit(store, units.next(2, { flush: false })));
    const reading = store.readHead('s');
    await store.close();
    expect((await Promise.all(commits)).flat()).toEqual(Array(50).fill('committed'));
    await reading;
    expect(existsSync(`${path}-wal`)).toBe(false);
    await store.close();
    await expect(commit(store, units.next())).rejects.toMatchObject({ details: { reason: 'STORE_CLOSED' } });
    await expect(store.readHead('s')).rejects.toBeInstanceOf(ApiError);

    const again = await SqliteStore.open({ path, workerUrl });
    expect(await own(again, 's')).toMatchObject({ epoch: 2, last_seq: 100 });
    await again.close();
  });

  it('reads while a commit waits for a lock', async () => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl });
    const units = new SessionUnits('s');
    await commit(store, units.next(2));
    const other = await openForWriting(path);
    other.exec('BEGIN IMMEDIATE');
    const waiting = commit(store, units.next());
    expect(await store.readHead('s')).toMatchObject({ last_seq: 2 });
    other.exec('COMMIT');
    other.close();
    expect(await waiting).toEqual(['committed']);
    await store.close();
  });

  it('gives up on a lock that is held too long: retryable, nothing written', async () => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl, busy: 30 });
    const units = new SessionUnits('s');
    await commit(store, units.next(2));
    const other = await openForWriting(path);
    other.exec('BEGIN IMMEDIATE');
    const unit = units.next();
    const busy = { code: 'runtime_error', retryable: true, details: { reason: 'STORE_BUSY' } };
    await expect(commit(store, unit)).rejects.toMatchObject(busy);
    await expect(claim(store, 's')).rejects.toMatchObject(busy);
    other.exec('COMMIT');
    other.close();
    expect(await commit(store, unit)).toEqual(['committed']);
    await store.close();
  });

  it('refuses a database of a newer Rostra, naming both schemas', async () => {
    const path = await databasePath();
    const db = await openForWriting(path);
    db.exec('PRAGMA user_version = 99');
    db.close();
    const opening = SqliteStore.open({ path, workerUrl });
    await expect(opening).rejects.toThrow(
      `The database has schema 99; this Rostra knows schemas up to ${schemaVersion}.`,
    );
    await expect(opening).rejects.toMatchObject({ retryable: false, details: { reason: 'STORE_NEWER' } });
  });

  it('refuses a folder that is not there and creates nothing', async () => {
    const path = `${await databasePath()}/missing/rostra.db`;
    const opening = SqliteStore.open({ path, workerUrl });
    await expect(opening).rejects.toMatchObject({ details: { reason: 'STORE_READONLY' } });
    expect(existsSync(path)).toBe(false);
  });

  it('tells every caller when its thread dies, and everyone after', async () => {
    const source = `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ id, request }) => {
        if (request.method === 'commit') throw new Error('broken');
        parentPort.postMessage({ id, value: request.method === 'open' ? { unclean: false } : null });
        if (request.method === 'close') parentPort.close();
      });`;
    const dying = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
    const store = await SqliteStore.open({ path: await databasePath(), workerUrl: dying });
    const units = new SessionUnits('s');
    const failed = { code: 'runtime_error', retryable: false, details: { reason: 'STORE_FAILED' } };
    const calls = [commit(store, units.next()), commit(store, units.next()), claim(store, 's')];
    for (const call of calls) await expect(call).rejects.toMatchObject(failed);
    await expect(commit(store, units.next())).rejects.toMatchObject(failed);
    expect(await store.readHead('s')).toBeNull();
    await store.close();
  });
});
