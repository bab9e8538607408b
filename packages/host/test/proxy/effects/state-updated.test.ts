import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { RunnerDataWorld } from '../runner-data-world.ts';

describe('state.updated', () => {
  it('writes what state.set writes, and is told in the host’s own words (RP-6.8)', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const update = { scope: 'conversation', key: 'conversation_id', value: 'abc' };
    expect(await world.effects.state(run, update)).toEqual({ tell: { ...update, key: 'external.conversation_id' } });
    const read = await world.call(world.run(), 'state.get', { scope: 'conversation', key: 'external.conversation_id' });
    expect(read).toEqual({ value: 'abc' });
  });

  it.each<[string, { [key: string]: Json }]>([
    ['no scope', { scope: 'galaxy' }],
    ['a scope of storage', { scope: 'workspace' }],
    ['a scope that was not granted', { scope: 'actor' }],
    ['__proto__', { key: '__proto__' }],
    ['no key', { key: '' }],
    ['a key over its bytes', { key: 'é'.repeat(65) }],
    ['a value over its bytes', { value: 'x'.repeat(limits.state_value_bytes) }],
    ['nothing at all', { scope: null, key: null }],
  ])(
    'of %s changes nothing and is dropped, by the check of the call (check 50, case 47, RP-6.9)',
    async (_, change) => {
      const world = await RunnerDataWorld.open();
      const run = world.run({ grants: { state_scopes: ['conversation'] } });
      const update = { scope: 'conversation', key: 'k', value: 1, ...change };
      expect(await world.effects.state(run, update)).toEqual({ drop: expect.any(String) });
      expect((await world.states.snapshot(world.run().charter.grant)).state).toEqual({
        conversation: {},
        actor: {},
        subject: {},
        runner: {},
        binding: {},
      });
    },
  );

  it('of a run that is over is dropped; one before it was written once (fault 53)', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    expect(await world.effects.state(run, { scope: 'actor', key: 'k', value: 1 })).toMatchObject({
      tell: { value: 1 },
    });
    run.end();
    expect(await world.effects.state(run, { scope: 'actor', key: 'k', value: 2 })).toEqual({
      drop: 'The run is over.',
    });
    const next = world.run();
    expect(await world.call(next, 'state.get', { scope: 'actor', key: 'k' })).toEqual({ value: 1 });
    expect((await world.call(next, 'state.list', { scope: 'actor' })).keys).toEqual(['k']);
  });
});
