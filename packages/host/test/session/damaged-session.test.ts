import { expect, test } from 'vitest';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { SESSION, TestHost } from './test-host.ts';

const OTHER = '550e8400-e29b-41d4-a716-446655440001';

function segmentsOf(store: MemoryStore) {
  const session = store.tables.sessions.get(SESSION);
  if (session === undefined) throw new Error('there is no session');
  return session.segments;
}

test('a session whose log was changed in the database is not continued, and the others are (case 80)', async () => {
  const store = new MemoryStore();
  const before = new TestHost(store);
  await before.say('transfer a coin');
  before.ack();
  before.chunks(0, 3);
  const segments = segmentsOf(store);
  const last = segments.pop()!;
  expect(last.body).toContain('c2 ');
  segments.push({ ...last, body: last.body.replace('c2 ', 'c9 ') });
  const stored = structuredClone(segments);
  const after = new TestHost(store);
  for (let times = 0; times < 2; times += 1) {
    await expect(after.say('and again')).rejects.toMatchObject({
      code: 'runtime_error',
      retryable: false,
      details: { reason: 'LOG_CORRUPT' },
    });
  }
  expect(segmentsOf(store)).toEqual(stored);
  expect(after.toAgents).toEqual([]);
  await after.say('hello', { session_id: OTHER });
  expect(after.lastInput()).toMatchObject({ session_id: OTHER, payload: { input: { text: 'hello' } } });
});
