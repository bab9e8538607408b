import type { PayloadOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import { describe, expect, test } from 'vitest';
import { MemoryBus } from '../../src/bus/memory/memory-bus.ts';
import { SessionManager } from '../../src/session/session-manager.ts';

const policy = AgentPolicy.parse({ resumable: true });

function bench(): <S extends SubtypeOf<'CONTROL'>>(subtype: S, payload: PayloadOf<'CONTROL', S>) => SessionMessage[] {
  const bus = new MemoryBus((error) => {
    throw error;
  });
  const answers: SessionMessage[] = [];
  bus.subscribe('session', (message) => answers.push(message));
  new SessionManager(bus, {
    default_agents: ['guide', 'scout'],
    active: 'scout',
    find: (agent_id) => (agent_id === 'nobody' ? undefined : { agent_id, policy }),
    canBeSteered: (agent_id) => agent_id !== 'deaf',
  });
  return (subtype, payload) => {
    const sender = { kind: 'session' as const, id: 's' };
    const to = { target: 'SYSTEM' as const, target_id: 'session_manager', tx_id: 'tx-1' };
    const envelope = { id: 'm', session_id: 's', sender, ...to, ts: 7, epoch: 3 };
    bus.publish('session_manager', MessageFactory.control(subtype, payload, envelope));
    return answers.splice(0);
  };
}

describe('the SessionManager', () => {
  test('opens a session with the default roster, and says who is active', () => {
    const [opened] = bench()('REQUEST_SESSION_OPEN', { agents: null, active_agent_id: null });
    expect(opened).toMatchObject({
      subtype: 'SESSION_OPENED',
      sender: { kind: 'session_manager' },
      tx_id: 'tx-1',
      epoch: 3,
      payload: {
        agents: [
          { agent_id: 'guide', policy },
          { agent_id: 'scout', policy },
        ],
        active_agent_id: 'scout',
      },
    });
  });

  test('opens a session with the agents that were asked for; the first is active unless told', () => {
    const ask = bench();
    const [opened] = ask('REQUEST_SESSION_OPEN', { agents: ['b', 'a'], active_agent_id: null });
    expect(opened?.payload).toMatchObject({ active_agent_id: 'b' });
    const [told] = ask('REQUEST_SESSION_OPEN', { agents: ['b', 'a'], active_agent_id: 'a' });
    expect(told?.payload).toMatchObject({ active_agent_id: 'a' });
  });

  test('does not let anybody steer an agent whose runner takes no inputs while it is at work (check 69)', () => {
    const ask = bench();
    const [able] = ask('REQUEST_ADD_AGENT', { agent_id: 'a', preferences: { steering: true } });
    expect(able?.payload).toMatchObject({ policy: { steering: true } });
    const [deaf] = ask('REQUEST_ADD_AGENT', { agent_id: 'deaf', preferences: { steering: true } });
    expect(deaf?.payload).toMatchObject({ policy: { steering: false } });
  });

  test('refuses agents that the host does not have', () => {
    const ask = bench();
    const error = { code: 'not_found', details: { agent_id: 'nobody' } };
    expect(ask('REQUEST_SESSION_OPEN', { agents: ['a', 'nobody'], active_agent_id: null })).toMatchObject([
      { subtype: 'SESSION_FAILED', payload: { error } },
    ]);
    expect(ask('REQUEST_ADD_AGENT', { agent_id: 'nobody' })).toMatchObject([
      { subtype: 'ADD_AGENT_FAILED', payload: { error } },
    ]);
  });

  test('closes, and lets an agent go', () => {
    const ask = bench();
    expect(ask('REQUEST_SESSION_CLOSE', { reason: 'user' })).toMatchObject([{ subtype: 'SESSION_CLOSED' }]);
    expect(ask('REQUEST_REMOVE_AGENT', { agent_id: 'a', reason: 'user', attempt: 2 })).toMatchObject([
      { subtype: 'REMOVE_AGENT_DONE', payload: { agent_id: 'a', attempt: 2 } },
    ]);
  });

  test('brings an agent back with what it had in the session; what can be resumed is its runner’s word of today', () => {
    const had = AgentPolicy.parse({ queue: 'replace', interruptible: false, resumable: false });
    const [done] = bench()('REQUEST_ADD_AGENT', { agent_id: 'a', had });
    expect(done?.payload).toEqual({ agent_id: 'a', policy: { ...had, resumable: true } });
  });

  test('puts the wishes of the invitation before what the agent had', () => {
    const had = AgentPolicy.parse({ queue: 'replace', steering: true });
    const [done] = bench()('REQUEST_ADD_AGENT', { agent_id: 'a', had, preferences: { queue: 'reject' } });
    expect(done?.payload).toMatchObject({ policy: { queue: 'reject', steering: true } });
  });

  test('answers a request again that comes again: nothing of it is lost with a crash in the middle', () => {
    const ask = bench();
    const first = ask('REQUEST_ADD_AGENT', { agent_id: 'a' });
    expect(ask('REQUEST_ADD_AGENT', { agent_id: 'a' })).toEqual(first);
  });
});
