import { StateScope } from '@rostra/protocol/config/agent-config';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { RunStates } from '../../../src/proxy/run-states.ts';
import type { StateStore } from '../../../src/store/ports/state.ts';
import { RunnerDataWorld, type RunOf, refusalOf } from '../runner-data-world.ts';

describe('the state of a scope', () => {
  it.each(StateScope.options)(
    '%s is set, read, listed and deleted by the next run (check 44, RP-7.23)',
    async (scope) => {
      const world = await RunnerDataWorld.open();
      const value = { session: 'abc', n: [1, null, 'ü'] };
      expect(await world.call(world.run(), 'state.get', { scope, key: 'external.session_id' })).toEqual({
        value: null,
      });
      await world.call(world.run(), 'state.set', { scope, key: 'external.session_id', value });
      await world.call(world.run(), 'state.set', { scope, key: 'other', value: 1 });
      const run = world.run();
      expect(await world.call(run, 'state.get', { scope, key: 'external.session_id' })).toEqual({ value });
      expect(await world.call(run, 'state.list', { scope })).toEqual({
        keys: ['external.session_id', 'other'],
        has_more: false,
      });
      expect(await world.call(run, 'state.list', { scope, prefix: 'external.' })).toMatchObject({
        keys: ['external.session_id'],
      });
      expect(await world.call(run, 'state.list', { scope, limit: 1 })).toMatchObject({ has_more: true });
      await world.call(run, 'state.delete', { scope, key: 'external.session_id' });
      await world.call(run, 'state.delete', { scope, key: 'external.session_id' });
      expect(await world.call(run, 'state.get', { scope, key: 'external.session_id' })).toEqual({ value: null });
      expect(world.audited.at(-1)).toEqual({ action: 'state.get', scope, result: 'ok' });
    },
  );

  it.each<[string, RunOf, readonly StateScope[]]>([
    ['agent', { agent_id: 'scout' }, StateScope.options],
    ['runner', { runner_id: 'other' }, StateScope.options],
    ['bot', { bot_id: 'b' }, StateScope.options],
    ['workspace', { workspace_id: 'x' }, StateScope.options],
    ['actor', { actor_id: 'bob' }, ['actor']],
    ['subject', { subject_id: 'another' }, ['subject']],
    ['conversation', { conversation_id: 'd' }, ['conversation']],
    ['thread', { thread_id: 't' }, ['conversation']],
  ])('is nothing to a run of another %s (check 45)', async (_, change, scopes) => {
    const world = await RunnerDataWorld.open();
    for (const scope of StateScope.options) {
      await world.call(world.run(), 'state.set', { scope, key: 'secret', value: scope });
    }
    const other = world.run(change);
    for (const scope of StateScope.options) {
      const value = scopes.includes(scope) ? null : scope;
      expect(await world.call(other, 'state.get', { scope, key: 'secret' })).toEqual({ value });
      const { keys } = await world.call(other, 'state.list', { scope });
      expect(keys).toEqual(value === null ? [] : ['secret']);
    }
    const { state } = await world.states.snapshot(other.charter.grant);
    for (const scope of scopes) expect(state[scope]).toEqual({});
  });

  it('that the agent’s policy leaves out, or whose identity the event lacks, is refused (check 46)', async () => {
    const world = await RunnerDataWorld.open();
    const narrow = world.run({ grants: { state_scopes: ['conversation'] } });
    const nobody = world.run({ actor_id: null, subject_id: null });
    const none = world.run({ grants: { state_scopes: [] } });
    for (const [run, scope] of [
      [narrow, 'actor'],
      [nobody, 'actor'],
      [nobody, 'subject'],
      [none, 'conversation'],
    ] as const) {
      for (const ask of [
        world.call(run, 'state.get', { scope, key: 'k' }),
        world.call(run, 'state.set', { scope, key: 'k', value: 1 }),
        world.call(run, 'state.delete', { scope, key: 'k' }),
        world.call(run, 'state.list', { scope }),
      ]) {
        expect(await refusalOf(ask)).toMatchObject({ code: 'unauthorized' });
      }
    }
    await world.call(narrow, 'state.set', { scope: 'conversation', key: 'k', value: 1 });
  });

  it('does not take what is no small JSON value under a plain key (check 47, case 46)', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const deep = (levels: number): Json => (levels === 0 ? 1 : [deep(levels - 1)]);
    const set = (change: { [key: string]: Json }) =>
      refusalOf(world.call(run, 'state.set', { scope: 'conversation', key: 'k', value: 1, ...change }));
    const bad = { code: 'invalid_argument' };
    for (const key of ['__proto__', 'constructor', 'prototype', '', 'a\u0000b', 'a\nb', '\ud800', 'k'.repeat(4096)]) {
      expect(await set({ key }), JSON.stringify(key)).toMatchObject(bad);
    }
    expect(await set({ key: 'é'.repeat(65) })).toMatchObject({ ...bad, reason: 'BAD_KEY' });
    expect(await set({ scope: 'workspace' })).toMatchObject(bad);
    expect(await set({ value: deep(limits.json_depth + 1) })).toMatchObject(bad);
    expect(await set({ value: JSON.parse('{"__proto__": {"polluted": 1}}') })).toMatchObject(bad);
    expect(await set({ value: 'x'.repeat(1024 * 1024) })).toMatchObject({ code: 'payload_too_large' });
    expect(await set({ value: 'x'.repeat(limits.state_value_bytes - 1) })).toMatchObject({
      code: 'payload_too_large',
      reason: 'VALUE_TOO_LARGE',
    });
    expect(await world.call(run, 'state.list', { scope: 'conversation' })).toEqual({ keys: [], has_more: false });
    await world.call(run, 'state.set', {
      scope: 'conversation',
      key: 'k',
      value: 'x'.repeat(limits.state_value_bytes - 2),
    });
    await world.call(run, 'state.set', {
      scope: 'conversation',
      key: 'é'.repeat(64),
      value: deep(limits.json_depth - 2),
    });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('has one row after two first writes at once (check 48)', async () => {
    const world = await RunnerDataWorld.open();
    const set = (value: number) => world.call(world.run(), 'state.set', { scope: 'runner', key: 'k', value });
    await Promise.all([set(1), set(2)]);
    expect(await world.call(world.run(), 'state.list', { scope: 'runner' })).toEqual({ keys: ['k'], has_more: false });
  });

  it('keeps conversation_id as external.conversation_id, in the conversation only (check 49)', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    await world.call(run, 'state.set', { scope: 'conversation', key: 'conversation_id', value: 'c-9' });
    const read = async (scope: StateScope, key: string) => (await world.call(run, 'state.get', { scope, key })).value;
    expect(await read('conversation', 'external.conversation_id')).toBe('c-9');
    expect(await read('conversation', 'conversation_id')).toBe('c-9');
    expect((await world.call(run, 'state.list', { scope: 'conversation' })).keys).toEqual(['external.conversation_id']);
    await world.call(run, 'state.set', { scope: 'actor', key: 'conversation_id', value: 'mine' });
    expect((await world.call(run, 'state.list', { scope: 'actor' })).keys).toEqual(['conversation_id']);
    await world.call(run, 'state.delete', { scope: 'conversation', key: 'conversation_id' });
    expect(await read('conversation', 'external.conversation_id')).toBeNull();
  });

  it('loses a key that is set to null', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    await world.call(run, 'state.set', { scope: 'actor', key: 'k', value: 1 });
    await world.call(run, 'state.set', { scope: 'actor', key: 'k', value: null });
    expect(await world.call(run, 'state.list', { scope: 'actor' })).toEqual({ keys: [], has_more: false });
  });
});

describe('the snapshot of a run', () => {
  it('holds what an earlier run set, in each scope that it was granted (check 51)', async () => {
    const world = await RunnerDataWorld.open();
    for (const scope of StateScope.options) {
      await world.call(world.run(), 'state.set', { scope, key: 'from', value: { scope } });
    }
    const from = (scope: StateScope) => ({ from: { scope } });
    expect(await world.states.snapshot(world.run().charter.grant)).toEqual({
      state: Object.fromEntries(StateScope.options.map((scope) => [scope, from(scope)])),
      omitted: {},
    });
    const narrow = world.run({ grants: { state_scopes: ['runner'] } });
    expect(await world.states.snapshot(narrow.charter.grant)).toEqual({
      state: { conversation: {}, actor: {}, subject: {}, runner: from('runner'), binding: {} },
      omitted: {},
    });
  });

  it('holds at most 64 KiB of a scope, the newest keys, and counts the others (RP-4.40)', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    for (let n = 0; n < 5; n += 1) {
      world.clock.advance(1);
      await world.call(run, 'state.set', { scope: 'conversation', key: `k${n}`, value: 'x'.repeat(20_000) });
    }
    const { state, omitted } = await world.states.snapshot(run.charter.grant);
    expect(Object.keys(state.conversation).sort()).toEqual(['k2', 'k3', 'k4']);
    expect(omitted).toEqual({ conversation: 2 });
  });

  it('of an agent that stored nothing costs one look at the store and then none, until it stores something', async () => {
    const world = await RunnerDataWorld.open();
    const asked: string[] = [];
    const counted: StateStore = {
      ...world.store.state,
      any(place) {
        asked.push(`any ${place.scope}`);
        return world.store.state.any(place);
      },
      snapshot(scope, bytes) {
        asked.push(`snapshot ${scope.scope}`);
        return world.store.state.snapshot(scope, bytes);
      },
    };
    const states = new RunStates(counted, world.clock);
    const empty = { conversation: {}, actor: {}, subject: {}, runner: {}, binding: {} };
    expect(await states.snapshot(world.run().charter.grant)).toEqual({ state: empty, omitted: {} });
    expect(asked).toHaveLength(StateScope.options.length);
    asked.length = 0;
    const elsewhere = world.run({ conversation_id: 'another', subject_id: 'another', actor_id: 'another' });
    const known = states.snapshot(elsewhere.charter.grant);
    expect(known).not.toBeInstanceOf(Promise);
    await states.set(elsewhere.charter.grant, 'conversation', 'k', 1);
    expect((await states.snapshot(elsewhere.charter.grant)).state.conversation).toEqual({ k: 1 });
    expect(asked).toEqual(['snapshot conversation']);
    expect((await states.snapshot(world.run().charter.grant)).state.conversation).toEqual({});
    expect(states.snapshot(world.run().charter.grant)).not.toBeInstanceOf(Promise);
  });

  it('that is read while something is written does not make anybody believe that there is nothing', async () => {
    const world = await RunnerDataWorld.open();
    const { grant } = world.run().charter;
    const write = world.states.set(grant, 'binding', 'k', 1);
    const read = world.states.snapshot(grant);
    await Promise.all([write, read]);
    expect((await world.states.snapshot(grant)).state.binding).toEqual({ k: 1 });
  });
});
