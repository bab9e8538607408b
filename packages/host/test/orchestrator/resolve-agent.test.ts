import { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import { RunFailure } from '@rostra/protocol/wire/reason';
import { describe, expect, test } from 'vitest';
import { type EventBinding, resolveAgent } from '../../src/orchestrator/resolve-agent.ts';

const message = AgentEventEnvelope.parse({
  event: { event_id: 'e1', event_type: 'message.received', source: 'telegram' },
  conversation: { bot_id: 'b1' },
});

const binding = (agent_id: string, change: Partial<EventBinding> = {}): EventBinding => {
  return { agent_id, event_types: ['message.received'], ...change };
};

describe('an event has exactly one agent (check 55)', () => {
  test('the one that is bound to it', () => {
    const bindings = [binding('guide'), binding('clock', { event_types: ['schedule.*'] })];
    expect(resolveAgent(message, bindings)).toEqual({ agent_id: 'guide' });
  });

  test('none is an error that says so', () => {
    for (const bindings of [[], [binding('clock', { event_types: ['schedule.due'] })]]) {
      expect(resolveAgent(message, bindings)).toEqual({
        failure: {
          code: 'agent.not_found',
          message: 'No agent answers the event "message.received".',
          retryable: false,
        },
      });
    }
  });

  test('several are an error that names them', () => {
    const found = resolveAgent(message, [binding('guide'), binding('scout')]);
    expect(found).toMatchObject({ failure: { code: 'agent.ambiguous', retryable: false } });
    expect(JSON.stringify(found)).toMatch(/guide.*scout/);
    if ('failure' in found) expect(RunFailure.parse(found.failure.code)).toBe('agent.ambiguous');
  });

  test('one that is bound twice is still one', () => {
    expect(resolveAgent(message, [binding('guide'), binding('guide', { event_types: ['*'] })])).toEqual({
      agent_id: 'guide',
    });
  });

  test.each([
    [{ event_types: ['message.*'] }, true],
    [{ event_types: ['message'] }, false],
    [{ sources: ['telegram'] }, true],
    [{ sources: ['api'] }, false],
    [{ bot_ids: ['b1'] }, true],
    [{ bot_ids: ['b2'] }, false],
  ] as const)('%j takes it: %s', (change, isTaken) => {
    expect('agent_id' in resolveAgent(message, [binding('guide', change)])).toBe(isTaken);
  });

  test('an agent that is bound to a bot takes nothing that has none', () => {
    const bare = { ...message, conversation: null };
    expect(resolveAgent(bare, [binding('guide', { bot_ids: ['b1'] })])).toHaveProperty('failure');
  });
});
