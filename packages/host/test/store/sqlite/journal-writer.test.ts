import fs, { fdatasync, readFileSync, writev } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { type JournalNews, journalEntries, journalPath } from '../../../src/store/sqlite/journal-file.ts';
import { JournalWriter, type JournalWriterOptions } from '../../../src/store/sqlite/journal-writer.ts';
import { databasePath } from './sqlite-folder.ts';

/** Whether the disk keeps what it is asked, until the test answers it. */
let isHeld = false;
let calls: { descriptor: number; back: (error: Error | null) => void }[] = [];

function sync(descriptor: number, done: (error: Error | null) => void): void {
  if (!isHeld) fdatasync(descriptor, done);
  else calls.push({ descriptor, back: (error) => (error === null ? fdatasync(descriptor, done) : done(error)) });
}

afterEach(() => {
  isHeld = false;
  calls = [];
});

const salt = 7;

async function openWriter(change: Partial<JournalWriterOptions> = {}) {
  const path = await databasePath();
  (await openForWriting(path)).close();
  /** What became of each commit, in the order in which it was told. */
  const told: string[] = [];
  const news: JournalNews[] = [];
  const journal = new JournalWriter({
    path,
    salt,
    landed: (each) => {
      told.push('news');
      news.push(each);
    },
    refill: async () => salt + 1,
    sync: sync as typeof fdatasync,
    ...change,
  });
  const add = (name: string, done: () => void = () => undefined, change: object = {}) =>
    journal.append({
      packed: Buffer.from(name),
      sessions: [name],
      flush: true,
      ...change,
      done: (error) => {
        told.push(error === null ? name : `${name} refused`);
        done();
      },
    });
  const entries = () =>
    [...journalEntries(readFileSync(journalPath(path)), salt)].map((each) => Buffer.from(each).toString());
  return { journal, told, news, add, entries };
}

/** Until that many are with the disk. */
async function held(count: number): Promise<void> {
  await vi.waitUntil(() => calls.length >= count);
}

/** Two writes, each with the disk before the next one leaves: the first call is that of the first. */
async function twoHeld(add: (name: string) => void): Promise<void> {
  isHeld = true;
  for (const [at, name] of ['a', 'b'].entries()) {
    add(name);
    await held(at + 1);
  }
}

const broken = Object.assign(new Error('a page could not be written'), { code: 'EIO', syscall: 'fdatasync' });

test('a write leaves while another is on its way, each on a descriptor of its own; a third waits', async () => {
  isHeld = true;
  const { add, journal } = await openWriter();
  for (const name of ['a', 'b', 'c', 'd']) add(name);
  await held(limits.journal_flights);
  expect(new Set(calls.map(({ descriptor }) => descriptor)).size).toBe(limits.journal_flights);
  isHeld = false;
  for (const { back } of calls) back(null);
  await journal.close();
});

test('what must be on disk is brought there when all before it is written that need not be', async () => {
  const writes: (() => void)[] = [];
  const write = (...of: Parameters<typeof writev>) => void writes.push(() => writev(...of));
  const { add, journal, told } = await openWriter({ write: write as typeof writev });
  add('text', undefined, { flush: false });
  add('turn');
  add('more text', undefined, { flush: false });
  expect(writes).toHaveLength(1);
  writes[0]?.();
  await vi.waitUntil(() => writes.length === 2);
  expect(told).toEqual(['news', 'text']);
  writes[1]?.();
  await journal.close();
  expect(told).toEqual(['news', 'text', 'news', 'turn', 'more text']);
});

test('what comes when no more may leave forms one write', async () => {
  const { add, told, entries } = await openWriter();
  await twoHeld(add);
  for (const name of ['c', 'd']) add(name);
  calls[0]?.back(null);
  await held(3);
  expect(told).toEqual(['news', 'a']);
  calls[1]?.back(null);
  await vi.waitUntil(() => told.includes('b'));
  calls[2]?.back(null);
  await vi.waitUntil(() => told.includes('d'));
  expect(told).toEqual(['news', 'a', 'news', 'b', 'news', 'c', 'd']);
  expect(entries()).toEqual(['a', 'b', 'c', 'd']);
});

test('one that is back before another is told after it', async () => {
  const { add, told, news, journal } = await openWriter();
  await twoHeld(add);
  calls[1]?.back(null);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(told).toEqual([]);
  expect(journal.isBusy).toBe(true);
  calls[0]?.back(null);
  await vi.waitUntil(() => told.length > 0);
  expect(told).toEqual(['news', 'a', 'b']);
  expect(news.map(({ sessions }) => sessions)).toEqual([['a', 'b']]);
});

test('one that fails takes with it what stands behind it in the file, and nothing is added until it is mended', async () => {
  const { add, told, news, journal } = await openWriter();
  await twoHeld(add);
  add('c');
  calls[0]?.back(broken);
  expect(told).toEqual(['a refused', 'b refused', 'c refused']);
  expect(journal.isOpen).toBe(false);
  // The other one is still with the disk: the file is not used again before it is back.
  journal.mend();
  expect([journal.isBusy, journal.isOpen]).toEqual([true, false]);
  calls[1]?.back(null);
  await vi.waitUntil(() => !journal.isBusy);
  expect([told.length, news]).toEqual([3, []]);
  isHeld = false;
  journal.mend();
  await vi.waitUntil(() => journal.isOpen);
  add('d');
  await journal.close();
  expect(told.slice(3)).toEqual(['news', 'd']);
});

test('one that fails leaves alone what stands before it', async () => {
  const { add, told, news } = await openWriter();
  await twoHeld(add);
  calls[1]?.back(broken);
  expect(told).toEqual(['b refused']);
  calls[0]?.back(null);
  await vi.waitUntil(() => news.length > 0);
  expect(told).toEqual(['b refused', 'news', 'a']);
  expect(news.map(({ sessions }) => sessions)).toEqual([['a']]);
});

test('whoever waits for what is on its way waits for all of it, and not for what comes later', async () => {
  const { add, told, journal } = await openWriter();
  await twoHeld(add);
  add('c');
  journal.whenLanded(() => told.push('landed'));
  for (const at of [0, 1]) calls[at]?.back(null);
  await held(3);
  add('d');
  calls[2]?.back(null);
  await vi.waitUntil(() => told.includes('landed'));
  expect(told.filter((each) => each !== 'news')).toEqual(['a', 'b', 'c', 'landed']);
});

test('whatever comes back in whatever order, what is told has nothing before it in the file that is not', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant('add' as const) },
    { weight: 4, arbitrary: fc.record({ back: fc.nat(1), fails: fc.integer({ min: 0, max: 9 }) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), async (steps) => {
      isHeld = true;
      calls = [];
      const { add, told, news, journal, entries } = await openWriter();
      const added: string[] = [];
      let over = 0;
      for (const each of steps) {
        if (each === 'add') {
          if (!journal.isOpen) continue;
          added.push(`${added.length}`);
          add(added.at(-1) ?? '', () => (over += 1));
        } else {
          calls.splice(each.back, 1)[0]?.back(each.fails === 0 ? broken : null);
        }
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      isHeld = false;
      for (const { back } of calls.splice(0)) back(null);
      await journal.close();
      expect(over).toBe(added.length);
      const committed = told.filter((each) => each !== 'news' && !each.endsWith(' refused'));
      expect(committed).toEqual(added.slice(0, committed.length));
      expect(news.flatMap(({ sessions }) => sessions)).toEqual(committed);
      if (committed.length > 0) expect(entries().slice(0, committed.length)).toEqual(committed);
    }),
    { numRuns: 60 },
  );
});

test('a file that can be opened once and not again leaves no descriptor behind', async () => {
  const { add, told, journal } = await openWriter();
  const { openSync, closeSync } = fs;
  onTestFinished(() => {
    Object.assign(fs, { openSync, closeSync });
    syncBuiltinESMExports();
  });
  const opened: number[] = [];
  const closed: number[] = [];
  Object.assign(fs, {
    openSync: (...of: Parameters<typeof openSync>) => {
      if (opened.length > 0) throw Object.assign(new Error('too many open files'), { code: 'EMFILE', syscall: 'open' });
      opened.push(openSync(...of));
      return opened[0];
    },
    closeSync: (descriptor: number) => {
      closed.push(descriptor);
      closeSync(descriptor);
    },
  });
  syncBuiltinESMExports();
  add('a');
  await vi.waitUntil(() => told.length > 0);
  expect(told).toEqual(['a refused']);
  expect(closed).toEqual(opened);
  await journal.close();
});
