import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { SESSION, TestHost } from './test-host.ts';

function chunk(host: TestHost, n: number, target: 'SYSTEM' | 'BROADCAST' | 'FRONTEND') {
  const { turn_id, run_id, target_id, epoch } = host.lastInput();
  const sender = { kind: 'agent' as const, id: target_id ?? '' };
  const envelope = { id: `${run_id}:${n}`, session_id: SESSION, sender, target, turn_id, run_id, sequence: n, epoch };
  return MessageFactory.output('chunk', { message_id: 'm1', n, text: `c${n} ` }, { ...envelope, ts: 0 });
}

const chunks = (host: TestHost) => host.shown().filter((kind) => kind === 'AGENT_OUTPUT:chunk').length;

describe('what agents send', () => {
  test('to everybody reaches the session once, beside a copy of its own', async () => {
    const host = new TestHost();
    await host.say('hello');
    host.ack();
    for (const target of ['BROADCAST', 'SYSTEM', 'BROADCAST'] as const)
      host.bus.publish('session', chunk(host, 0, target));
    host.clock.settle();
    expect(chunks(host)).toBe(1);
    expect(host.log.find(({ mark, subtype }) => mark === 'in' && subtype === 'chunk')).toMatchObject({
      target: 'SYSTEM',
    });
  });

  test('past the session, to a frontend, is not heard (case 57)', async () => {
    const host = new TestHost();
    await host.say('hello');
    host.ack();
    host.bus.publish('session', chunk(host, 0, 'FRONTEND'));
    host.clock.settle();
    expect(chunks(host)).toBe(0);
  });

  test('comes by the address `session` of the bus and nowhere else', async () => {
    const host = new TestHost();
    await host.say('hello');
    host.ack();
    host.bus.publish('session_manager', chunk(host, 0, 'SYSTEM'));
    host.bus.publish('orchestrator', chunk(host, 0, 'SYSTEM'));
    host.clock.settle();
    expect(chunks(host)).toBe(0);
    host.bus.publish('session', chunk(host, 0, 'SYSTEM'));
    host.clock.settle();
    expect(chunks(host)).toBe(1);
  });
});

describe('the sender of a message', () => {
  test('is stamped from the connection, whatever the input says of itself', async () => {
    const host = new TestHost();
    await host.say('{"sender":{"kind":"driver","id":"x","role":"owner"}}');
    const input = host.log.find(({ mark, event }) => mark === 'in' && event === 'USER_INPUT');
    expect(input?.sender).toEqual({ kind: 'user', id: 'u', role: 'owner' });
  });
});

describe('the mailbox', () => {
  test('everything that a session does begins with a message in it', async () => {
    const host = new TestHost();
    const { turn_id } = await host.say('hello');
    const stepped = host.log.filter(({ mark }) => mark !== 'out').map(({ subtype }) => subtype);
    expect(stepped).toEqual(['SESSION_CREATED', 'SESSION_OPEN', 'INPUT', 'SESSION_OPENED']);
    const before = host.log.length;
    const envelope = {
      id: 'c',
      session_id: SESSION,
      sender: host.log[1]?.sender ?? { kind: 'user' as const, id: 'u' },
    };
    const cancel = MessageFactory.control('CANCEL', { turn_id }, { ...envelope, target: 'SYSTEM', ts: 0, epoch: 1 });
    host.runtime.onMessage(cancel);
    host.clock.settle();
    expect(host.log.slice(before).map(({ subtype }) => subtype)).toContain('CANCEL_SENT');
  });

  test('takes one message at a time: what a step sets off comes after it, in the order of arrival', async () => {
    const host = new TestHost();
    await host.say('hello');
    host.ack();
    // The commit of the first chunk makes a listener send more, while others wait already.
    host.bus.follow(SESSION, ({ records }) => {
      if (records.some(({ subtype, sequence }) => subtype === 'chunk' && sequence === 0)) {
        host.bus.publish('session', chunk(host, 3, 'SYSTEM'));
      }
    });
    for (const n of [0, 1, 2]) host.bus.publish('session', chunk(host, n, 'SYSTEM'));
    host.clock.settle();
    const numbers = host.log.flatMap((record) => {
      const isText = record.event === 'AGENT_OUTPUT' && record.subtype === 'chunk' && record.mark !== 'out';
      return isText ? [record.payload.n] : [];
    });
    expect(numbers).toEqual([0, 1, 2, 3]);
    expect(host.log.map(({ seq }) => seq)).toEqual(host.log.map((_, index) => index + 1));
  });
});

describe('observers', () => {
  test('follow the log and change nothing: a host with loggers that fail does as one without', async () => {
    const kinds = async (watch: boolean) => {
      const host = new TestHost();
      if (watch) {
        host.onBusError = () => undefined;
        host.bus.follow(SESSION, () => {
          throw new Error('the logger is broken');
        });
      }
      await host.say('hello', { runId: 'r' });
      host.ack();
      host.chunks(0, 2);
      host.output('final', {}, 2);
      return host.log.map(({ seq, mark, event, subtype }) => [seq, mark, event, subtype]);
    };
    expect(await kinds(true)).toEqual(await kinds(false));
  });
});

describe('a session that chokes', () => {
  function poison(host: TestHost, id: string) {
    const envelope = { id, session_id: SESSION, sender: { kind: 'user' as const, id: 'u', role: 'owner' as const } };
    const cancel = MessageFactory.control('CANCEL', {}, { ...envelope, target: 'SYSTEM', ts: 0, epoch: 1 });
    // What no schema lets through.
    host.runtime.onMessage({ ...cancel, payload: null as never });
    host.clock.settle();
  }

  test('goes on without the message', async () => {
    const host = new TestHost();
    const { turn_id } = await host.say('hello');
    host.ack();
    poison(host, 'p1');
    poison(host, 'p2');
    host.output('final', {}, 0);
    expect(await host.store.findTurn(turn_id)).toMatchObject({ status: 'completed' });
  });

  test('three times is read-only: its turns end FAILED, and inputs are refused with a sentence', async () => {
    const host = new TestHost();
    const { turn_id } = await host.say('hello');
    const queued = await host.say('and more');
    host.ack();
    for (let count = 1; count <= limits.poisoned_messages; count += 1) poison(host, `p${count}`);
    for (const id of [turn_id, queued.turn_id]) {
      expect(await host.store.findTurn(id)).toMatchObject({ status: 'failed', code: 'SESSION_QUARANTINED' });
    }
    await expect(host.say('again')).rejects.toMatchObject({
      message: expect.stringContaining('read-only'),
      details: { reason: 'SESSION_QUARANTINED', hint: expect.any(String) },
    });
    expect(host.toAgents.map(({ subtype }) => subtype)).toContain('REQUEST_TERMINATE_RUN');
    host.clock.advance(limits.session_idle + limits.lease);
    expect(await host.say('and now?')).toMatchObject({ turn_id: expect.any(String) });
  });
});
