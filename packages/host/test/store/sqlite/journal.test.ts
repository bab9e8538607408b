import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it, vi } from 'vitest';
import type { Unit } from '../../../src/store/port.ts';
import { backUp } from '../../../src/store/sqlite/back-up.ts';
import { DatabaseFile, openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { connect, type Database } from '../../../src/store/sqlite/driver.ts';
import { journalEntry, journalPath } from '../../../src/store/sqlite/journal-file.ts';
import { readMark, waitingCommits } from '../../../src/store/sqlite/journal-mark.ts';
import { JournalWriter } from '../../../src/store/sqlite/journal-writer.ts';
import { packUnits } from '../../../src/store/sqlite/packed-units.ts';
import { replay } from '../../../src/store/sqlite/replay.ts';
import { restore } from '../../../src/store/sqlite/restore.ts';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';
import { interactionRow } from '../ports/interaction.suite.ts';
import { claim, commit, own, runRow, SessionUnits, segmentOf, transcriptRow } from '../session-units.ts';
import { databasePath, workerUrl } from './sqlite-folder.ts';

const now = 1_000_000;

interface Journaling {
  db: Database;
  writer: Writer;
  /** One commit through the journal. */
  take(...units: Unit[]): Promise<void>;
  journal: JournalWriter;
  /** As a kill leaves it: nothing that waits is written, and nothing is told to be closed. */
  kill(): void;
}

async function openJournaling(path: string): Promise<Journaling> {
  const db = await openForWriting(path);
  const writer = new Writer(db, new DatabaseFile(path), 'class', () => now);
  const { salt } = writer.begin({ sole: true });
  const journal = new JournalWriter({
    path,
    salt,
    landed: (news) => writer.wait(news),
    refill: async () => writer.refill(),
  });
  const take = (...units: Unit[]) =>
    new Promise<void>((resolve, reject) => {
      const done = (error: Error | null) => (error === null ? resolve() : reject(error));
      journal.append({
        packed: packUnits(units),
        sessions: units.map(({ session_id }) => session_id),
        flush: true,
        done,
      });
    });
  return { db, writer, journal, take, kill: () => writer.close() };
}

describe('the journal', () => {
  const sizeOf = (path: string) => (existsSync(journalPath(path)) ? statSync(journalPath(path)).size : 0);

  it('takes the commits of a crowd, and those that come while something waits; a lone one goes into the tables', async () => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl, sole: true });
    const sessions = Array.from({ length: limits.journal_crowd }, (_, n) => new SessionUnits(`s${n}`));
    await commit(store, ...sessions.map((session) => session.next()));
    await commit(store, ...sessions.slice(1).map((session) => session.next()));
    expect(sizeOf(path)).toBe(0);
    // Which session stands where is known: the tables have told it.
    const crowded = commit(store, ...sessions.map((session) => session.next()));
    const alone = commit(store, new SessionUnits('s0', { epoch: 1, last_seq: 2 }).next());
    expect([await crowded, await alone].flat()).toEqual(Array(limits.journal_crowd + 1).fill('committed'));
    expect(sizeOf(path)).toBeGreaterThan(0);
    expect(await store.readHead('s0')).toMatchObject({ last_seq: 3 });
    expect(await store.readHead('s1')).toMatchObject({ last_seq: 3 });
    await store.close();
    expect(existsSync(journalPath(path))).toBe(false);
  });

  it('takes the first commit of a session that was looked for and is not there', async () => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl, sole: true, crowd: 1 });
    expect(await claim(store, 's')).toBeNull();
    expect(await commit(store, new SessionUnits('s', undefined, 'host').next(2))).toEqual(['committed']);
    expect(sizeOf(path)).toBeGreaterThan(0);
    expect(await own(store, 's')).toMatchObject({ last_seq: 2, epoch: 2 });
    await store.close();
  });

  it.each<[string, (units: SessionUnits) => Unit]>([
    ['asks a person', (units) => units.next(1, { interactions: [{ opened: interactionRow('q') }] })],
    ['holds a message that made no turn', (units) => units.next(1, { message_ids: ['m'] })],
    ['was made by somebody who has not looked', (units) => units.next(1, { fresh: false })],
    ['has another epoch', (units) => ({ ...units.next(1), epoch: 7 })],
    ['begins elsewhere', (units) => ({ ...units.next(1), expected_seq: 1, last_seq: 2 })],
  ])('does not take a unit that %s', async (_, next) => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl, sole: true, crowd: 1 });
    const units = new SessionUnits('s');
    await commit(store, units.next(1));
    await commit(store, units.next(1));
    const before = sizeOf(path);
    expect(before).toBeGreaterThan(0);
    await commit(store, next(units)).catch(() => undefined);
    expect(sizeOf(path)).toBe(before);
    await store.close();
  });

  it('is followed by a claim, and by a removal, that come while it is written', async () => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl, sole: true, crowd: 1 });
    const units = new SessionUnits('s');
    await commit(store, units.next(1));
    const journaled = commit(store, units.next(1));
    expect((await claim(store, 's'))?.last_seq).toBe(2);
    expect(await journaled).toEqual(['committed']);
    // The owner of before is fenced, and so is one that was not told that its session is gone.
    expect(await commit(store, units.next(1))).toEqual(['fenced']);
    const next = new SessionUnits('s', { epoch: 2, last_seq: 2 });
    const last = commit(store, next.next(1));
    expect(await store.sessions.remove('s', { at: now, why: 'test' })).toBe(true);
    expect(await last).toEqual(['committed']);
    expect(await commit(store, next.next(1))).toEqual(['fenced']);
    await store.close();
  });

  it('that is full is filled again from its beginning, under load as well', async () => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl, sole: true, crowd: 1 });
    const large = 1024 * 1024;
    const sessions = Array.from({ length: 3 }, (_, n) => new SessionUnits(`s${n}`));
    await commit(store, ...sessions.map((session) => session.next()));
    const commits = Math.ceil(limits.journal_bytes / large) + 20;
    const work = sessions.map(async (session) => {
      for (let n = 0; n < commits / 3; n += 1) {
        const unit = session.next();
        const segments = [segmentOf(unit.last_seq, unit.last_seq, unit.epoch, 'x'.repeat(large))];
        expect(await commit(store, { ...unit, segments, flush: false })).toEqual(['committed']);
      }
    });
    await Promise.all(work);
    expect(sizeOf(path)).toBeGreaterThan(limits.journal_bytes);
    expect(sizeOf(path)).toBeLessThan(limits.journal_bytes + 6 * large);
    for (const { session_id, last_seq } of sessions) expect(await own(store, session_id)).toMatchObject({ last_seq });
    await store.close();
  });

  it('that cannot be written refuses, and commits go into the tables', async () => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl, sole: true, crowd: 1 });
    const units = new SessionUnits('s');
    await commit(store, units.next(1));
    symlinkSync('/dev/full', journalPath(path));
    const refused = units.next(1);
    await expect(commit(store, refused)).rejects.toMatchObject({ retryable: true, details: { reason: 'DISK_FULL' } });
    expect(await commit(store, refused)).toEqual(['committed']);
    expect(await own(store, 's')).toMatchObject({ last_seq: 2 });
    await store.close();
  });

  it('that was replaced is noticed before anything is told, and another one is begun', async () => {
    const path = await databasePath();
    const { take, journal, kill } = await openJournaling(path);
    const units = new SessionUnits('s');
    await take(units.next(1));
    writeFileSync(`${path}.other`, '');
    renameSync(`${path}.other`, journalPath(path));
    const refused = units.next(1);
    await expect(take(refused)).rejects.toMatchObject({ details: { reason: 'STORE_LOST' } });
    expect(journal.isOpen).toBe(false);
    journal.mend();
    await vi.waitUntil(() => journal.isOpen);
    await take(refused);
    kill();
    const store = await SqliteStore.open({ path, workerUrl, sole: true });
    expect(await own(store, 's')).toMatchObject({ last_seq: 2 });
    await store.close();
  });
});

describe('what runs received', () => {
  const entry = (run_id: string) => ({ run_id, context: '{}', grant: '{}', terms: null });
  const rows = (db: Database) =>
    db
      .prepare('SELECT run_id FROM dossier ORDER BY run_id')
      .all()
      .map((row) => row.run_id);

  it('is written with the rows of the runs, which wait in the journal', async () => {
    const { db, writer, take, kill } = await openJournaling(await databasePath());
    await take(new SessionUnits('s').next(1, { runs: [runRow('s', 'r1'), runRow('s', 'r2')] }));
    writer.keepDossiers([entry('r1'), entry('of no run')]);
    writer.keepDossiers([entry('r2')]);
    expect(rows(db)).toEqual([]);
    writer.settle();
    expect(rows(db)).toEqual(['r1', 'r2']);
    kill();
  });

  it('is written at once when nothing waits', async () => {
    const { db, writer, take, kill } = await openJournaling(await databasePath());
    await take(new SessionUnits('s').next(1, { runs: [runRow('s', 'r1')] }));
    writer.settle();
    writer.keepDossiers([entry('r1')]);
    expect(rows(db)).toEqual(['r1']);
    kill();
  });

  it('waits no longer than there is room for it', async () => {
    const { db, writer, take, kill } = await openJournaling(await databasePath());
    await take(new SessionUnits('s').next(1, { runs: [runRow('s', 'r1'), runRow('s', 'r2')] }));
    writer.keepDossiers([entry('r1'), ...Array.from({ length: limits.dossier_queue - 1 }, (_, n) => entry(`x${n}`))]);
    expect(rows(db)).toEqual([]);
    writer.keepDossiers([entry('r2')]);
    expect(rows(db)).toEqual(['r1', 'r2']);
    expect(writer.waiting).toBe(0);
    kill();
  });
});

describe('a host that was killed', () => {
  it('has its journal written into the tables by the next start, once', async () => {
    const path = await databasePath();
    const { take, kill } = await openJournaling(path);
    const units = new SessionUnits('s');
    await take(units.next(2, { turns: [units.turn('t')], outbox_add: [1] }));
    await take(units.next(3, { flush: false }));
    kill();
    const store = await SqliteStore.open({ path, workerUrl, sole: true });
    expect(await own(store, 's')).toMatchObject({ last_seq: 5, outbox: [1], turns: [units.turn('t')] });
    await store.close();
    const db = await connect(path, { readOnly: true });
    expect(replay(db)).toMatchObject({ sessions: 1, records: 5, problems: [] });
    expect(waitingCommits(db, journalPath(path))).toBe(0);
    db.close();
  });

  it('after some of it was written has the rest written', async () => {
    const path = await databasePath();
    const { writer, take, kill } = await openJournaling(path);
    const units = new SessionUnits('s');
    await take(units.next(1));
    await take(units.next(1));
    writer.settle();
    await take(units.next(1));
    kill();
    const db = await connect(path, { readOnly: true });
    expect(waitingCommits(db, journalPath(path))).toBe(1);
    db.close();
    const store = await SqliteStore.open({ path, workerUrl });
    expect(await own(store, 's')).toMatchObject({ last_seq: 3 });
    await store.close();
  });

  it('in the middle of that has it done by the one after', async () => {
    const path = await databasePath();
    const { take, kill } = await openJournaling(path);
    await take(new SessionUnits('s').next(2));
    kill();
    const dying = fileURLToPath(new URL('./open-store.ts', import.meta.url));
    const env = { ...process.env, NODE_ENV: 'test', ROSTRA_FAILPOINTS: 'journal.settled:kill' };
    const args = ['--import', 'tsx', dying, path, workerUrl.href];
    expect(spawnSync(process.execPath, args, { env }).signal).toBe('SIGKILL');
    const store = await SqliteStore.open({ path, workerUrl, sole: true });
    expect(await own(store, 's')).toMatchObject({ last_seq: 2 });
    await store.close();
  });

  it('while it filled its journal anew finds nothing of the filling before', async () => {
    const path = await databasePath();
    const { writer, take, kill } = await openJournaling(path);
    const units = new SessionUnits('s');
    await take(units.next(2));
    await take(units.next(2));
    // Told to nobody: the next commit would lie where the first one does.
    writer.refill();
    kill();
    const store = await SqliteStore.open({ path, workerUrl, sole: true });
    expect(await own(store, 's')).toMatchObject({ last_seq: 4 });
    await store.close();
  });

  it('in the middle of a write keeps what was whole, and starts', async () => {
    const path = await databasePath();
    const { take, kill } = await openJournaling(path);
    const units = new SessionUnits('s');
    await take(units.next(2));
    const whole = statSync(journalPath(path)).size;
    await take(units.next(3));
    kill();
    const bytes = readFileSync(journalPath(path));
    bytes[whole + 40]! ^= 1;
    writeFileSync(journalPath(path), bytes);
    const store = await SqliteStore.open({ path, workerUrl, sole: true });
    expect(await own(store, 's')).toMatchObject({ last_seq: 2 });
    await store.close();
  });

  it('with its machine, so that a file of zeros is left where its journal was, starts', async () => {
    const path = await databasePath();
    writeFileSync(journalPath(path), Buffer.alloc(4096));
    const store = await SqliteStore.open({ path, workerUrl, sole: true });
    await commit(store, new SessionUnits('s').next(1));
    await store.close();
    writeFileSync(journalPath(path), Buffer.alloc(4096));
    const again = await SqliteStore.open({ path, workerUrl, sole: true });
    expect(await own(again, 's')).toMatchObject({ last_seq: 1 });
    await again.close();
  });

  it('leaves out what was refused after it had been written', async () => {
    const path = await databasePath();
    const { db, writer, take, kill } = await openJournaling(path);
    const units = new SessionUnits('s');
    await take(units.next(1));
    writer.claim('s', 'host');
    const { salt = 0, offset = 0 } = readMark(db) ?? {};
    const late = Buffer.concat(journalEntry(salt, packUnits([units.next(1)])));
    writeFileSync(journalPath(path), Buffer.concat([readFileSync(journalPath(path)).subarray(0, offset), late]));
    kill();
    const store = await SqliteStore.open({ path, workerUrl, sole: true });
    expect(await own(store, 's')).toMatchObject({ last_seq: 1, epoch: 3 });
    await store.close();
  });

  it('when its journal was a table is started once more itself', async () => {
    const path = await databasePath();
    const db = await openForWriting(path);
    db.exec(`CREATE TABLE journal (id INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, units BLOB NOT NULL) STRICT;
      INSERT INTO journal (checksum, units) VALUES (1, x'00');
      PRAGMA user_version = 15`);
    db.close();
    const refused = { refusal: { reason: 'STORE_UNSETTLED', retryable: false } };
    await expect(openForWriting(path)).rejects.toMatchObject(refused);
  });
});

describe('what waits in the journal', () => {
  it('is seen by whoever reads, on the thread of the writer and on that of the readers', async () => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl, sole: true, crowd: 1 });
    const units = new SessionUnits('s');
    for (let n = 1; n <= 3 * limits.store_reads_shared; n += 1) {
      await commit(store, units.next(1, { transcript: [transcriptRow('s', n)] }));
      expect(await store.readHead('s')).toMatchObject({ last_seq: n });
      expect((await store.transcript.page('s', { limit: 1 })).rows).toEqual([transcriptRow('s', n)]);
    }
    expect((await claim(store, 's'))?.last_seq).toBe(3 * limits.store_reads_shared);
    await store.close();
  });

  it('is in a backup', async () => {
    const path = await databasePath();
    const { writer, take, kill } = await openJournaling(path);
    await take(new SessionUnits('r').next(1));
    writer.settle();
    await take(new SessionUnits('s').next(2), new SessionUnits('t').next(3));
    const file = join(dirname(path), 'x.backup');
    const { manifest, problems } = await backUp(dirname(path), file, now);
    expect({ sessions: manifest.sessions, records: manifest.records, problems }).toEqual({
      sessions: 3,
      records: 6,
      problems: [],
    });
    expect(writer.waiting).toBe(2);
    kill();
    const data = join(dirname(path), 'restored');
    await restore({ file, data, force: false, now });
    const db = await connect(join(data, 'rostra.db'), { readOnly: true });
    expect(replay(db)).toMatchObject({ records: 6, hash: manifest.replay });
    db.close();
  });
});
