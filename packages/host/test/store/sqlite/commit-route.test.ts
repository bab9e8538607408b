import { existsSync } from 'node:fs';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, it } from 'vitest';
import { CommitRoute } from '../../../src/store/sqlite/commit-route.ts';
import { openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { type JournalNews, journalPath } from '../../../src/store/sqlite/journal-file.ts';
import { Unsettled } from '../../../src/store/sqlite/unsettled.ts';
import type { WorkerRequest } from '../../../src/store/sqlite/worker-message.ts';
import { SessionUnits } from '../session-units.ts';
import { databasePath } from './sqlite-folder.ts';

/** A route whose writer only notes what it is asked and told; a claim finds nothing. */
async function routeUnderTest() {
  const path = await databasePath();
  (await openForWriting(path)).close();
  const asked: WorkerRequest['method'][] = [];
  const told: JournalNews[] = [];
  const writer = {
    call: (request: WorkerRequest, done: (error: Error | null, value: null) => void) => {
      asked.push(request.method);
      done(null, null);
    },
    ask: async (request: WorkerRequest): Promise<never> => {
      asked.push(request.method);
      throw new Error('nobody answers');
    },
    hasEnded: false,
    tell: (news: JournalNews) => void told.push(news),
  };
  const unsettled = new Unsettled(writer);
  const route = new CommitRoute({ writer, unsettled, durability: 'class', crowd: 1 });
  route.open(path, 7);
  const claim = (session_id: string) =>
    new Promise<void>((resolve) => route.claim(session_id, 'host', () => resolve()));
  return { route, unsettled, claim, asked, told, path, writer };
}

it('a journal whose rows are not written fast enough takes no more, and commits wait for the tables', async () => {
  const { route, unsettled, claim, asked, told, path } = await routeUnderTest();
  await claim('s');
  await claim('t');
  unsettled.add(limits.journal_units - 1);
  const [s, t] = [new SessionUnits('s').next(), new SessionUnits('t').next()];
  await new Promise<void>((resolve) => route.commit([s], () => resolve()));
  expect(told).toMatchObject([{ sessions: ['s'] }]);
  await new Promise<void>((resolve) => route.commit([t], () => resolve()));
  expect(asked).toEqual(['claim', 'claim', 'commit']);
  expect(unsettled.waiting).toBe(limits.journal_units);
  await route.close();
  expect(existsSync(journalPath(path))).toBe(true);
});

it('commits that come while others are written are told once each, in the order of the file', async () => {
  const { route, claim, told } = await routeUnderTest();
  const sessions = Array.from({ length: 5 }, (_, n) => `s${n}`);
  for (const session_id of sessions) await claim(session_id);
  const answers = sessions.map(
    (session_id) =>
      new Promise((resolve) => route.commit([new SessionUnits(session_id).next()], (_, results) => resolve(results))),
  );
  expect(await Promise.all(answers)).toEqual(Array(5).fill(['committed']));
  expect(told.flatMap((news) => news.sessions)).toEqual(sessions);
  const ends = told.map(({ end }) => end);
  expect(ends).toEqual([...new Set(ends)].sort((a, b) => a - b));
  await route.close();
});

it('a claim that is answered after another was asked tells nothing', async () => {
  const { route, claim, told, asked } = await routeUnderTest();
  await claim('s');
  const unit = new SessionUnits('s').next();
  // Deleting, or a sweep: whatever it does is done before the next commit is looked at.
  await expect(route.ask({ method: 'renew', holder: 'host' })).rejects.toThrow('nobody answers');
  await new Promise<void>((resolve) => route.commit([unit], () => resolve()));
  expect(told).toEqual([]);
  expect(asked).toEqual(['claim', 'renew', 'commit']);
  await route.close();
});

it('a claim waits for what is on its way when it comes, and for nothing that comes later', async () => {
  const { route, claim, asked } = await routeUnderTest();
  const sessions = Array.from({ length: 20 }, (_, n) => `s${n}`);
  for (const session_id of sessions) await claim(session_id);
  let landed = 0;
  // As under load: each commit that is told is followed by another, so that one is always on its way.
  const next = (): void => {
    const session_id = sessions.pop();
    if (session_id === undefined) return;
    route.commit([new SessionUnits(session_id).next()], () => {
      landed += 1;
      next();
    });
  };
  next();
  next();
  next();
  const before = asked.length;
  await new Promise<void>((resolve) => route.claim('other', 'host', () => resolve()));
  expect(landed).toBeLessThan(10);
  expect(asked.slice(before)).toEqual(['claim']);
  await route.close();
});

it('without its writer nothing goes into the journal', async () => {
  const { route, claim, told, asked, writer } = await routeUnderTest();
  await claim('s');
  writer.hasEnded = true;
  await new Promise<void>((resolve) => route.commit([new SessionUnits('s').next()], () => resolve()));
  expect({ told, asked }).toEqual({ told: [], asked: ['claim', 'commit'] });
  await route.close();
});
