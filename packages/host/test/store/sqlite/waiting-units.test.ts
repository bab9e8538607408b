import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TurnRow, Unit } from '../../../src/store/port.ts';
import { genesis, sha256Hash, verifyChain } from '../../../src/store/segment-hash.ts';
import { DatabaseFile, openForWriting } from '../../../src/store/sqlite/database-file.ts';
import type { Database, SqlRow } from '../../../src/store/sqlite/driver.ts';
import { packUnits } from '../../../src/store/sqlite/packed-units.ts';
import { SegmentTable } from '../../../src/store/sqlite/segment-table.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';
import { runRow, SessionUnits, segmentOf, transcriptRow } from '../session-units.ts';
import { databasePath } from './sqlite-folder.ts';

const now = 1_000_000;

/** The log of each session, however it was cut into segments. */
function logsOf(segments: readonly SqlRow[]): Record<string, string> {
  const logs: Record<string, string> = {};
  for (const { session, body } of segments) {
    const key = String(session);
    logs[key] = `${logs[key] ?? ''}${String(body).replaceAll('\n\n', '\n')}`;
  }
  return logs;
}

/** Every row of every table, in its order, but where the journal stands and how the log is cut. */
function contentOf(db: Database): Record<string, object[]> {
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search%'`).all();
  const rowsOf = (name: string) => db.prepare(`SELECT * FROM ${name}`).all();
  const content = Object.fromEntries(tables.map(({ name }) => [name, rowsOf(String(name))] as const));
  const meta = (content.meta ?? []).filter((row: SqlRow) => row.key !== 'journal');
  const session = (content.session ?? []).map(({ hash: _, ...row }: SqlRow) => row);
  return { ...content, meta, session, segment: [logsOf(content.segment ?? [])] };
}

/** Throws when the segments of a session are not those that its row names. */
function proveChain(db: Database, session_id: string, key: number): void {
  const segments = [...new SegmentTable(db).after(key, 0)];
  const head = verifyChain(session_id, genesis, segments, sha256Hash);
  expect(db.prepare('SELECT last_seq AS seq, hash FROM session WHERE key = ?').get(key)).toEqual(head);
}

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

const wait = (writer: Writer, ...units: Unit[]) =>
  writer.wait({ journaled: [packUnits(units)], sessions: units.map(({ session_id }) => session_id), end: 0 });

describe('units that wait', () => {
  it('leave the tables as writing unit by unit does, however often they are settled', async () => {
    const property = fc.asyncProperty(steps, fc.integer({ min: 1, max: 12 }), async (taken, every) => {
      const [here, there] = [await databasePath(), await databasePath()];
      const [plain, db] = [await openForWriting(here), await openForWriting(there)];
      const direct = new Writer(plain, new DatabaseFile(here), 'class', () => now);
      const writer = new Writer(db, new DatabaseFile(there), 'class', () => now);
      for (const [n, unit] of unitsOf(taken).entries()) {
        expect(direct.commit([unit])).toEqual(['committed']);
        wait(writer, unit);
        expect(writer.waiting).toBeGreaterThan(0);
        if (n % every === 0) writer.settle();
      }
      writer.settle();
      expect(contentOf(db)).toEqual(contentOf(plain));
      for (const { id, key } of db.prepare('SELECT id, key FROM session').all())
        proveChain(db, String(id), Number(key));
      direct.close();
      writer.close();
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('of one session are one row of the log, up to a length, and a claim in the middle of one finds what follows', async () => {
    const path = await databasePath();
    const db = await openForWriting(path);
    const writer = new Writer(db, new DatabaseFile(path));
    const units = new SessionUnits('s');
    const long = 'x'.repeat(limits.segment_joined / 2 - 100);
    wait(writer, units.next(2), units.next(1, { context: '{"n":3}' }), units.next(1));
    for (const n of [5, 6, 7]) {
      wait(writer, { ...units.next(1), segments: [segmentOf(n, n, 1, long)] });
    }
    writer.settle();
    const rows = db.prepare('SELECT first_seq, last_seq, length(body) AS chars FROM segment ORDER BY first_seq').all();
    expect(rows.map(({ first_seq, last_seq }) => [first_seq, last_seq])).toEqual([
      [1, 5],
      [6, 7],
    ]);
    for (const { chars } of rows) expect(chars).toBeLessThanOrEqual(limits.segment_joined);
    const claimed = writer.claim('s', 'host');
    expect(claimed).toMatchObject({ context_seq: 3, last_seq: 7, tail: [{ first_seq: 1 }, { first_seq: 6 }] });
    writer.close();
  });

  it('and hold what cannot be there, against the word of whoever made them, hold up no log', async () => {
    const path = await databasePath();
    const writer = new Writer(await openForWriting(path), new DatabaseFile(path));
    const units = new SessionUnits('s');
    writer.commit([
      units.next(1, { turns: [units.turn('t')], runs: [runRow('s', 't.1', { status: 'completed', ended_at: 1 })] }),
    ]);
    wait(writer, units.next(1, { turns: [units.turn('t2', { message_id: 'run:t', first_seq: 2 })] }));
    wait(writer, units.next(1, { runs: [runRow('s', 't.1', { status: 'failed', ended_at: 2 })] }));
    writer.settle();
    expect(writer.claim('s', 'host')).toMatchObject({ last_seq: 3, turns: [units.turn('t')] });
    writer.close();
  });

  it('stay when the disk is full, and are written when it is not', async () => {
    for (let pages = 0; pages < 8; pages += 1) {
      const path = await databasePath();
      const db = await openForWriting(path);
      const writer = new Writer(db, new DatabaseFile(path));
      const units = new SessionUnits('s');
      writer.commit([units.next(1)]);
      const used = Number(db.prepare('PRAGMA page_count').get()?.page_count);
      db.exec(`PRAGMA max_page_count = ${used + pages}`);
      for (let n = 0; n < 24; n += 1) {
        const unit = units.next(1);
        wait(writer, { ...unit, segments: [segmentOf(unit.last_seq, unit.last_seq, 1, 'x'.repeat(3_000))] });
      }
      const full = { refusal: expect.objectContaining({ reason: 'DISK_FULL' }) };
      expect(() => writer.settle()).toThrow(expect.objectContaining(full));
      expect(() => writer.claim('s', 'host')).toThrow(expect.objectContaining(full));
      expect(writer.waiting).toBe(24);
      db.exec('PRAGMA max_page_count = 1000000');
      expect(writer.claim('s', 'host')?.last_seq).toBe(25);
      expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      writer.close();
    }
  });
});
