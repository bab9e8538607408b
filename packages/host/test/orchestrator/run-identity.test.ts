import type { Grant } from '@rostra/kernel/grant/grant';
import { nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { stateIdentity } from '@rostra/kernel/state/state-identity';
import { emptySnapshot } from '@rostra/kernel/state/state-snapshot';
import { TurnEvent, type UserInputPayload } from '@rostra/protocol/session/input';
import { expect, test } from 'vitest';
import { ManualClock } from '../manual-clock.ts';
import { fixture, World } from './world.ts';

test('people and messages of the same name share no state unless they are the same', async () => {
  const grants: Grant[] = [];
  const world = new World(fixture('behaviours'), new ManualClock(), {
    offers: { ...nothingOffered, apis: ['state'] },
    state: ({ grant }) => {
      grants.push(grant);
      return emptySnapshot;
    },
  });
  await world.ready();
  const say = async (turn_id: string, payload: Partial<UserInputPayload>) => {
    const message = world.inputMessage(turn_id, 'ok');
    if (message.event !== 'USER_INPUT') throw new Error('no input');
    world.send({ ...message, requested_by: 'owner', payload: { ...message.payload, ...payload } });
    await world.heard(turn_id, 'final');
  };
  const event = (source: string) =>
    TurnEvent.parse({
      event_id: 'e',
      event_type: 'message.received',
      source,
      trigger_source: 'platform',
      actor: { actor_type: 'user', actor_id: '7' },
    });
  await say('t1', { client_message_id: 'msg-1' });
  await say('t2', { client_message_id: 'msg-1' });
  await say('t3', { event: event('telegram') });
  await say('t4', { event: event('discord') });
  const of = (scope: 'actor' | 'subject') => grants.map((grant) => stateIdentity(grant, scope)?.scope_id);
  expect(new Set(of('subject')).size).toBe(4);
  const [mine, again, one, other] = of('actor');
  expect([mine, again]).toEqual(['owner', 'owner']);
  expect(one).not.toBe(other);
});
