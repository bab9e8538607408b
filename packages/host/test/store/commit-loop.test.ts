import { limits } from '@rostra/protocol/wire/limits';
import { beforeEach, expect, test } from 'vitest';
import { CommitLoop, type Committer } from '../../src/store/commit-loop.ts';
import type { CommitCallback, SessionStore, Unit } from '../../src/store/port.ts';

function unitOf(session_id: string): Unit {
  const lists = { segments: [], turns: [], runs: [], transcript: [], events: [], interactions: [] };
  const place = { session_id, epoch: 1, expected_seq: 1, last_seq: 2, time: 0, flush: false };
  return {
    ...place,
    ...lists,
    fresh: true,
    context: null,
    created: null,
    message_ids: [],
    outbox_add: [],
    outbox_remove: [],
  };
}

/** What left for the store, and how each group is answered. */
let groups: { ids: string[]; done: CommitCallback }[];
let told: string[];
let due: (() => void)[];
let loop: CommitLoop;

beforeEach(() => {
  groups = [];
  told = [];
  due = [];
  const store: Pick<SessionStore, 'commit'> = {
    commit: (units, done) => groups.push({ ids: units.map(({ session_id }) => session_id), done }),
  };
  // Nothing else of a store is used.
  loop = new CommitLoop(store as SessionStore, (task) => due.push(task));
});

function turn(): void {
  for (const task of due.splice(0)) task();
}

function session(id: string): Committer {
  return {
    takeUnit: () => unitOf(id),
    committed: () => told.push(id),
    fenced: () => told.push(`${id} fenced`),
    failed: () => told.push(`${id} failed`),
  };
}

function sessions(count: number, name: string): Committer[] {
  return Array.from({ length: count }, (_, index) => session(`${name}${index}`));
}

function answer(at: number): void {
  const group = groups[at];
  group?.done(
    null,
    group.ids.map(() => 'committed'),
  );
}

const full = limits.commit_units;

test('what one turn of the event loop brings leaves together', () => {
  for (const each of sessions(3, 'a')) loop.add(each);
  expect(groups).toEqual([]);
  turn();
  expect(groups.map(({ ids }) => ids)).toEqual([['a0', 'a1', 'a2']]);
});

test('a few sessions wait for the group under way', () => {
  loop.add(session('a'));
  turn();
  for (const each of sessions(limits.commit_follows - 1, 'b')) loop.add(each);
  turn();
  expect(groups).toHaveLength(1);
  answer(0);
  turn();
  expect(groups[1]?.ids).toHaveLength(limits.commit_follows - 1);
});

test('a crowd does not wait for the group under way', () => {
  loop.add(session('a'));
  turn();
  for (const each of sessions(limits.commit_follows, 'b')) loop.add(each);
  turn();
  expect(groups.map(({ ids }) => ids.length)).toEqual([1, limits.commit_follows]);
});

test('a full group follows the one under way, and no third one does', () => {
  for (const each of sessions(3 * full, 'a')) loop.add(each);
  turn();
  expect(groups.map(({ ids }) => ids.length)).toEqual([full, full]);
  expect(loop.isIdle).toBe(false);
});

test('a crowd leaves before the last group is told', () => {
  let left = 0;
  const first = { ...session('first'), committed: () => (left = groups.length) };
  for (const each of [first, ...sessions(3 * full - 1, 'a')]) loop.add(each);
  turn();
  answer(0);
  expect(left).toBe(3);
});

test('a session with a unit under way is not asked for another', () => {
  const one = session('one');
  loop.add(one);
  turn();
  loop.add(one);
  for (const each of sessions(full, 'b')) loop.add(each);
  turn();
  expect(groups[1]?.ids).not.toContain('one');
  answer(0);
  answer(1);
  turn();
  expect(groups[2]?.ids).toEqual(['one']);
  answer(2);
  expect(loop.isIdle).toBe(true);
});

test('each session hears what became of its own unit', () => {
  for (const id of ['a', 'b']) loop.add(session(id));
  turn();
  groups[0]?.done(null, ['committed', 'fenced']);
  loop.add(session('c'));
  turn();
  groups[1]?.done(new Error('the disk is full'), []);
  expect(told).toEqual(['a', 'b fenced', 'c failed']);
});
