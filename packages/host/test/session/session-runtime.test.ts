import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { ClaimCallback, CommitCallback, Unit } from '../../src/store/port.ts';
import { SESSION, TestHost } from './test-host.ts';

describe('a turn through the driver', () => {
  test('an input on an unknown thread opens the session and is dispatched', async () => {
    const host = new TestHost();
    const { turn_id } = await host.say('hello');
    expect(host.lastInput()).toMatchObject({ target_id: 'guide', payload: { input: { text: 'hello' } } });
    expect(await host.store.findTurn(turn_id)).toMatchObject({ status: 'running', agent_id: 'guide' });
    host.ack();
    host.chunks(0, 3);
    host.output('final', {}, 3);
    expect(await host.store.findTurn(turn_id)).toMatchObject({ status: 'completed' });
    expect(host.shown().slice(-9)).toEqual([
      'EVENT:TURN_DISPATCHED',
      'EVENT:AGENT_STARTED',
      'AGENT_OUTPUT:message.started',
      'AGENT_OUTPUT:chunk',
      'AGENT_OUTPUT:chunk',
      'AGENT_OUTPUT:chunk',
      'AGENT_OUTPUT:message.ended',
      'AGENT_OUTPUT:final',
      'EVENT:TURN_COMPLETED',
    ]);
    expect(host.reports).toEqual([]);
  });

  test('an agent that is called as a part of the host gets its input all the same', async () => {
    for (const agent of ['session_manager', 'orchestrator']) {
      const host = new TestHost(new MemoryStore(), { agents: [agent] });
      const { turn_id } = await host.say('hello');
      expect(host.lastInput()).toMatchObject({ target: 'AGENT', target_id: agent });
      host.ack();
      host.output('final', {}, 0);
      expect(await host.store.findTurn(turn_id)).toMatchObject({ status: 'completed', agent_id: agent });
    }
  });

  test('records are numbered without gaps, and a chunk that is merely forwarded is one record', async () => {
    const host = new TestHost();
    await host.say('hello');
    host.ack();
    const before = host.log.length;
    host.chunks(0, 10);
    expect(host.log.map((record) => record.seq)).toEqual(host.log.map((_, index) => index + 1));
    // The first chunk: what came in, the start of its message, the chunk. The other nine: one each.
    expect(host.log.length - before).toBe(3 + 9);
  });

  test('the same run with the same body gets the same answer, with another body a conflict', async () => {
    const host = new TestHost();
    const first = await host.say('hello', { runId: 'r' });
    expect((await host.say('hello', { runId: 'r' })).turn_id).toBe(first.turn_id);
    await expect(host.say('other', { runId: 'r' })).rejects.toMatchObject({ details: { reason: 'CONFLICT' } });
    expect(host.toAgents.filter((message) => message.event === 'USER_INPUT')).toHaveLength(1);
  });

  test('a repeat is known after a restart too', async () => {
    const store = new MemoryStore();
    const { turn_id } = await new TestHost(store).say('hello', { runId: 'r' });
    const host = new TestHost(store);
    expect((await host.say('hello', { runId: 'r' })).turn_id).toBe(turn_id);
  });

  test("another user's thread looks like an unknown one", async () => {
    const host = new TestHost();
    await host.say('hello');
    await expect(host.say('hello', { user_id: 'mallory' })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an unacknowledged input fails with ROUTE_TIMEOUT at T_ack and not before', async () => {
    const host = new TestHost();
    const { turn_id } = await host.say('hello');
    host.clock.advance(29_999);
    expect(await host.store.findTurn(turn_id)).toMatchObject({ status: 'running' });
    host.clock.advance(1);
    expect(await host.store.findTurn(turn_id)).toMatchObject({ status: 'failed', code: 'ROUTE_TIMEOUT' });
  });
});

describe('a restart', () => {
  test('a live turn ends FAILED host.restarted, keeps its text, and the next input works', async () => {
    const store = new MemoryStore();
    const first = new TestHost(store);
    const { turn_id } = await first.say('hello');
    first.ack();
    first.chunks(0, 5);
    const host = new TestHost(store);
    host.runtime.recover(SESSION);
    host.clock.settle();
    expect(await store.findTurn(turn_id)).toMatchObject({ status: 'failed', code: 'host.restarted', retryable: true });
    expect(host.runtime.driver(SESSION)?.context.last_turn?.collected_output).toBe('c0 c1 c2 c3 c4 ');
    await host.say('again');
    expect(host.lastInput()).toMatchObject({ payload: { input: { text: 'again' } } });
    expect(host.runtime.driver(SESSION)?.epoch).toBe(2);
  });

  test('a queued turn is dispatched with its own text by the next owner', async () => {
    const store = new MemoryStore();
    const first = new TestHost(store);
    await first.say('one');
    const { turn_id } = await first.say('two');
    expect(await store.findTurn(turn_id)).toMatchObject({ status: 'queued' });
    const host = new TestHost(store);
    host.runtime.recover(SESSION);
    host.clock.settle();
    expect(host.lastInput()).toMatchObject({ turn_id, payload: { input: { text: 'two' } } });
  });

  test('a turn whose cancel was accepted ends CANCELED', async () => {
    const store = new MemoryStore();
    const first = new TestHost(store);
    const { turn_id } = await first.say('hello');
    expect(await first.cancel(turn_id)).toBe('accepted');
    const host = new TestHost(store);
    host.runtime.recover(SESSION);
    host.clock.settle();
    expect(await store.findTurn(turn_id)).toMatchObject({ status: 'cancelled' });
  });

  test('messages of the old owner have no effect', async () => {
    const store = new MemoryStore();
    const first = new TestHost(store);
    await first.say('hello');
    const stale = first.lastInput();
    const host = new TestHost(store);
    host.runtime.recover(SESSION);
    host.clock.settle();
    host.toAgents.push(stale);
    const before = host.log.length;
    host.ack();
    expect(host.log).toHaveLength(before);
    expect(host.runtime.driver(SESSION)?.ignored).toBe(1);
  });
});

test('a session that cannot be loaded is tried again and again, and told of once', async () => {
  class LockedStore extends MemoryStore {
    isLocked = false;
    override claim(session_id: string, holder: string, done: ClaimCallback): void {
      if (this.isLocked) done(new Error('the disk is full'), null);
      else super.claim(session_id, holder, done);
    }
  }
  const store = new LockedStore();
  await new TestHost(store).say('hello');
  const host = new TestHost(store);
  const failures = () => host.reports.filter(({ event }) => event === 'session.load_failed').length;
  store.isLocked = true;
  host.runtime.recover(SESSION);
  for (let n = 0; n < 20; n += 1) host.clock.advance(500);
  expect(failures()).toBe(1);
  store.isLocked = false;
  host.clock.advance(500);
  expect(host.runtime.driver(SESSION)).toBeDefined();
});

/** A store whose next commits fail, or wait until they are let go. */
class FlakyStore extends MemoryStore {
  failing = 0;
  held: (() => void)[] = [];
  isHolding = false;

  override commit(units: Unit[], done: CommitCallback): void {
    if (this.failing > 0) {
      this.failing -= 1;
      done(new Error('disk full'), []);
    } else if (this.isHolding) {
      this.held.push(() => super.commit(units, done));
    } else {
      super.commit(units, done);
    }
  }
}

describe('the output gate', () => {
  test('nothing leaves before its unit is committed', async () => {
    const store = new FlakyStore();
    const host = new TestHost(store);
    await host.say('hello');
    host.ack();
    store.isHolding = true;
    const shown = host.shown().length;
    host.chunks(0, 5);
    expect(host.shown()).toHaveLength(shown);
    store.isHolding = false;
    for (const release of store.held.splice(0)) release();
    expect(host.shown()).toHaveLength(shown + 6);
  });

  test('a failed commit acknowledges nothing, and the session goes on after a reload', async () => {
    const store = new FlakyStore();
    const host = new TestHost(store);
    store.failing = 1;
    await expect(host.say('hello', { runId: 'r' })).rejects.toMatchObject({ code: 'runtime_error', retryable: true });
    host.clock.advance(1000);
    const { turn_id } = await host.say('hello', { runId: 'r' });
    expect(await store.findTurn(turn_id)).toMatchObject({ status: 'running' });
  });
});

describe('time', () => {
  test('a clock set back between two owners does not stop the deadlines', async () => {
    const store = new MemoryStore();
    const first = new TestHost(store);
    first.clock.advance(3_600_000);
    await first.say('one');
    await first.say('two');
    const host = new TestHost(store);
    host.runtime.recover(SESSION);
    host.clock.settle();
    const { turn_id } = host.lastInput();
    host.clock.advance(30_000);
    expect(await store.findTurn(turn_id ?? '')).toMatchObject({ status: 'failed', code: 'ROUTE_TIMEOUT' });
  });
});
