import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CorruptLogError } from '../../../src/store/port.ts';
import { StoreError } from '../../../src/store/refusal.ts';
import { openForReading, openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { connect, type Database } from '../../../src/store/sqlite/driver.ts';
import { schemaVersion } from '../../../src/store/sqlite/migrate.ts';
import { Reader } from '../../../src/store/sqlite/reader.ts';
import { SessionUnits, segmentOf } from '../session-units.ts';
import { databasePath, openWriter } from './sqlite-folder.ts';

const openDatabase = fileURLToPath(new URL('./open-database.ts', import.meta.url));
const NORMAL = 1;
const FULL = 2;

function classOf(db: Database): unknown {
  return db.prepare('PRAGMA synchronous').get()?.synchronous;
}

function reasonOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error.refusal.reason;
    throw error;
  }
  return 'none';
}

function rowsOf(db: Database): Record<string, number> {
  const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
  return Object.fromEntries(['session', 'segment', 'turn', 'message', 'outbox'].map((table) => [table, count(table)]));
}

describe('durability', () => {
  it('waits for the disk with the commits that need it, and only with those', async () => {
    const { db, writer } = await openWriter(await databasePath());
    const units = new SessionUnits('s');
    const classes = [true, false, false, true, false].map((flush) => {
      writer.commit([units.next(1, { flush })]);
      return classOf(db);
    });
    expect(classes).toEqual([FULL, NORMAL, NORMAL, FULL, NORMAL]);
    writer.commit([units.next(1, { flush: false }), new SessionUnits('t').next(1, { flush: true })]);
    expect(classOf(db)).toBe(FULL);
    writer.commit([units.next(1, { flush: false })]);
    writer.claim('s', 'host');
    expect(classOf(db)).toBe(FULL);
    expect(writer.stats()).toMatchObject({ commits: 8, flushes: 4 });
    writer.close();
  });

  it('always waits when told so', async () => {
    const { db, writer } = await openWriter(await databasePath(), { durability: 'flush' });
    writer.commit([new SessionUnits('s').next(1, { flush: false })]);
    expect(classOf(db)).toBe(FULL);
    expect(writer.stats().flushes).toBe(1);
    writer.close();
  });

  it('switches back after a failed commit', async () => {
    const { db, writer } = await openWriter(await databasePath());
    const units = new SessionUnits('s');
    writer.commit([units.next(1, { flush: false, outbox_add: [1] })]);
    const bad = new SessionUnits('s', units).next(1, { flush: false, outbox_add: [1] });
    expect(reasonOf(() => writer.commit([bad]))).toBe('STORE_DUPLICATE');
    expect(classOf(db)).toBe(NORMAL);
    writer.commit([units.next(1, { flush: true })]);
    expect(classOf(db)).toBe(FULL);
    writer.close();
  });
});

describe('write budget', () => {
  it('a unit of chunks adds one row and changes one', async () => {
    const { db, writer } = await openWriter(await databasePath());
    const units = new SessionUnits('s');
    writer.commit([units.next(2, { turns: [units.turn('t')], context: '{}', outbox_add: [1] })]);
    const before = rowsOf(db);
    const changes = () => Number(db.prepare('SELECT total_changes() AS n').get()?.n);
    const changed = changes();
    writer.commit([units.next(50, { flush: false })]);
    expect(rowsOf(db)).toEqual({ ...before, segment: before.segment! + 1 });
    expect(changes() - changed).toBe(2);
    writer.close();
  });

  it('a unit of chunks leaves the pages of a large context alone', async () => {
    const { db, file, writer } = await openWriter(await databasePath());
    const units = new SessionUnits('s');
    writer.commit([units.next(200, { context: JSON.stringify('x'.repeat(60_000)) })]);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    writer.commit([units.next(1, { flush: false })]);
    expect(file.walBytes()).toBeLessThan(8 * 4_200);
    writer.close();
  });

  it('finds its place again for more sessions than it keeps in mind, and after a claim', async () => {
    const { db, writer } = await openWriter(await databasePath());
    const sessions = Array.from({ length: 30 }, (_, n) => new SessionUnits(`s${n}`));
    writer.commit(sessions.map((units) => units.next(2)));
    const second = await openWriter(String(db.prepare('PRAGMA database_list').get()?.file));
    const results = second.writer.commit(sessions.map((units) => units.next(1)));
    expect(new Set(results)).toEqual(new Set(['committed']));
    // The first writer's notes are old by now: the rows decide.
    expect(new Set(writer.commit(sessions.map((units) => units.next(1))))).toEqual(new Set(['committed']));
    for (const { session_id } of sessions) expect(writer.claim(session_id, 'host')?.last_seq).toBe(4);
    second.writer.close();
    writer.close();
  });
});

describe('a disk that fails', () => {
  it('is full at commit n, for every n: nothing half-written, reads go on, and it recovers', async () => {
    for (let n = 0; n < 12; n += 1) {
      const { db, writer, path } = await openWriter(await databasePath());
      const reader = new Reader(await openForReading(path));
      const units = new SessionUnits('s');
      writer.commit([units.next(1, { context: '{}' })]);
      const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
      db.exec(`PRAGMA max_page_count = ${pages + n}`);
      let acknowledged = 1;
      let refused = units.next();
      for (; ; refused = units.next()) {
        const { first_seq, last_seq, epoch } = refused.segments[0]!;
        refused = {
          ...refused,
          turns: [units.turn(`t${last_seq}`)],
          message_ids: [`m${last_seq}`],
          outbox_add: [last_seq],
          segments: [segmentOf(first_seq, last_seq, epoch, 'x'.repeat(3_000))],
        };
        const unit = refused;
        const reason = reasonOf(() => writer.commit([unit]));
        if (reason === 'DISK_FULL') break;
        expect(reason).toBe('none');
        acknowledged = unit.last_seq;
      }
      expect(rowsOf(db)).toMatchObject({ segment: acknowledged, turn: acknowledged - 1, outbox: acknowledged - 1 });
      expect(reader.readHead('s')?.last_seq).toBe(acknowledged);
      expect(reader.readSegments('s', 0, 1e9)).toHaveLength(acknowledged);
      db.exec('PRAGMA max_page_count = 1000000');
      expect(writer.commit([refused])).toEqual(['committed']);
      expect(writer.claim('s', 'host')?.last_seq).toBe(acknowledged + 1);
      expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      reader.close();
      writer.close();
    }
  });

  it('has lost the file: no commit is acknowledged into the void', async () => {
    const { writer, path } = await openWriter(await databasePath());
    const units = new SessionUnits('s');
    writer.commit([units.next()]);
    renameSync(path, `${path}.moved`);
    expect(reasonOf(() => writer.commit([units.next()]))).toBe('STORE_LOST');
    writeFileSync(path, '');
    expect(reasonOf(() => writer.claim('s', 'host'))).toBe('STORE_LOST');
    writer.close();
  });

  it('has only the log left: no new empty database is made over it', async () => {
    const path = await databasePath();
    const { writer } = await openWriter(path);
    writer.commit([new SessionUnits('s').next()]);
    const wal = `${path}-wal`;
    renameSync(wal, `${wal}.kept`);
    writer.close();
    for (const file of [path, wal, `${path}-shm`]) rmSync(file, { force: true });
    renameSync(`${wal}.kept`, wal);
    await expect(openForWriting(path)).rejects.toMatchObject({ refusal: { reason: 'STORE_LOST' } });
    expect(existsSync(path)).toBe(false);
  });

  it('has turned read-only', async () => {
    const { db, writer } = await openWriter(await databasePath());
    const units = new SessionUnits('s');
    writer.commit([units.next()]);
    db.exec('PRAGMA query_only = 1');
    const unit = units.next();
    expect(reasonOf(() => writer.commit([unit]))).toBe('STORE_READONLY');
    db.exec('PRAGMA query_only = 0');
    expect(writer.commit([unit])).toEqual(['committed']);
    writer.close();
  });

  it('may not be written any more: no host starts on it, and nothing is made in its place', async () => {
    const path = await databasePath();
    const open = ['--import', 'tsx', openDatabase, path];
    spawnSync(process.execPath, open);
    const folder = dirname(path);
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    const before = readdirSync(folder);
    // Root may write everything: the test is for somebody else.
    const user = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    const { stdout, status } = spawnSync(process.execPath, open, user);
    chmodSync(folder, 0o755);
    expect([status, stdout.toString()]).toEqual([1, 'STORE_READONLY']);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('holds something else than a database', async () => {
    const path = await databasePath();
    writeFileSync(path, 'x'.repeat(8_192));
    await expect(openForWriting(path)).rejects.toMatchObject({ refusal: { reason: 'STORE_CORRUPT' } });
  });

  it('reports a session whose pages are unreadable as a damaged log', async () => {
    const { db, writer, path } = await openWriter(await databasePath());
    const units = new SessionUnits('s');
    for (let i = 0; i < 40; i += 1)
      writer.commit([units.next(1, { segments: [segmentOf(i + 1, i + 1, 1, 'x'.repeat(2_000))] })]);
    const page = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'segment'").get()?.rootpage);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    writer.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, (page - 1) * 4096, page * 4096);
    writeFileSync(path, bytes);
    const again = await openWriter(path);
    expect(() => again.writer.claim('s', 'host')).toThrow(CorruptLogError);
    again.writer.close();
  });
});

describe('schema', () => {
  it('is made once and kept', async () => {
    const path = await databasePath();
    const { writer } = await openWriter(path);
    writer.commit([new SessionUnits('s').next(3)]);
    writer.close();
    const again = await openWriter(path);
    expect(again.db.prepare('PRAGMA user_version').get()).toEqual({ user_version: schemaVersion });
    expect(again.writer.claim('s', 'host')).toMatchObject({ epoch: 2, last_seq: 3 });
    again.writer.close();
  });

  it('is left as it was when a migration does not come to its end', async () => {
    const path = await databasePath();
    const before = await connect(path, { readOnly: false });
    before.exec('CREATE TABLE outbox (in_the_way)');
    before.close();
    await expect(openForWriting(path)).rejects.toMatchObject({ refusal: { reason: 'STORE_FAILED' } });
    const after = await connect(path, { readOnly: true });
    expect(after.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'outbox' }]);
    expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 });
    after.close();
  });
});
