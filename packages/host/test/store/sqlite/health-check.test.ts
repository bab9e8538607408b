import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { commit, SessionUnits, segmentOf } from '../session-units.ts';
import { databasePath, openWriter, workerUrl } from './sqlite-folder.ts';

/** Sessions in a database that nobody closed. */
async function leftOpen(): Promise<string> {
  const path = await databasePath();
  const { writer } = await openWriter(path);
  writer.begin({ sole: true });
  for (const id of ['a', 'b', 'c']) {
    const units = new SessionUnits(id);
    for (let n = 0; n < 20; n += 1) {
      const segments = [segmentOf(n + 1, n + 1, 1, 'x'.repeat(1_000))];
      writer.commit([units.next(1, { segments, context: '{}' })]);
    }
  }
  writer.close();
  return path;
}

describe('after a stop', () => {
  it('in order nothing is checked', async () => {
    const path = await databasePath();
    await (await SqliteStore.open({ path, workerUrl })).close();
    const store = await SqliteStore.open({ path, workerUrl });
    expect(store.health()).toEqual({ state: 'sound', problems: [], damaged_sessions: [] });
    await store.close();
  });

  it('without order the store is unchecked, serves meanwhile, and is found sound', async () => {
    const store = await SqliteStore.open({ path: await leftOpen(), workerUrl });
    expect(store.health().state).toBe('unchecked');
    const looking = store.inspect();
    expect(store.health().state).toBe('checking');
    expect((await store.readHead('a'))?.last_seq).toBe(20);
    expect(await commit(store, new SessionUnits('new').next(1))).toEqual(['committed']);
    expect(await looking).toEqual({ state: 'sound', problems: [], damaged_sessions: [] });
    expect(store.health().state).toBe('sound');
    await store.close();
  });

  it('a damaged session is named, the others are not', async () => {
    const path = await leftOpen();
    const { db } = await openWriter(path);
    db.exec(`UPDATE segment SET body = replace(body, 'chunk 20', 'chunk 21') WHERE session = 2 AND last_seq = 20`);
    db.exec(`UPDATE session_context SET context = '{"x":1}' WHERE session = 3`);
    db.close();
    const store = await SqliteStore.open({ path, workerUrl });
    expect(await store.inspect()).toEqual({ state: 'damaged', problems: [], damaged_sessions: ['b', 'c'] });
    await store.close();
  });

  it('a damaged file is found', async () => {
    const path = await leftOpen();
    const { db } = await openWriter(path);
    const page = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'segment'").get()?.rootpage);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, (page - 1) * 4096, page * 4096);
    writeFileSync(path, bytes);
    const store = await SqliteStore.open({ path, workerUrl });
    const { state, problems } = await store.inspect();
    expect(state).toBe('damaged');
    expect(problems.length).toBeGreaterThan(0);
    await store.close();
  });

  it('a store that closes while it looks does so', async () => {
    const store = await SqliteStore.open({ path: await leftOpen(), workerUrl });
    const looking = store.inspect();
    await store.close();
    expect(['unchecked', 'sound']).toContain((await looking).state);
  });
});
