import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { SESSION, TestHost } from './test-host.ts';

/** Two hosts over one store whose clock is its own. */
function pair(options: { resumable?: boolean } = {}) {
  const time = { now: 0 };
  const store = new MemoryStore({ now: () => time.now });
  const first = new TestHost(store, { holder: 'first', ...options });
  const second = new TestHost(store, { holder: 'second', ...options });
  return { time, store, first, second };
}

const held = { retryable: true, details: { reason: 'SESSION_HELD' } };

describe('a lease', () => {
  test('keeps other hosts away while it is renewed, three times within its life', async () => {
    const { time, first, second } = pair();
    await first.say('hello');
    first.ack();
    for (let passed = 0; passed < 3 * limits.lease; passed += limits.lease / 3) {
      time.now += limits.lease / 3;
      first.clock.advance(limits.lease / 3);
      await expect(second.say('me too')).rejects.toMatchObject(held);
    }
  });

  test('runs out by the clock of the store alone: a host whose clock is five minutes ahead waits like any other', async () => {
    const { time, first, second } = pair();
    await first.say('hello');
    second.clock.advance(5 * 60_000);
    time.now = limits.lease - 1;
    await expect(second.say('me too')).rejects.toMatchObject(held);
    time.now = limits.lease;
    await second.say('me too');
    expect(second.runtime.driver(SESSION)?.epoch).toBe(2);
  });

  test('is given back when the host closes', async () => {
    const { first, second } = pair();
    await first.say('hello');
    first.runtime.close();
    await second.say('me too');
    expect(second.runtime.driver(SESSION)?.epoch).toBe(2);
  });

  test('that lapsed costs nothing when nobody took over: what runs goes on', async () => {
    const { time, first } = pair();
    const { turn_id } = await first.say('hello');
    first.ack();
    time.now = 2 * limits.lease;
    first.clock.advance(limits.lease / 3);
    expect(first.reports.map(({ event }) => event)).toContain('lease.lapsed');
    first.output('final', {}, 0);
    expect(await first.store.findTurn(turn_id)).toMatchObject({ status: 'completed' });
  });
});

describe('an owner that was fenced', () => {
  test('publishes nothing more, and its run is told to stop at once', async () => {
    const { time, store, first, second } = pair();
    const { turn_id } = await first.say('hello');
    first.ack();
    time.now = limits.lease;
    second.runtime.recover(SESSION);
    second.clock.settle();
    const before = { log: first.log.length, sent: first.toAgents.length };
    first.chunks(0, 3);
    expect(first.log).toHaveLength(before.log);
    expect(first.toAgents.slice(before.sent)).toMatchObject([
      { subtype: 'REQUEST_TERMINATE_RUN', payload: { run_id: `${turn_id}.1` } },
    ]);
    expect(first.runtime.driver(SESSION)).toBeUndefined();
    expect(await store.findTurn(turn_id)).toMatchObject({ status: 'failed', code: 'host.restarted' });
  });

  test('leaves the session to the new owner for as long as that renews', async () => {
    const { time, first, second } = pair();
    await first.say('hello');
    first.ack();
    time.now = limits.lease;
    second.runtime.recover(SESSION);
    second.clock.settle();
    first.chunks(0, 1);
    for (let round = 0; round < 6; round += 1) {
      time.now += limits.lease / 3;
      second.clock.advance(limits.lease / 3);
      first.clock.advance(limits.lease / 3);
    }
    expect(first.runtime.driver(SESSION)).toBeUndefined();
    expect(second.runtime.driver(SESSION)?.epoch).toBe(2);
  });
});
