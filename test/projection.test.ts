/** What is projected from logs, compared with the logs themselves. */

import { SessionPast } from '@rostra/host/projection/session-past';
import { rebuiltTranscript, transcriptDrift } from '@rostra/host/projection/transcript-rebuild';
import { OpenUnit } from '@rostra/host/session/open-unit';
import { decodeSegment, recordOf, wasStepped } from '@rostra/host/session/record-line';
import { MemoryStore } from '@rostra/host/store/memory/memory-store';
import { ToldStateFold } from '@rostra/kernel/projection/told-state';
import { TranscriptFold } from '@rostra/kernel/projection/transcript';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { emptyContext, type SessionContext } from '@rostra/kernel/session/context';
import { step } from '@rostra/kernel/session/step';
import { UserInputPayload } from '@rostra/protocol/session/input';
import type { SessionMessage } from '@rostra/protocol/session/message';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { play, type Schedule, schedules } from '../packages/kernel/test/session/schedule.ts';
import { owner, SessionBench } from '../packages/kernel/test/session/session-bench.ts';

const SESSION = 'thread-1';
const PAGE_BYTES = 400;

/** Writes what a session was told as its driver does, in units of a few steps, some of which save the context. */
function written(inputs: readonly SessionMessage[], { cut, save }: { cut: number; save: number }): MemoryStore {
  const store = new MemoryStore();
  const fold = new TranscriptFold();
  let context = emptyContext(SESSION);
  let unit: OpenUnit | null = null;
  let seq = 0;
  let epoch = 1;
  const commit = (saved: SessionContext | null) => {
    if (unit === null) return;
    store.commit([unit.close(saved)], (error, results) => expect([error, results]).toEqual([null, ['committed']]));
    unit = null;
  };
  for (const [index, message] of inputs.entries()) {
    const { ts } = message;
    const stamped = recordOf(message, { seq: seq + 1, ts, epoch: message.epoch, mark: 'in' });
    const stepped = step(context, stamped);
    if (stepped.context === context && stepped.publish.length === 0) continue;
    if (stepped.context.epoch > epoch) {
      commit(null);
      store.claim(SESSION, 'next', () => undefined);
      epoch = stepped.context.epoch;
    }
    const created = seq === 0 ? { workspace_id: 'w', owner_id: 'owner', holder: 'next' } : null;
    unit ??= new OpenUnit({ session_id: SESSION, epoch, expected_seq: seq, created });
    const before = unit.records.length;
    unit.addStep(stamped, stepped.publish, stepped.context, new Map());
    const [input, ...outs] = unit.records.slice(before);
    if (input !== undefined) unit.addTold(fold, input, outs);
    seq += unit.records.length - before;
    context = stepped.context;
    if (index % cut === 0) commit(index % save === 0 ? context : null);
  }
  commit(null);
  return store;
}

const lives = fc.record({
  schedule: schedules(),
  cut: fc.integer({ min: 1, max: 9 }),
  save: fc.integer({ min: 1, max: 30 }),
});
type Life = { schedule: Schedule; cut: number; save: number };

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function recordsIn(store: MemoryStore) {
  const segments = await store.readSegments(SESSION, 0, Number.MAX_SAFE_INTEGER);
  return segments.flatMap((segment) => decodeSegment(SESSION, segment));
}

describe('a random session', () => {
  test('has the transcript that its log gives when it is read again, page by page', async () => {
    const check = async ({ schedule, ...how }: Life) => {
      const store = written(play(schedule, SESSION).inputs, how);
      expect(await transcriptDrift({ log: store, transcript: store.transcript }, SESSION)).toBeNull();
      const [paged, whole] = [rebuiltTranscript(store, SESSION, PAGE_BYTES), rebuiltTranscript(store, SESSION)];
      expect(await collected(paged)).toEqual(await collected(whole));
    };
    await fc.assert(fc.asyncProperty(lives, check), { seed: 11, numRuns: 60 });
  });

  test('that a host of before wrote is held against what that host made of its log', async () => {
    const bench = SessionBench.open();
    const payload = UserInputPayload.parse({ input: { text: 'hi' }, client_message_id: 'm-1' });
    bench.send('USER_INPUT', 'INPUT', payload, { turn_id: 't', sender: owner });
    bench.output('tool.call.completed', { tool_call_id: 'c1', tool_name: 'find', result: 1 });
    bench.chunk('one', { message_id: 't.1.m1' });
    bench.final();
    const log = written(bench.inputs, { cut: 1, save: 1 });
    const [user, tool, answer] = await collected(rebuiltTranscript(log, SESSION));
    if (user === undefined || tool === undefined || answer === undefined) throw new Error('three rows');
    expect([user.client_id, tool.item_type]).toEqual(['m-1', 'tool_result']);
    const drift = (rows: TranscriptRow[], early: number) =>
      transcriptDrift({ log, transcript: { page: async () => ({ rows, has_more: false }) } }, SESSION, early);
    const before = [{ ...user, client_id: null }, answer];
    expect(await drift(before, answer.seq)).toBeNull();
    expect(await drift(before, 0)).toContain(`at record ${user.seq}`);
    expect(await drift([user, answer], user.seq)).toContain(`at record ${user.seq}`);
    expect(await drift([{ ...user, client_id: null, content: 'ho' }, answer], answer.seq)).toContain('does not say');
  });

  test('is as of every record what a replay up to it gives, from a saved point or from the start', async () => {
    let fromSaved = 0;
    const check = async ({ schedule, ...how }: Life) => {
      const store = written(play(schedule, SESSION).inputs, how);
      const past = new SessionPast({ log: store, saved: store.sessions, page_bytes: PAGE_BYTES });
      const saved = (await store.sessions.saved(SESSION))?.context_seq ?? 0;
      let context = emptyContext(SESSION);
      for (const record of await recordsIn(store)) {
        if (wasStepped(record)) context = step(context, record).context;
        const then = await past.contextAsOf(SESSION, record.seq);
        if (saved > 0 && record.seq >= saved) fromSaved += 1;
        expect(JSON.parse(JSON.stringify(then))).toEqual(JSON.parse(JSON.stringify(context)));
      }
    };
    await fc.assert(fc.asyncProperty(lives, check), { seed: 12, numRuns: 25 });
    expect(fromSaved).toBeGreaterThan(100);
  });
});

describe('what agents kept', () => {
  const told = (key: string, value: string | null, agent = 'ada') =>
    ({
      event: 'AGENT_OUTPUT',
      subtype: 'state.updated',
      mark: 'both',
      sender: { kind: 'agent', id: agent },
      payload: { scope: 'conversation', key, value },
    }) as Parameters<ToldStateFold['take']>[0];

  test('is by agent, scope and key what was told last; null is a key that is not there', () => {
    const fold = new ToldStateFold();
    for (const record of [told('a', '1'), told('b', '2'), told('a', '3'), told('b', null), told('a', '9', 'bob')])
      fold.take(record);
    const plain = Object.fromEntries(
      [...fold.state].map(([agent, scopes]) => [
        agent,
        Object.fromEntries([...scopes].map(([scope, keys]) => [scope, Object.fromEntries(keys)])),
      ]),
    );
    expect(plain).toEqual({ ada: { conversation: { a: '3' } }, bob: { conversation: { a: '9' } } });
  });
});
