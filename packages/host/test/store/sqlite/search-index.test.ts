import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/store/refusal.ts';
import { indexedText, wordsOf } from '../../../src/store/search/words.ts';
import type { Later } from '../../../src/store/sqlite/checkpointer.ts';
import { DatabaseFile, openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { connect } from '../../../src/store/sqlite/driver.ts';
import { IdleIndexer } from '../../../src/store/sqlite/idle-indexer.ts';
import { sessionLog } from '../../../src/store/sqlite/migrations/001-session-log.ts';
import { ports } from '../../../src/store/sqlite/migrations/002-ports.ts';
import { TranscriptTable } from '../../../src/store/sqlite/tables/transcript-table.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';
import { SessionUnits, transcriptRow } from '../session-units.ts';
import { databasePath } from './sqlite-folder.ts';

async function open(now?: () => number) {
  const path = await databasePath();
  const db = await openForWriting(path);
  const writer = new Writer(db, new DatabaseFile(path));
  const table = new TranscriptTable(writer.sql, now);
  const step = () => writer.write(false, () => table.index());
  const indexed = () => Number(db.prepare('SELECT count(*) AS n FROM search').get()?.n);
  return { db, writer, table, step, indexed };
}

const search = (query: string) => ({ query, workspace_id: 'workspace', limit: 10 });

function spoken(units: SessionUnits, count: number, content = 'word') {
  const from = units.last_seq;
  const transcript = Array.from({ length: count }, (_, n) =>
    transcriptRow(units.session_id, from + n + 1, { content }),
  );
  return units.next(count, { transcript });
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('a search of one owner', () => {
  it('finds what they wrote, however much others wrote with the same words since', async () => {
    const { db, writer, table, step } = await open();
    writer.commit([spoken(new SessionUnits('mine'), 1, 'hello')]);
    db.exec(`UPDATE session SET owner_id = 'ann' WHERE id = 'mine'`);
    const others = new SessionUnits('theirs');
    writer.commit([spoken(others, limits.search_word_rows, 'hello')]);
    writer.commit([spoken(others, limits.search_candidates, 'hello zebra')]);
    while (step());
    const found = table.search({ ...search('hello zebra'), owner_id: 'ann' });
    expect(found.rows.map(({ session_id, content }) => [session_id, content])).toEqual([['mine', 'hello']]);
    writer.close();
  });
});

describe('the index of words', () => {
  it('costs a commit nothing: it is written in steps of its own', async () => {
    const { writer, step, indexed } = await open();
    const before = writer.stats().inserts;
    writer.commit([spoken(new SessionUnits('s'), limits.index_rows + 1)]);
    expect(writer.stats().inserts - before).toBe(limits.index_rows + 3);
    expect(indexed()).toBe(0);
    expect(step()).toBe(true);
    expect(indexed()).toBe(limits.index_rows);
    expect(step()).toBe(false);
    expect(step()).toBe(false);
    expect(indexed()).toBe(limits.index_rows + 1);
    writer.close();
  });

  it('has the words of a message, also where it takes the text apart by itself', async () => {
    const { db, writer } = await open();
    db.exec(`CREATE VIRTUAL TABLE search_word USING fts5vocab (search, instance)`);
    const add = db.prepare('INSERT INTO search (rowid, words) VALUES (?, ?)');
    const found = db.prepare('SELECT DISTINCT term FROM search_word WHERE doc = ?');
    const long = 'x'.repeat(limits.search_word_chars);
    const piece = fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.constantFrom(long, `${long}Y`, 'A_b', 'é', '数据'));
    let row = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        // No text of a database has a NUL.
        const text = pieces.join(' ').replaceAll('\0', '-');
        row += 1;
        add.run(row, indexedText(text));
        expect(found.all(row).map(({ term }) => term)).toEqual([...new Set(wordsOf(text))].sort(byBytes));
      }),
    );
    writer.close();
  });

  it('takes few long messages at a time, and of each its beginning', async () => {
    const { writer, table, step, indexed } = await open();
    const long = `${'word '.repeat(limits.search_chars / 5 + 1)} end`;
    writer.commit([spoken(new SessionUnits('s'), 10, long)]);
    expect(step()).toBe(true);
    expect(indexed()).toBeLessThan(10);
    while (step());
    expect(indexed()).toBe(10);
    expect(table.search(search('word')).rows).toHaveLength(10);
    expect(table.search(search('end')).rows).toEqual([]);
    writer.close();
  });

  it('keeps nothing of a purged session, also of what was not indexed yet', async () => {
    const { db, writer, step, indexed } = await open();
    const units = new SessionUnits('s');
    writer.commit([spoken(units, 5), spoken(new SessionUnits('kept'), 1)]);
    step();
    writer.commit([spoken(units, 5)]);
    writer.write(true, () => writer.sessions.remove('s', { at: 1, why: 'test' }));
    while (writer.write(false, () => writer.sessions.purge()));
    while (step());
    expect(indexed()).toBe(1);
    expect(db.prepare('SELECT count(*) AS n FROM transcript').get()).toEqual({ n: 1 });
    writer.close();
  });

  it('survives a copy of the database, whatever numbers its rows get', async () => {
    const { db, writer, step } = await open();
    const units = new SessionUnits('s');
    writer.commit([spoken(units, 3, 'before')]);
    step();
    writer.commit([spoken(units, 3, 'after')]);
    const copy = await databasePath();
    db.prepare('VACUUM INTO ?').run(copy);
    writer.close();
    const copied = await openForWriting(copy);
    const again = new Writer(copied, new DatabaseFile(copy));
    const table = new TranscriptTable(again.sql);
    again.write(false, () => table.index());
    for (const word of ['before', 'after']) expect(table.search(search(word)).rows).toHaveLength(3);
    again.close();
  });

  it('takes in the messages of an older database, with their identities', async () => {
    const path = await databasePath();
    const old = await connect(path, { readOnly: false });
    old.exec(sessionLog);
    old.exec(ports);
    old.exec(`INSERT INTO session (id, workspace_id, owner_id, epoch, last_seq, hash, created_at, updated_at)
      VALUES ('s', 'workspace', 'owner', 1, 2, 'h', 1, 1);
      INSERT INTO turn (turn_id, session, message_id, agent_id, status, created_at, first_seq, retryable)
      VALUES ('t', 1, 'run:t', 'guide', 'completed', 1, 1, 0);
      INSERT INTO transcript (session, seq, item_id, turn_id, role, item_type, created_at, attachments, metadata, content)
      VALUES (1, 1, 'i1', 't', 'user', 'message', 1, '[]', '{}', '数据库的连接串是什么'),
        (1, 2, 'i2', 't', 'assistant', 'message', 2, '[]', '{}', 'nothing');
      PRAGMA user_version = 2`);
    old.close();
    const db = await openForWriting(path);
    const writer = new Writer(db, new DatabaseFile(path));
    const table = new TranscriptTable(writer.sql);
    writer.write(false, () => table.index());
    expect(table.search(search('数据库连接')).rows).toEqual([
      expect.objectContaining({ seq: 1, actor_id: 'owner', event_id: 't', event_type: 'message.received' }),
    ]);
    expect(table.page('s').rows.map(({ event_type }) => event_type)).toEqual(['message.received', 'message.completed']);
    expect(db.prepare('SELECT event_id, seq, event_type FROM event').all()).toEqual([
      { event_id: 't', seq: 1, event_type: 'message.received' },
    ]);
    writer.close();
  });
});

describe('a search', () => {
  it('that takes longer than two seconds ends deadline_exceeded (case 42)', async () => {
    let now = 0;
    const slow = () => {
      now += limits.search / 4;
      return now;
    };
    const { writer, table, step } = await open(slow);
    writer.commit([spoken(new SessionUnits('s'), 3)]);
    step();
    const words = Array.from({ length: 8 }, (_, n) => `word ${n}`).join(' ');
    expect(() => table.search(search(words))).toThrow(StoreError);
    try {
      table.search(search(words));
    } catch (error) {
      expect(error).toMatchObject({ refusal: { code: 'deadline_exceeded', retryable: true } });
    }
    writer.close();
  });

  it('leads by its rarer words to what also has the common ones', async () => {
    const { writer, table, step } = await open();
    const units = new SessionUnits('s');
    writer.commit([spoken(units, limits.search_word_rows + 10, 'common')]);
    writer.commit([spoken(units, 1, 'rare and common'), spoken(units, 5, 'common')]);
    while (step());
    const { rows, total } = table.search(search('common rare'));
    expect(rows[0]).toMatchObject({ content: 'rare and common' });
    expect(rows).toHaveLength(10);
    expect(total).toBe(limits.search_candidates);
    writer.close();
  });
});

describe('the indexer', () => {
  /** Timers that the test fires. */
  function timers() {
    const set: { ms: number; wake: () => void; refreshed: number }[] = [];
    const later: Later = (ms, wake) => {
      const timer = { ms, wake, refreshed: 0 };
      set.push(timer);
      return {
        refresh: () => {
          timer.refreshed += 1;
        },
        cancel: () => set.splice(set.indexOf(timer), 1),
      };
    };
    return { set, later };
  }

  it('begins when nothing is written, and goes on until all is done', () => {
    const { set, later } = timers();
    const steps = [true, true, false];
    let now = 0;
    const indexer = new IdleIndexer(
      () => steps.shift() ?? false,
      later,
      () => now,
    );
    indexer.committed(0);
    expect(set).toEqual([]);
    indexer.committed(1);
    indexer.committed(0);
    expect(set).toMatchObject([{ ms: limits.index_idle, refreshed: 1 }]);
    now += limits.index_idle;
    for (let n = 0; n < 3; n += 1) set.at(-1)?.wake();
    expect(steps).toEqual([]);
    expect(set).toHaveLength(3);
    indexer.committed(1);
    expect(set).toHaveLength(4);
    indexer.stop();
    expect(set).toHaveLength(3);
  });

  it('takes a step between two commits when very many messages wait', () => {
    const { later } = timers();
    let steps = 0;
    const indexer = new IdleIndexer(
      () => {
        steps += 1;
        return true;
      },
      later,
      () => 0,
    );
    indexer.committed(limits.index_backlog - 1);
    expect(steps).toBe(0);
    indexer.committed(1);
    expect(steps).toBe(1);
    indexer.committed(1);
    expect(steps).toBe(1);
  });

  it('does not wait for a pause longer than a message may, and goes on a step at a time while there is none', () => {
    const { set, later } = timers();
    let now = 0;
    const indexer = new IdleIndexer(
      () => true,
      later,
      () => now,
    );
    for (; now < 2 * limits.index_late; now += limits.index_idle / 2) indexer.committed(1);
    // Nobody has put it off any more by then: it comes when it was due.
    expect(set).toMatchObject([{ ms: limits.index_idle, refreshed: (2 * limits.index_late) / limits.index_idle - 1 }]);
    set[0]?.wake();
    expect(set.at(-1)).toMatchObject({ ms: limits.index_idle });
    now += limits.index_idle;
    set.at(-1)?.wake();
    expect(set.at(-1)).toMatchObject({ ms: 0 });
  });

  it('leaves it to the next commit when the disk is full', () => {
    const { set, later } = timers();
    const full = new StoreError({ reason: 'DISK_FULL', message: 'full', retryable: true });
    const indexer = new IdleIndexer(
      () => {
        throw full;
      },
      later,
      () => 0,
    );
    indexer.committed(1);
    set[0]?.wake();
    expect(set).toHaveLength(1);
    indexer.committed(0);
    expect(set).toHaveLength(2);
  });
});
