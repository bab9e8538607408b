import { AgentGrants } from '@rostra/protocol/config/agent-config';
import { BindingConfig } from '@rostra/protocol/config/entry-config';
import { HostConfig } from '@rostra/protocol/config/host-config';
import { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { describe, expect, test } from 'vitest';
import { bindingGrants, bindingOf, resolveBinding } from '../../src/entries/entry-binding.ts';
import { statusOf } from '../../src/http/errors.ts';

const message = AgentEventEnvelope.parse({
  event: { event_id: 'e1', event_type: 'message.received', source: 'telegram' },
  conversation: { bot_id: 'b1' },
});

const binding = (id: string, change: object = {}): BindingConfig =>
  BindingConfig.parse({ id, agent: 'guide', events: ['message.received'], ...change });

function refusal(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('no refusal');
}

describe('an event has exactly one binding (check 55)', () => {
  test('the one that takes it', () => {
    const bindings = [binding('chat'), binding('clock', { agent: 'scout', events: ['schedule.*'] })];
    expect(resolveBinding(message, bindings)).toEqual({ id: 'chat', agent_id: 'guide', session: 'conversation' });
  });

  test('none is 404 and says so', () => {
    for (const bindings of [[], [binding('clock', { events: ['schedule.due'] })]]) {
      const error = refusal(() => resolveBinding(message, bindings));
      expect([statusOf(error), error.message]).toEqual([404, 'no binding takes the event "message.received"']);
    }
  });

  test('several are 409 and named, even if one agent is behind them: they differ in what they grant', () => {
    const error = refusal(() => resolveBinding(message, [binding('chat'), binding('all', { events: ['*'] })]));
    expect(statusOf(error)).toBe(409);
    expect(error.details.bindings).toEqual(['chat', 'all']);
  });

  test.each([
    [{ events: ['message.*'] }, true],
    [{ events: ['message'] }, false],
    [{ source: 'telegram' }, true],
    [{ source: 'api' }, false],
    [{ bot: 'b1' }, true],
    [{ bot: 'b2' }, false],
  ])('%j takes it: %s', (change, isTaken) => {
    const isFound = () => resolveBinding(message, [binding('chat', change)]).id === 'chat';
    if (isTaken) expect(isFound()).toBe(true);
    else expect(isFound).toThrow('no binding');
  });

  test('one of a certain bot takes nothing that has none', () => {
    const bare = { ...message, conversation: null };
    expect(() => resolveBinding(bare, [binding('chat', { bot: 'b1' })])).toThrow('no binding');
  });
});

describe('the binding of a schedule or a webhook', () => {
  test('is its own, or the one that it names with a session of its choice', () => {
    const bindings = [binding('night', { session: 'event' })];
    expect(bindingOf('schedule', { id: 'x', agent: 'guide' }, bindings)).toEqual({
      id: 'schedule:x',
      agent_id: 'guide',
      session: 'conversation',
    });
    expect(bindingOf('webhook', { id: 'x', binding: 'night' }, bindings)).toMatchObject({
      id: 'night',
      session: 'event',
    });
    expect(bindingOf('webhook', { id: 'x', binding: 'night', session: 'conversation' }, bindings).session).toBe(
      'conversation',
    );
    expect(() => bindingOf('webhook', { id: 'x', binding: 'gone' }, bindings)).toThrow('not there');
  });

  test('has its own grant (case 75)', () => {
    const config = HostConfig.parse({
      bindings: [{ id: 'night', agent: 'guide', events: ['*'], grants: { tools: [] } }],
      schedules: [
        { id: 'x', cron: '* * * * *', agent: 'guide', grants: { storage: [] } },
        { id: 'y', cron: '* * * * *', binding: 'night' },
      ],
      webhooks: [{ id: 'z', secret: 's', agent: 'guide' }],
    });
    const usual = AgentGrants.parse({});
    expect([...bindingGrants(config, usual)]).toEqual([
      ['night', AgentGrants.parse({ tools: [] })],
      ['schedule:x', AgentGrants.parse({ storage: [] })],
      ['webhook:z', usual],
    ]);
  });
});
