import { spawnSync } from 'node:child_process';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { genesis, hashContext, sha256Hash } from '../../../src/store/segment-hash.ts';
import { openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { connect, type Database } from '../../../src/store/sqlite/driver.ts';
import { schemaVersion } from '../../../src/store/sqlite/migrate.ts';
import { sessionLog } from '../../../src/store/sqlite/migrations/001-session-log.ts';
import { replay } from '../../../src/store/sqlite/replay.ts';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { commit, findMessage, own, SessionUnits } from '../session-units.ts';
import { databasePath, workerUrl } from './sqlite-folder.ts';

const openDatabase = fileURLToPath(new URL('./open-database.ts', import.meta.url));
const line = `${JSON.stringify({ seq: 1, mark: 'both', text: 'the key is "like": 7 and ,"like":' })}\n`;

/** A database as the first schema had it, with one session of one record. */
async function firstSchema(path: string, body = line): Promise<void> {
  const db = await connect(path, { readOnly: false });
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(sessionLog);
  const hash = sha256Hash(genesis.hash, 's', 1, 1, body);
  db.prepare(`INSERT INTO session (id, workspace_id, owner_id, epoch, last_seq, hash, created_at, updated_at)
    VALUES ('s', 'w', 'o', 1, 1, ?, 1, 1)`).run(hash);
  db.prepare('INSERT INTO segment VALUES (1, 1, 1, 1, 1, ?, ?)').run(hash, body);
  db.exec('PRAGMA user_version = 1');
  db.close();
}

function versionOf(db: Database): unknown {
  return db.prepare('PRAGMA user_version').get()?.user_version;
}

function copiesOf(path: string): string[] {
  return readdirSync(dirname(path)).filter((name) => name.endsWith('.copy'));
}

/** Opens the database in a process of its own that dies at a failpoint. */
function openAndDie(path: string, failpoint: string): void {
  const { signal } = spawnSync(process.execPath, ['--import', 'tsx', openDatabase, path], {
    env: { ...process.env, NODE_ENV: 'test', ROSTRA_FAILPOINTS: `${failpoint}:kill` },
  });
  expect(signal).toBe('SIGKILL');
}

describe('a migration', () => {
  it('is told before it begins, and only where there is something to change', async () => {
    const heard: unknown[] = [];
    const path = await databasePath();
    await firstSchema(path);
    for (let opened = 0; opened < 2; opened += 1) {
      const store = await SqliteStore.open({ path, workerUrl, changing: (change) => heard.push(change) });
      await store.close();
    }
    expect(heard).toEqual([{ from: 1, to: schemaVersion }]);
  });

  it('keeps a copy of the database as it was, beside it, named by version and time', async () => {
    const path = await databasePath();
    await firstSchema(path);
    const store = await SqliteStore.open({ path, workerUrl });
    expect(await own(store, 's')).toMatchObject({ last_seq: 1, tail: [{ body: line }] });
    await store.close();
    const [copy, ...others] = copiesOf(path);
    expect(others).toEqual([]);
    expect(copy).toMatch(/^rostra\.db\.schema-1\.\d{8}T\d{6}Z\.copy$/);
    const db = await connect(join(dirname(path), copy ?? ''), { readOnly: true });
    expect(versionOf(db)).toBe(1);
    expect(db.prepare('SELECT body FROM segment').all()).toEqual([{ body: line }]);
    db.close();
  });

  it('is not made, and nothing copied, for a new database or one that is up to date', async () => {
    const path = await databasePath();
    (await openForWriting(path)).close();
    (await openForWriting(path)).close();
    expect(copiesOf(path)).toEqual([]);
  });

  it('killed before its end begins again, and what it left unfinished goes', async () => {
    const path = await databasePath();
    await firstSchema(path);
    openAndDie(path, 'migration.written');
    const between = await connect(path, { readOnly: true });
    expect(versionOf(between)).toBe(1);
    between.close();
    writeFileSync(`${path}.schema-1.x.copy.part`, 'half a copy');
    const db = await openForWriting(path);
    expect(versionOf(db)).toBe(schemaVersion);
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    expect(db.prepare('SELECT body FROM segment').all()).toEqual([{ body: line }]);
    db.close();
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('notes how far each log went that hosts of before made a transcript of', async () => {
    const path = await databasePath();
    await firstSchema(path);
    const store = await SqliteStore.open({ path, workerUrl });
    await commit(store, new SessionUnits('new').next());
    await store.close();
    const db = await connect(path, { readOnly: true });
    expect(db.prepare('SELECT id, early_seq FROM session ORDER BY id').all()).toEqual([
      { id: 'new', early_seq: 0 },
      { id: 's', early_seq: 1 },
    ]);
    db.close();
  });

  it('keeps the context that a session had saved, and proves it', async () => {
    const path = await databasePath();
    await firstSchema(path);
    const old = await connect(path, { readOnly: false });
    const save = old.prepare('UPDATE session SET context = ?, context_seq = 1, context_hash = ?');
    save.run('{"state":"OPEN"}', hashContext('s', 1, '{"state":"OPEN"}', sha256Hash));
    const before = replay(old);
    old.close();
    const store = await SqliteStore.open({ path, workerUrl });
    expect(await own(store, 's')).toMatchObject({ context: '{"state":"OPEN"}', context_seq: 1, tail: [] });
    await store.close();
    const db = await connect(path, { readOnly: false });
    expect(before).toMatchObject({ sessions: 1, problems: [] });
    expect(replay(db)).toEqual(before);
    db.exec(`UPDATE session_context SET context = '{}'`);
    expect(replay(db).problems).toEqual([expect.stringContaining('the context saved at record 1 was changed')]);
    db.close();
  });

  it('keeps what runs received, each with what it shared with others', async () => {
    const path = await databasePath();
    const old = await openForWriting(path);
    old.exec(`DROP TABLE dossier;
      DROP TABLE dossier_terms;
      CREATE TABLE dossier_terms (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
      CREATE TABLE dossier (run_id TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, context TEXT NOT NULL,
        grant_text TEXT NOT NULL, terms TEXT) STRICT;
      PRAGMA user_version = 13;
      INSERT INTO session (key, id, workspace_id, owner_id, epoch, last_seq, hash, created_at, updated_at)
        VALUES (1, 's', 'w', 'o', 1, 0, '', 1, 1);
      INSERT INTO run (run_id, session, turn_id, agent_id, attempt, status, created_at)
        VALUES ('r1', 1, 't', 'a', 1, 'completed', 1), ('r2', 1, 't', 'a', 2, 'completed', 1);
      INSERT INTO dossier_terms VALUES ('other', '{"a":1}'), ('same', '{"b":2}');
      INSERT INTO dossier VALUES ('r2', 1, '{"two":2}', '{}', NULL), ('r1', 1, '{"one":1}', '{}', 'same')`);
    old.close();
    const store = await SqliteStore.open({ path, workerUrl });
    const terms = { id: 'same', text: '{"b":2}' };
    expect(await store.dossiers.get('r1')).toEqual({ run_id: 'r1', context: '{"one":1}', grant: '{}', terms });
    expect(await store.dossiers.get('r2')).toEqual({ run_id: 'r2', context: '{"two":2}', grant: '{}', terms: null });
    await store.close();
  });

  it('keeps turns in their order, and finds each by its message', async () => {
    const path = await databasePath();
    const old = await openForWriting(path);
    old.exec(`DROP TABLE turn;
      CREATE TABLE turn (turn_id TEXT NOT NULL UNIQUE, session INTEGER NOT NULL REFERENCES session (key),
        message_id TEXT NOT NULL, client_run_id TEXT, payload_hash TEXT, agent_id TEXT NOT NULL, status TEXT NOT NULL,
        created_at INTEGER NOT NULL, ended_at INTEGER, first_seq INTEGER NOT NULL, code TEXT, message TEXT,
        retryable INTEGER NOT NULL, UNIQUE (session, message_id)) STRICT;
      CREATE INDEX turn_live ON turn (session) WHERE ended_at IS NULL;
      PRAGMA user_version = 16;
      INSERT INTO session (key, id, workspace_id, owner_id, epoch, last_seq, hash, created_at, updated_at)
        VALUES (1, 's', 'w', 'o', 1, 0, '', 1, 1);
      INSERT INTO turn VALUES ('z', 1, 'm-1', 'r', 'h', 'a', 'completed', 1, 2, 1, NULL, NULL, 0),
        ('a', 1, 'm-2', NULL, NULL, 'a', 'failed', 3, 4, 9000, 'c', 'm', 1),
        ('k', 1, 'm-3', 'q', 'g', 'a', 'running', 5, NULL, 9001, NULL, NULL, 0)`);
    old.close();
    const store = await SqliteStore.open({ path, workerUrl });
    const listed = await store.sessions.turns({ workspace_id: 'w' }, { limit: 9 });
    expect(listed.rows.map(({ turn_id }) => turn_id)).toEqual(['k', 'a', 'z']);
    for (const turn of listed.rows) expect(await findMessage(store, 's', turn.message_id)).toEqual(turn);
    expect(listed.rows[1]).toEqual({
      turn_id: 'a',
      session_id: 's',
      message_id: 'm-2',
      client_run_id: null,
      payload_hash: null,
      agent_id: 'a',
      status: 'failed',
      created_at: 3,
      ended_at: 4,
      first_seq: 9000,
      code: 'c',
      message: 'm',
      retryable: true,
    });
    await store.close();
  });

  it('can be undone by the copy that it kept', async () => {
    const path = await databasePath();
    await firstSchema(path);
    (await openForWriting(path)).close();
    const [copy = ''] = copiesOf(path);
    renameSync(join(dirname(path), copy), path);
    const store = await SqliteStore.open({ path, workerUrl });
    expect(await own(store, 's')).toMatchObject({ last_seq: 1 });
    await store.close();
  });

  it('refuses a log of the short form that only unreleased builds wrote, and changes nothing', async () => {
    const path = await databasePath();
    await firstSchema(path, `{"seq":1,"mark":"both"}\n{"seq":2,"like":1,"sequence":2,"ts":1,"n":1,"text":"x"}\n`);
    const refused = { refusal: { reason: 'STORE_OLDER', retryable: false } };
    await expect(openForWriting(path)).rejects.toMatchObject(refused);
    const db = await connect(path, { readOnly: true });
    expect(versionOf(db)).toBe(1);
    db.close();
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.`))).toEqual([]);
  });
});

describe('a checkpoint', () => {
  it.each(['checkpoint.begin', 'checkpoint.done'])('killed at %s leaves a database that opens clean', async (point) => {
    const path = await databasePath();
    openAndDie(path, point);
    const db = await openForWriting(path);
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    expect(db.prepare('SELECT last_seq FROM session').all()).toEqual([{ last_seq: 200 }]);
    db.close();
  });
});
