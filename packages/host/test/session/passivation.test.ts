import { limits, timeouts } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { MessageCallback, NamesCallback } from '../../src/store/port.ts';
import { SESSION, TestHost } from './test-host.ts';

const IDLE = 60_000;

async function answered(host: TestHost, session_id = SESSION): Promise<string> {
  const { turn_id } = await host.say('hello', { session_id });
  host.ack();
  host.chunks(0, 2);
  host.output('final', {}, 2);
  return turn_id;
}

const inMemory = (host: TestHost) => [...host.runtime.drivers()].map(({ session_id }) => session_id);

describe('a session that rests', () => {
  test('leaves memory after the idle time, and the next message loads it again', async () => {
    const host = new TestHost(new MemoryStore(), { idle: IDLE });
    await answered(host);
    host.clock.advance(IDLE - limits.lease / 3);
    expect(inMemory(host)).toEqual([SESSION]);
    host.clock.advance(limits.lease);
    expect(inMemory(host)).toEqual([]);
    const turn_id = await answered(host);
    expect(await host.store.findTurn(turn_id)).toMatchObject({ status: 'completed' });
    expect(host.runtime.driver(SESSION)?.epoch).toBe(2);
  });

  test('stays while a turn is live, a transaction pending or a person asked', async () => {
    const host = new TestHost(new MemoryStore(), { idle: 1 });
    await host.say('hello');
    host.ack();
    host.chunks(0, 1);
    host.clock.advance(limits.lease);
    expect(inMemory(host)).toEqual([SESSION]);
  });

  test('is known by its messages afterwards: a repeat gets the same answer', async () => {
    const host = new TestHost(new MemoryStore(), { idle: 1 });
    const first = await host.say('hello', { runId: 'r' });
    host.ack();
    host.output('final', {}, 0);
    host.clock.advance(limits.lease);
    expect(inMemory(host)).toEqual([]);
    expect((await host.say('hello', { runId: 'r' })).turn_id).toBe(first.turn_id);
  });

  test('is the first to go when there are too many', async () => {
    const host = new TestHost(new MemoryStore(), { most: 2 });
    for (const id of ['s1', 's2', 's3', 's4']) {
      await answered(host, id);
      host.clock.advance(10);
    }
    expect(inMemory(host)).toEqual(['s3', 's4']);
  });
});

/** A store with too many messages to name, that takes its time to say whether it has one. */
class SlowStore extends MemoryStore {
  waiting: (() => void)[] = [];

  override readNames(_session_id: string, done: NamesCallback): void {
    done(null, null);
  }

  override findMessage(session_id: string, message_id: string, done: MessageCallback): void {
    this.waiting.push(() => super.findMessage(session_id, message_id, done));
  }
}

describe('a message that arrives while its session leaves memory', () => {
  test('is not lost: the session is loaded again for it', async () => {
    const store = new SlowStore();
    await answered(new TestHost(store));
    const host = new TestHost(store, { idle: 1 });
    host.runtime.recover(SESSION);
    host.clock.settle();
    const submitted = host.say('again');
    await Promise.resolve();
    expect(store.waiting).toHaveLength(1);
    host.clock.advance(limits.lease);
    expect(inMemory(host)).toEqual([]);
    for (const find of store.waiting.splice(0)) find();
    host.clock.settle();
    expect(await submitted).toMatchObject({ turn_id: expect.any(String) });
    expect(host.runtime.driver(SESSION)?.epoch).toBe(3);
  });
});

describe('after many sessions', () => {
  test('nothing is left in the process: no session, no timer, no lease (SR-INV-V4, V5)', async () => {
    const time = { now: 0 };
    const store = new MemoryStore({ now: () => time.now });
    const host = new TestHost(store, { idle: 1, holder: 'one' });
    expect(host.clock.armed).toBe(0);
    for (let count = 0; count < 50; count += 1) await answered(host, `s${count}`);
    expect(inMemory(host)).toHaveLength(50);
    // The one timer of the process sleeps on to where the last deadline was, and is not set again.
    host.clock.advance(timeouts.idle);
    expect(inMemory(host)).toEqual([]);
    expect(host.clock.armed).toBe(0);
    expect(host.runtime.isIdle).toBe(true);
    const other = new TestHost(store, { holder: 'two' });
    for (let count = 0; count < 50; count += 1) await answered(other, `s${count}`);
    expect(inMemory(other)).toHaveLength(50);
  });
});
