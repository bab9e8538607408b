import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TurnRow, Unit } from '../../../src/store/port.ts';
import { backUp } from '../../../src/store/sqlite/back-up.ts';
import { DatabaseFile, openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { connect, type Database, type SqlRow } from '../../../src/store/sqlite/driver.ts';
import { schemaVersion, versionOf } from '../../../src/store/sqlite/migrate.ts';
import { packUnits } from '../../../src/store/sqlite/packed-units.ts';
import { replay } from '../../../src/store/sqlite/replay.ts';
import { restore } from '../../../src/store/sqlite/restore.ts';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';
import { interactionRow } from '../ports/interaction.suite.ts';
import { claim, commit, own, runRow, SessionUnits, segmentOf, transcriptRow } from '../session-units.ts';
import { databasePath, workerUrl } from './sqlite-folder.ts';

const now = 1_000_000;

/** A writer that journals every commit which it may. */
async function openJournaling(path: string): Promise<{ db: Database; writer: Writer; take(...units: Unit[]): void }> {
  const db = await openForWriting(path);
  const writer = new Writer(db, new DatabaseFile(path), 'class', () => now, 1);
  const take = (...units: Unit[]) => {
    expect(writer.commit(units, packUnits(units))).toEqual(units.map(() => 'committed'));
  };
  return { db, writer, take };
}

/** Every row of every table, in its order, but what only the journal has. */
function contentOf(db: Database): Record<string, SqlRow[]> {
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search%'`).all();
  const rowsOf = (name: string) => db.prepare(`SELECT * FROM ${name}`).all();
  return Object.fromEntries(tables.map(({ name }) => [name, rowsOf(String(name))] as const));
}

const journaled = (db: Database) => Number(db.prepare('SELECT count(*) AS n FROM journal').get()?.n);

/** One step in the life of a session: a turn is accepted, goes on, or ends. */
type Step = { session: number; what: 'accept' | 'speak' | 'end' | 'save' };

const steps = fc.array(
  fc.record({
    session: fc.integer({ min: 0, max: 2 }),
    what: fc.constantFrom<Step['what'][]>('accept', 'speak', 'end', 'save'),
  }),
  { maxLength: 40 },
);

/** The units that such steps make. */
function unitsOf(taken: readonly Step[]): Unit[] {
  const sessions = [0, 1, 2].map((n) => ({
    units: new SessionUnits(`s${n}`, undefined, 'host'),
    turns: [] as TurnRow[],
  }));
  let count = 0;
  return taken.map(({ session, what }) => {
    const { units, turns } = sessions[session]!;
    const seq = units.last_seq + 1;
    count += 1;
    const live = turns.at(-1);
    if (what === 'accept' || (what === 'end' && live === undefined)) {
      const turn = units.turn(`t${count}`, { first_seq: seq, created_at: count });
      turns.push(turn);
      const run = runRow(units.session_id, `t${count}.1`, { turn_id: turn.turn_id, created_at: count, first_seq: seq });
      const said = transcriptRow(units.session_id, seq, { turn_id: turn.turn_id });
      return units.next(2, { turns: [turn], runs: [run], transcript: [said], outbox_add: [seq, seq + 1] });
    }
    if (what === 'speak' || live === undefined) return units.next(3, { flush: false });
    if (what === 'save') return units.next(1, { context: `{"n":${count}}` });
    turns.pop();
    const ended = { ...live, status: 'completed', ended_at: count } as const;
    const run = runRow(units.session_id, `${live.turn_id}.1`, {
      turn_id: live.turn_id,
      created_at: live.created_at,
      first_seq: live.first_seq,
      last_seq: seq,
      status: 'completed',
      ended_at: count,
      usage: { input: count },
    });
    return units.next(2, { turns: [ended], runs: [run], outbox_remove: [live.first_seq], context: `{"n":${count}}` });
  });
}

describe('the journal', () => {
  it('leaves the tables as writing unit by unit does, however often it is settled', async () => {
    const property = fc.asyncProperty(steps, fc.integer({ min: 1, max: 12 }), async (taken, every) => {
      const plain = await openForWriting(await databasePath());
      const direct = new Writer(plain, new DatabaseFile(await fileOf(plain)), 'class', () => now);
      const { db, writer, take } = await openJournaling(await databasePath());
      for (const [n, unit] of unitsOf(taken).entries()) {
        expect(direct.commit([unit])).toEqual(['committed']);
        take(unit);
        expect(writer.waiting).toBeGreaterThan(0);
        if (n % every === 0) writer.settle();
      }
      writer.settle();
      expect(contentOf(db)).toEqual(contentOf(plain));
      direct.close();
      writer.close();
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('takes a commit of a crowd as one row, and writes those of its units later', async () => {
    const path = await databasePath();
    const db = await openForWriting(path);
    const writer = new Writer(db, new DatabaseFile(path));
    const sessions = Array.from({ length: limits.journal_crowd }, (_, n) => new SessionUnits(`s${n}`));
    const commitAll = (count: number) => {
      const units = sessions.slice(0, count).map((session) => session.next());
      writer.commit(units, packUnits(units));
    };
    commitAll(limits.journal_crowd - 1);
    expect({ waiting: writer.waiting, rows: journaled(db) }).toEqual({ waiting: 0, rows: 0 });
    commitAll(limits.journal_crowd);
    // Whatever comes while something waits, waits behind it.
    commitAll(1);
    expect({ waiting: writer.waiting, rows: journaled(db) }).toEqual({ waiting: limits.journal_crowd + 1, rows: 2 });
    expect(db.prepare('SELECT max(last_seq) AS seq FROM session').get()).toEqual({ seq: 1 });
    writer.settle();
    expect({ waiting: writer.waiting, rows: journaled(db) }).toEqual({ waiting: 0, rows: 0 });
    expect(db.prepare('SELECT max(last_seq) AS seq FROM session').get()).toEqual({ seq: 3 });
    writer.close();
  });

  it('fences what does not follow what waits', async () => {
    const { writer, take } = await openJournaling(await databasePath());
    const units = new SessionUnits('s');
    const [first, second, third] = [units.next(), units.next(), units.next()];
    take(first);
    expect(writer.commit([third], packUnits([third]))).toEqual(['fenced']);
    take(second);
    take(third);
    expect(writer.commit([second], packUnits([second]))).toEqual(['fenced']);
    const again = new SessionUnits('s').next();
    expect(writer.commit([again], packUnits([again]))).toEqual(['fenced']);
    expect(writer.claim('s', 'host')).toMatchObject({ last_seq: 3, epoch: 2 });
    writer.close();
  });

  it.each<[string, (units: SessionUnits) => Unit]>([
    ['asks a person', (units) => units.next(1, { interactions: [{ opened: interactionRow('q') }] })],
    ['holds a message that made no turn', (units) => units.next(1, { message_ids: ['m'] })],
    ['names a record of before', (units) => units.next(1, { outbox_add: [1] })],
  ])('does not take a unit that %s: all that waits is written before it', async (_, next) => {
    const { db, writer, take } = await openJournaling(await databasePath());
    const units = new SessionUnits('s');
    take(units.next(2));
    take(next(units));
    expect({ waiting: writer.waiting, rows: journaled(db) }).toEqual({ waiting: 0, rows: 0 });
    expect(writer.claim('s', 'host')?.last_seq).toBe(3);
    writer.close();
  });

  it('refuses what the tables would refuse, also when what it collides with only waits', async () => {
    const { writer, take } = await openJournaling(await databasePath());
    const [a, b] = [new SessionUnits('a'), new SessionUnits('b')];
    take(
      a.next(1, { turns: [a.turn('t')], runs: [runRow('a', 't.1', { status: 'completed', ended_at: 1 })] }),
      b.next(),
    );
    const bad = [
      b.next(1, { turns: [{ ...b.turn('t'), session_id: 'b' }] }),
      a.next(1, { turns: [a.turn('t2', { message_id: 'run:t' })] }),
      a.next(1, { runs: [runRow('a', 't.1', { status: 'failed', ended_at: 2 })] }),
    ];
    for (const [index, unit] of bad.entries()) {
      const fresh = {
        ...unit,
        expected_seq: 1,
        last_seq: 2,
        segments: new SessionUnits('x', { epoch: 1, last_seq: 1 }).next().segments,
      };
      expect(() => writer.commit([fresh], packUnits([fresh])), `unit ${index}`).toThrow();
      expect(writer.waiting).toBe(0);
    }
    writer.close();
  });

  it('that is full has everything written first', async () => {
    const { db, writer, take } = await openJournaling(await databasePath());
    const units = new SessionUnits('s');
    for (let n = 0; n < limits.journal_units; n += 64) take(...Array.from({ length: 64 }, () => units.next()));
    expect(writer.waiting).toBe(limits.journal_units);
    take(units.next());
    expect({ waiting: writer.waiting, rows: journaled(db) }).toEqual({ waiting: 0, rows: 0 });
    writer.close();
  });
});

describe('a full disk', () => {
  it('at any commit, or when the rows are written, loses nothing that was taken, and is recovered from', async () => {
    for (let n = 0; n < 16; n += 1) {
      const { db, writer, take } = await openJournaling(await databasePath());
      const units = new SessionUnits('s');
      take(units.next(1));
      writer.settle();
      const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
      db.exec(`PRAGMA max_page_count = ${pages + n}`);
      const full = (work: () => unknown) => {
        try {
          work();
          return false;
        } catch (error) {
          expect(error).toMatchObject({ refusal: { reason: 'DISK_FULL' } });
          return true;
        }
      };
      const large = () => {
        const { first_seq, last_seq, epoch } = units.next(1).segments[0]!;
        const owned = new SessionUnits('s', { epoch, last_seq: first_seq - 1 });
        return owned.next(1, { segments: [segmentOf(first_seq, last_seq, epoch, 'x'.repeat(3_000))] });
      };
      let taken = 1;
      let refused = large();
      for (let count = 0; ; count += 1, refused = large()) {
        const unit = refused;
        if (full(() => writer.commit([unit], packUnits([unit])))) break;
        taken = unit.last_seq;
        if (count % 3 === 2 && full(() => writer.settle())) break;
      }
      db.exec('PRAGMA max_page_count = 1000000');
      if (refused.last_seq > taken) expect(writer.commit([refused], packUnits([refused]))).toEqual(['committed']);
      expect(writer.claim('s', 'host')?.last_seq).toBe(refused.last_seq);
      expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      writer.close();
    }
  });
});

describe('a host that was killed', () => {
  it('has its journal written into the tables by the next start, once', async () => {
    const path = await databasePath();
    const { writer, take } = await openJournaling(path);
    const units = new SessionUnits('s');
    take(units.next(2, { turns: [units.turn('t')], outbox_add: [1] }));
    take(units.next(3, { flush: false }));
    writer.close();
    const store = await SqliteStore.open({ path, workerUrl, sole: true });
    expect(await own(store, 's')).toMatchObject({ last_seq: 5, outbox: [1], turns: [units.turn('t')] });
    await store.close();
    const db = await connect(path, { readOnly: true });
    expect(replay(db)).toMatchObject({ sessions: 1, records: 5, waiting: 0, problems: [] });
    db.close();
  });

  it('in the middle of that has it done by the one after', async () => {
    const path = await databasePath();
    const { writer, take } = await openJournaling(path);
    take(new SessionUnits('s').next(2));
    writer.close();
    const dying = fileURLToPath(new URL('./open-store.ts', import.meta.url));
    const env = { ...process.env, NODE_ENV: 'test', ROSTRA_FAILPOINTS: 'journal.settled:kill' };
    const args = ['--import', 'tsx', dying, path, workerUrl.href];
    expect(spawnSync(process.execPath, args, { env }).signal).toBe('SIGKILL');
    const store = await SqliteStore.open({ path, workerUrl, sole: true });
    expect(await own(store, 's')).toMatchObject({ last_seq: 2 });
    await store.close();
  });

  it('and is followed by a newer version is started once more itself', async () => {
    const path = await databasePath();
    const { db, writer, take } = await openJournaling(path);
    take(new SessionUnits('s').next(2));
    db.exec(`PRAGMA user_version = ${schemaVersion - 1}`);
    writer.close();
    const refused = { refusal: { reason: 'STORE_UNSETTLED', retryable: false } };
    await expect(openForWriting(path)).rejects.toMatchObject(refused);
    const again = await connect(path, { readOnly: true });
    expect({ rows: journaled(again), version: versionOf(again) }).toEqual({ rows: 1, version: schemaVersion - 1 });
    again.close();
  });

  it('and whose journal was changed does not start, and says what to do', async () => {
    const path = await databasePath();
    const { db, writer, take } = await openJournaling(path);
    take(new SessionUnits('s').next(2));
    db.exec(`UPDATE journal SET units = CAST(substr(units, 1, 40) || x'00' || substr(units, 42) AS BLOB)`);
    writer.close();
    const opening = SqliteStore.open({ path, workerUrl, sole: true });
    await expect(opening).rejects.toMatchObject({ retryable: false, details: { reason: 'STORE_CORRUPT' } });
    await expect(opening).rejects.toThrow('its journal is damaged');
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
    const { writer, take } = await openJournaling(path);
    take(new SessionUnits('s').next(2), new SessionUnits('t').next(3));
    const file = join(dirname(path), 'x.backup');
    const { manifest, problems } = await backUp(dirname(path), file, now);
    expect({ sessions: manifest.sessions, records: manifest.records, problems }).toEqual({
      sessions: 2,
      records: 5,
      problems: [],
    });
    expect(writer.waiting).toBe(2);
    writer.close();
    const data = join(dirname(path), 'restored');
    await restore({ file, data, force: false, now });
    const db = await connect(join(data, 'rostra.db'), { readOnly: true });
    expect(replay(db)).toMatchObject({ records: 5, waiting: 0, hash: manifest.replay });
    db.close();
  });
});

async function fileOf(db: Database): Promise<string> {
  return String(db.prepare('PRAGMA database_list').get()?.file);
}
