import type { Call } from '@rostra/kernel/grant/check-call';
import { type ApiMethodName, apiMethods } from '@rostra/protocol/api/api-methods';
import { availableApiOf } from '@rostra/protocol/api/available-apis';
import { AgentGrants } from '@rostra/protocol/config/agent-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ApiServices } from '../../src/proxy/api-family.ts';
import { bench, everyMethod, methods, servingAll } from './every-method.ts';
import {
  activeRun,
  asksForAll,
  asksForNothing,
  everything,
  GateBench,
  grantsNothing,
  refusal,
  scope,
} from './gate-bench.ts';

const noRun = { code: 'unauthorized', message: 'There is no such live run on this connection.', retryable: false };

describe.each(methods)('%s', (method) => {
  it('is served to a live run that was granted it, with one row in the audit (SR-INV-R4)', async () => {
    const { gate, reached, ask } = bench();
    expect(await ask(activeRun('r1'), method)).toEqual({ done: true });
    expect(reached.map(([name]) => name)).toEqual([method]);
    expect(gate.rows).toMatchObject([
      { action: method, result: 'ok', actor: 'runner:fixture', run_id: 'r1', runner_id: 'fixture', session_id: 'c' },
    ]);
  });

  it('is refused without a grant, whoever did not give it (checks 36 and 37)', async () => {
    const { gate, reached, ask } = bench();
    const offersNothing = { models: [], tools: [], knowledge_bases: [], apis: [], platform_api: [] };
    // Every run may ask for its runs and its prompt where the host serves that: no permission of a manifest names them.
    const isNamed = !/^(?:runs|prompt|state)\./.test(method);
    const sides = [
      { grants: grantsNothing, offers: offersNothing },
      { offers: offersNothing, manifest: asksForNothing },
      ...(isNamed ? [{ manifest: asksForNothing, offers: everything }] : []),
      ...(isNamed && method !== 'steering.pull' ? [{ grants: grantsNothing, manifest: asksForAll }] : []),
    ];
    for (const side of sides) {
      expect(await refusal(ask(activeRun('r1', side), method))).toMatchObject({ code: 'unauthorized' });
    }
    expect(reached).toEqual([]);
    expect(gate.rows.map(({ action, result }) => [action, result])).toEqual(sides.map(() => [method, 'unauthorized']));
  });

  it('is refused after the run (check 28, case 36)', async () => {
    const { gate, reached, ask } = bench();
    const run = activeRun('r1');
    run.end();
    expect(await refusal(ask(run, method))).toMatchObject(noRun);
    expect(
      await refusal(gate.call(null, method, { ...everyMethod[method].params, run_id: 'r1' } as JsonObject)),
    ).toMatchObject(noRun);
    expect(reached).toEqual([]);
    expect(gate.rows.map(({ result, run_id }) => [result, run_id])).toEqual([
      ['unauthorized', 'r1'],
      ['unauthorized', 'r1'],
    ]);
  });

  it('is refused to a connection that is not the package’s own (checks 29 and 30, case 35)', async () => {
    const { gate, reached } = bench();
    const params = { ...everyMethod[method].params } as JsonObject;
    for (const caller of ['another package', '']) {
      expect(await refusal(gate.call(activeRun('r1'), method, params, { caller }))).toMatchObject(noRun);
    }
    expect(reached).toEqual([]);
    expect(gate.rows.map(({ details }) => details)).toMatchObject([{ package: 'another package' }, { package: '' }]);
  });

  it('is refused without a run_id (check 39)', async () => {
    const { gate, reached } = bench();
    const params = { ...everyMethod[method].params } as JsonObject;
    expect(await refusal(gate.call(null, method, params))).toMatchObject(noRun);
    expect(await refusal(gate.call(null, method, { ...params, run_id: null }))).toMatchObject(noRun);
    expect(reached).toEqual([]);
    expect(gate.rows.map(({ run_id, session_id, actor }) => [run_id, session_id, actor])).toEqual([
      [null, null, 'runner:fixture'],
      [null, null, 'runner:fixture'],
    ]);
  });

  it('is refused once the deadline has passed (check 57)', async () => {
    const { gate, reached, ask } = bench();
    const run = activeRun('r1');
    run.deadline_at = gate.clock.now();
    expect(await refusal(ask(run, method))).toMatchObject({ code: 'deadline_exceeded' });
    expect(reached).toEqual([]);
    expect(gate.rows).toMatchObject([{ action: method, result: 'deadline_exceeded' }]);
  });

  it('is refused when this host does not serve it', async () => {
    const gate = new GateBench({});
    expect(
      await refusal(gate.call(activeRun('r1'), method, { ...everyMethod[method].params } as JsonObject)),
    ).toMatchObject({
      code: 'unauthorized',
    });
  });
});

test('every method of the protocol has its row here, and every flag its refusal', () => {
  expect(methods).toEqual(expect.arrayContaining(Object.keys(apiMethods)));
  expect(methods).toHaveLength(Object.keys(apiMethods).length);
  for (const [method, flag] of Object.entries(availableApiOf)) {
    const { grant } = activeRun('r1', { manifest: asksForNothing, grants: grantsNothing, prompt: false }).charter;
    const isAlways = method.startsWith('runs.');
    expect(grant.apis[flag], method).toBe(isAlways);
  }
});

describe('what is asked for', () => {
  /** A service of models as a host has it: what it asks for is what the call names. */
  function models(): ApiServices {
    const service = (operation: Extract<Call, { family: 'models' }>['operation']) => ({
      asks: ({ model_id }: { model_id: string }): Call => ({ family: 'models', operation, model_id }),
      serve: async () => ({}) as never,
    });
    return {
      'models.invoke': service('invoke'),
      'models.stream': service('stream'),
      'models.rerank': service('rerank'),
      'models.count_tokens': service('count_tokens'),
    };
  }

  it('a model that was not granted is refused in the same words whether or not it exists, and logged (check 26, case 38)', async () => {
    const gate = new GateBench(models());
    const run = activeRun('r1', { grants: AgentGrants.parse({ models: ['small'] }) });
    const { params } = everyMethod['models.invoke'];
    const exists = await refusal(gate.call(run, 'models.invoke', { ...params, model_id: 'large' } as JsonObject));
    const absent = await refusal(gate.call(run, 'models.invoke', { ...params, model_id: 'no such' } as JsonObject));
    expect((exists as ApiError).toJSON()).toEqual((absent as ApiError).toJSON());
    expect((exists as ApiError).code).toBe('unauthorized');
    expect(gate.rows.map(({ resource, result }) => [resource, result])).toEqual([
      ['large', 'unauthorized'],
      ['no such', 'unauthorized'],
    ]);
  });

  it.each(['models.stream', 'models.rerank', 'models.count_tokens'] as const)(
    'a model that was granted for invoke is refused to %s (check 27)',
    async (method) => {
      const gate = new GateBench(models());
      const run = activeRun('r1');
      const small = (name: ApiMethodName) => ({ ...everyMethod[name].params, model_id: 'small' }) as JsonObject;
      expect(await gate.call(run, 'models.invoke', small('models.invoke'))).toEqual({});
      expect(await refusal(gate.call(run, method, small(method)))).toMatchObject({ code: 'unauthorized' });
    },
  );

  it('a manifest that asks for more storage than the agent grants gets what both say (case 39)', async () => {
    const gate = new GateBench({
      'storage.list': {
        asks: ({ area }) => ({ family: 'storage', area }),
        serve: async () => ({ keys: [], has_more: false }),
      },
    });
    const run = activeRun('r1', { grants: AgentGrants.parse({ storage: ['plugin'] }) });
    expect(await gate.call(run, 'storage.list', { area: 'plugin' })).toEqual({ keys: [], has_more: false });
    expect(await refusal(gate.call(run, 'storage.list', { area: 'workspace' }))).toMatchObject({
      code: 'unauthorized',
    });
    expect(gate.rows.map((row) => [row.scope, row.result])).toEqual([
      ['plugin', 'ok'],
      ['workspace', 'unauthorized'],
    ]);
  });

  it('an identity in the payload changes nothing (check 31)', async () => {
    const { reached, ask } = bench();
    const forged = { caller: 'another package', package_name: 'x', runner_id: 'x', agent_id: 'x', workspace_id: 'x' };
    await ask(activeRun('r1'), 'state.get', forged);
    expect(reached).toEqual([['state.get', { run_id: 'r1', scope: 'conversation', key: 'k' }]]);
  });

  it('an id of another conversation is not found, in the same words as one that does not exist', async () => {
    const { subject_id: _, ...target } = scope;
    const targets: Record<string, typeof target | null> = {
      foreign: { ...target, conversation_id: 'd' },
      absent: null,
    };
    const gate = new GateBench({
      'events.get': {
        asks: ({ event_id }) => ({ family: 'events', operation: 'get', target: targets[event_id] ?? null }),
        serve: () => Promise.reject(new Error('it was served')),
      },
    });
    const run = activeRun('r1');
    const foreign = await refusal(gate.call(run, 'events.get', { event_id: 'foreign' }));
    const absent = await refusal(gate.call(run, 'events.get', { event_id: 'absent' }));
    expect((foreign as ApiError).toJSON()).toEqual((absent as ApiError).toJSON());
    expect((foreign as ApiError).code).toBe('not_found');
    expect(gate.rows.map(({ resource, scope: reach }) => [resource, reach])).toEqual([
      ['foreign', 'conversation'],
      ['absent', 'conversation'],
    ]);
  });
});

describe('a run that ends while it is being answered', () => {
  function slow() {
    let answer: (value: unknown) => void = () => undefined;
    const services = servingAll(() => new Promise((resolve) => (answer = resolve)));
    return { gate: new GateBench(services), answer: () => answer({ done: true }) };
  }

  it('gets no answer (SR-INV-R2)', async () => {
    const { gate, answer } = slow();
    const run = activeRun('r1');
    const calling = refusal(gate.call(run, 'interactions.wait', { interaction_id: 'i' }));
    await new Promise((resolve) => setImmediate(resolve));
    run.end();
    expect(await calling).toMatchObject(noRun);
    answer();
    await new Promise((resolve) => setImmediate(resolve));
    expect(gate.rows).toMatchObject([{ action: 'interactions.wait', result: 'unauthorized' }]);
  });

  it('at its deadline gets that as its reason', async () => {
    const { gate } = slow();
    const run = activeRun('r1');
    run.deadline_at = gate.clock.now() + 1000;
    const calling = refusal(gate.call(run, 'interactions.wait', { interaction_id: 'i' }));
    await new Promise((resolve) => setImmediate(resolve));
    gate.clock.advance(1000);
    run.end();
    expect(await calling).toMatchObject({ code: 'deadline_exceeded' });
  });

  it('is not served if it ends while what it names is looked up', async () => {
    const run = activeRun('r1');
    const gate = new GateBench({
      'runs.list': {
        async asks() {
          run.end();
          return { family: 'runs', operation: 'list' };
        },
        serve: () => Promise.reject(new Error('it was served')),
      },
    });
    expect(await refusal(gate.call(run, 'runs.list', {}))).toMatchObject(noRun);
  });
});

test('a call succeeds exactly if run, caller, grant, scope, deadline and rate allow it, and each has its row (SR-INV-R2, SR-INV-R4)', async () => {
  const { subject_id: _, ...own } = scope;
  const attempt = fc.record({
    isLive: fc.boolean(),
    isOwn: fc.boolean(),
    isGranted: fc.boolean(),
    isInScope: fc.boolean(),
    isInTime: fc.boolean(),
    isMany: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { maxLength: 6 }), async (attempts) => {
      let inScope = true;
      const gate = new GateBench(
        {
          'events.get': {
            asks: () => {
              const target = inScope ? own : { ...own, conversation_id: 'another' };
              return { family: 'events', operation: 'get', target };
            },
            serve: async () => ({}) as never,
          },
        },
        { calls: 1, bytes: 1000 },
      );
      const words: string[] = [];
      for (const { isLive, isOwn, isGranted, isInScope, isInTime, isMany } of attempts) {
        const run = activeRun('r1', isGranted ? {} : { grants: grantsNothing });
        if (isMany) await gate.call(run, 'events.get', { event_id: 'e' }).catch(() => null);
        if (!isLive) run.end();
        if (!isInTime) run.deadline_at = gate.clock.now();
        inScope = isInScope;
        const caller = isOwn ? 'fixture' : 'another';
        const outcome = await gate.call(run, 'events.get', { event_id: 'e' }, { caller }).then(
          () => 'ok',
          (error: unknown) => (error instanceof ApiError ? error.code : 'a fault'),
        );
        inScope = true;
        words.push(outcome);
        const isTooOften = isMany && isGranted;
        const isRight = isLive && isOwn && isGranted && isInScope && isInTime && !isTooOften;
        expect(outcome === 'ok').toBe(isRight);
        if (isMany) words.splice(-1, 0, isGranted ? 'ok' : 'unauthorized');
      }
      expect(gate.rows.map(({ result }) => result)).toEqual(words);
    }),
  );
});

test('what a service refuses with reaches the caller, and a fault of the host does not', async () => {
  const fault = new Error('secret of the host');
  const errors = [new ApiError('not_found', 'gone', { details: { reason: 'EXPIRED' } }), fault];
  const gate = new GateBench(servingAll(() => Promise.reject(errors.shift())));
  const run = activeRun('r1');
  expect(await refusal(gate.call(run, 'prompt.get', {}))).toMatchObject({ code: 'not_found' });
  // The connection turns what is no ApiError into an answer without words, and its log gets the rest.
  expect(await refusal(gate.call(run, 'prompt.get', {}))).toBe(fault);
  expect(gate.rows).toMatchObject([
    { result: 'not_found', details: { reason: 'EXPIRED' } },
    { result: 'runtime_error' },
  ]);
  expect(JSON.stringify(gate.rows)).not.toContain('secret of the host');
});

test('a row names what the call was about and none of its values', async () => {
  const { gate, ask } = bench();
  await ask(activeRun('r1'), 'state.set', { key: 'token', value: 'hunter2' });
  expect(gate.rows).toEqual([
    {
      at: gate.clock.now(),
      workspace_id: 'w',
      actor: 'runner:fixture',
      session_id: 'c',
      run_id: 'r1',
      runner_id: 'fixture',
      action: 'state.set',
      resource: 'token',
      scope: 'conversation',
      result: 'ok',
      details: { package: 'fixture', bytes: 100, agent_id: 'guide', turn_id: 'turn of r1' },
    },
  ]);
});

test('what a person or a policy does not allow is held against no run, however often it is wanted', async () => {
  const gate = new GateBench(
    servingAll(() => {
      throw new ApiError('unauthorized', 'A person did not allow it.', { details: { reason: 'TOOL_DENIED' } });
    }),
  );
  const run = activeRun('r1');
  for (let n = 0; n < 2 * limits.run_refusals; n += 1) {
    expect(await refusal(gate.call(run, 'tools.call', { tool_name: 'weather' }))).toMatchObject({
      code: 'unauthorized',
    });
  }
  expect(gate.failed).toEqual([]);
  expect(gate.rows).toHaveLength(2 * limits.run_refusals);
});
