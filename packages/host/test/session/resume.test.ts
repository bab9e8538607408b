import { transcriptOf } from '@rostra/kernel/projection/transcript';
import { describe, expect, test } from 'vitest';
import { decodeSegment } from '../../src/session/record-line.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { SESSION, TestHost } from './test-host.ts';

const resumable = { resumable: true };

async function cutOff(store: MemoryStore, chunks: number): Promise<string> {
  const first = new TestHost(store, resumable);
  const { turn_id } = await first.say('hello');
  first.ack();
  first.chunks(0, chunks);
  return turn_id;
}

function restarted(store: MemoryStore): TestHost {
  const host = new TestHost(store, resumable);
  host.runtime.recover(SESSION);
  host.clock.settle();
  return host;
}

async function logOf(store: MemoryStore) {
  const segments = await store.readSegments(SESSION, 0, Number.MAX_SAFE_INTEGER);
  return segments.flatMap((segment) => decodeSegment(SESSION, segment));
}

describe('a restart with a runner that can resume', () => {
  test('sends the same input as the next run, with all that was said and where it goes on', async () => {
    const store = new MemoryStore();
    const turn_id = await cutOff(store, 5);
    const host = restarted(store);
    expect(host.lastInput()).toMatchObject({
      turn_id,
      run_id: `${turn_id}.2`,
      payload: {
        input: { text: 'hello' },
        resume: { attempt: 2, said: 'c0 c1 c2 c3 c4 ', message_id: 'm1', channel: 'text', next_chunk: 5 },
      },
    });
  });

  test('knows what was said however long ago: also what no saved context reaches', async () => {
    const store = new MemoryStore();
    const first = new TestHost(store, resumable);
    await first.say('hello');
    first.ack();
    // One unit each, and more records than are ever folded.
    for (let n = 0; n < 1_500; n += 1) first.chunks(n, n + 1);
    const host = restarted(store);
    const said = Array.from({ length: 1_500 }, (_, n) => `c${n} `).join('');
    expect(host.lastInput()).toMatchObject({ payload: { resume: { said, next_chunk: 1_500 } } });
  });

  test('ends in one message and one completed turn; the ledger has both runs', async () => {
    const store = new MemoryStore();
    const turn_id = await cutOff(store, 2);
    const host = restarted(store);
    host.ack();
    const payload = { message_id: 'm1', n: 2, text: 'c2 ' };
    host.output('chunk', payload, 0);
    host.output('final', { usage: { tokens: 3 } }, 1);
    expect(await store.findTurn(turn_id)).toMatchObject({ status: 'completed' });
    expect(await store.runs.ofTurn(turn_id)).toMatchObject([
      { run_id: `${turn_id}.1`, attempt: 1, status: 'failed', code: 'host.restarted' },
      { run_id: `${turn_id}.2`, attempt: 2, status: 'completed', usage: { tokens: 3 } },
    ]);
    const { rows } = await store.transcript.page(SESSION);
    expect(rows.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'hello'],
      ['assistant', 'c0 c1 c2 '],
    ]);
  });

  test('gives the transcript that its log gives when it is read again', async () => {
    const store = new MemoryStore();
    await cutOff(store, 2);
    const host = restarted(store);
    host.chunks(0, 0);
    await host.say('next');
    const { rows } = await store.transcript.page(SESSION);
    expect(rows).toEqual(transcriptOf(await logOf(store)));
    expect(rows.map(({ seq }) => seq)).toEqual([...rows.map(({ seq }) => seq)].sort((a, b) => a - b));
  });
});

describe('a unit of chunks', () => {
  test('has no rows of any other kind', async () => {
    const store = new MemoryStore();
    await cutOff(store, 1);
    const host = restarted(store);
    host.ack();
    host.output('chunk', { message_id: 'm1', n: 1, text: 'x' }, 0);
    const before = await store.stats();
    host.output('chunk', { message_id: 'm1', n: 2, text: 'y' }, 1);
    const after = await store.stats();
    expect(after.inserts - before.inserts).toBe(1);
    expect(after.updates - before.updates).toBe(1);
  });
});

describe('what a loaded session knows without having read it', () => {
  test('is not where its transcript ends: what it read again of its log may miss the newest message', async () => {
    const store = new MemoryStore();
    const first = new TestHost(store, resumable);
    await first.say('one');
    first.ack();
    first.chunks(0, 2);
    await first.say('two');
    await first.say('three');
    first.output('final', {}, 2);
    const { rows } = await store.transcript.page(SESSION);
    expect(rows.map(({ content }) => content)).toEqual(['one', 'two', 'three', 'c0 c1 ']);
    expect(first.lastInput().transcript_end).toEqual({ seq: rows.at(-1)?.seq, has_before: true });
    const host = restarted(store);
    expect(host.lastInput()).toMatchObject({ payload: { input: { text: 'two' }, resume: { attempt: 2 } } });
    expect(host.lastInput().transcript_end).toBeUndefined();
    const log = await logOf(store);
    expect(log.filter((record) => 'transcript_end' in record)).toEqual([]);
  });

  test('is not how long a later run waited for people; time without a host is no time of a run', async () => {
    const store = new MemoryStore();
    const turn_id = await cutOff(store, 2);
    const second = new TestHost(store, resumable);
    second.clock.advance(60_000);
    second.runtime.recover(SESSION);
    second.clock.settle();
    second.ack();
    const third = restarted(store);
    third.ack();
    third.output('final', {}, 0);
    const runs = await store.runs.ofTurn(turn_id);
    expect(runs).toMatchObject([
      { attempt: 1, status: 'failed', waited: 0 },
      { attempt: 2, status: 'failed', waited: null },
      { attempt: 3, status: 'completed', waited: 0 },
    ]);
    // Nobody ran it while no host was there.
    expect(runs[0]?.ended_at).toBe(runs[0]?.created_at);
    // It began when it was sent, not when the run before it had first spoken.
    expect(runs[1]?.started_at).toBe(runs[1]?.created_at);
  });
});
