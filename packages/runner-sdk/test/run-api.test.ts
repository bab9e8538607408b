import { apiMethods } from '@rostra/protocol/api/api-methods';
import { isJsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { completed, text } from '../src/result.ts';
import type { RunApi } from '../src/run-api.ts';
import { defineRunner, type RunFunction } from '../src/runner.ts';
import { type TestHostOptions, testHost } from '../src/testing.ts';
import { runContext } from './run-context.ts';
import { settle, stage } from './stage.ts';

const manifest = { id: 'test/api/default', name: 'default', label: {} };

function hosted(run: RunFunction, options: TestHostOptions = {}) {
  return testHost(defineRunner({ manifest, run }), options);
}

/** What the one call of a run came to. */
async function outcomeOf(call: (api: RunApi) => Promise<unknown>, options?: TestHostOptions) {
  let outcome: unknown;
  const host = hosted(async function* (_, { api }) {
    outcome = await call(api).catch((error: unknown) => error);
    yield completed();
  }, options);
  await host.run('go').ended;
  await host.close();
  return { outcome, calls: host.calls };
}

test('every method of the table has its function', async () => {
  let names: string[] = [];
  const host = hosted(async function* (_, { api }) {
    names = Object.entries(api).flatMap(([family, calls]) => Object.keys(calls).map((name) => `${family}.${name}`));
    yield completed();
  });
  await host.run('go').ended;
  expect(names).toEqual(expect.arrayContaining(Object.keys(apiMethods)));
  await host.close();
});

test('a call carries the id of its run, and what it leaves out has its default', async () => {
  const page = { items: [], next_cursor: null, prev_cursor: null, has_more: false };
  const { outcome, calls } = await outcomeOf((api) => api.history.page({ limit: 3 }), {
    api: { 'history.page': () => page },
  });
  expect(outcome).toEqual(page);
  const asked = { run_id: 'run-1', limit: 3, direction: 'backward', include_artifacts: false };
  expect(calls).toMatchObject([{ method: 'history.page', params: asked }]);
});

test('a refusal of the host is thrown as it is', async () => {
  const { outcome } = await outcomeOf((api) => api.tools.call({ tool_name: 'hammer' }));
  expect(outcome).toMatchObject({ code: 'unauthorized', message: 'This test grants no tools.call.' });
});

test('what available_apis closes is refused without asking', async () => {
  const { outcome, calls } = await outcomeOf((api) => api.state.get({ scope: 'runner', key: 'k' }));
  expect(outcome).toMatchObject({ code: 'unauthorized', details: { hint: expect.any(String) } });
  expect(calls).toEqual([]);
});

test('params that are none are refused with the place, without asking', async () => {
  const { outcome, calls } = await outcomeOf((api) => api.tools.call({ tool_name: '' }));
  expect(outcome).toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/^tools\.call: tool_name: /),
  });
  expect(calls).toEqual([]);
});

/** One call over a connection where time is moved by hand. */
function called(call: (api: RunApi) => Promise<unknown>, deadlineAt: number | null) {
  const outcomes: unknown[] = [];
  const staged = stage(async function* (_, { api }) {
    outcomes.push(await call(api).catch((error: unknown) => error));
    yield completed();
  });
  const context = runContext('r1');
  const request = {
    runner_id: 'test/stage/default',
    runner_name: 'default',
    context: { ...context, runtime: { ...context.runtime, deadline_at: deadlineAt } },
  };
  return { ...staged, outcomes, started: staged.host.request('RUN_AGENT', request) };
}
const never = () => new Promise(() => undefined);
const detail = (api: RunApi) => api.tools.get_detail({ tool_name: 'x' });
const nowInSeconds = 1_000_000;

test('an answer that is none is a fault of the host', async () => {
  const { host, outcomes, started } = called(detail, null);
  host.onRequest('tools.get_detail', () => ({ tool: 7 }));
  await started;
  expect(outcomes).toMatchObject([{ code: 'runtime_error', message: expect.stringContaining('tools.get_detail') }]);
});

test('a host that does not know the method says so', async () => {
  const { outcomes, started } = called(detail, null);
  await started;
  expect(outcomes).toMatchObject([{ code: 'not_found' }]);
});

test('a call is waited for up to its cap', async () => {
  const { host, timers, outcomes } = called((api) => api.models.count_tokens(aQuestion), null);
  host.onRequest('models.count_tokens', never);
  await settle();
  timers.advance(limits.api_call_model - 1);
  await settle();
  expect(outcomes).toEqual([]);
  timers.advance(1);
  await settle();
  expect(outcomes).toMatchObject([{ code: 'deadline_exceeded' }]);
});

test('but no longer than the deadline of the run (RP-9.2)', async () => {
  const { host, timers, outcomes } = called(detail, nowInSeconds + 5);
  host.onRequest('tools.get_detail', never);
  await settle();
  timers.advance(4999);
  await settle();
  expect(outcomes).toEqual([]);
  timers.advance(1);
  await settle();
  expect(outcomes).toMatchObject([{ code: 'deadline_exceeded' }]);
});

test('an answer in pieces may take longer than any cap, and no longer than the run', async () => {
  const words: string[] = [];
  const listen = async (api: RunApi) => {
    for await (const { content = '' } of api.models.stream(aQuestion)) words.push(content);
  };
  const { host, timers, outcomes } = called(listen, nowInSeconds + 600);
  let id: unknown;
  host.onRequest('models.stream', (_, given) => {
    id = given;
    return never();
  });
  await settle();
  timers.advance(limits.api_call_model + 1);
  host.notify('CALL_CHUNK', { id, chunk: { content: 'late' } });
  await settle();
  expect([words, outcomes]).toEqual([['late'], []]);
  timers.advance(600_000 - limits.api_call_model - 1);
  await settle();
  expect(outcomes).toMatchObject([{ code: 'deadline_exceeded' }]);
});

test('a call of a tool is waited for as long as its host lets it: a person may be asked in it', async () => {
  let answer: (result: unknown) => void = () => undefined;
  const calls = async (api: RunApi) => [await api.tools.call({ tool_name: 'x' }), await detail(api)];
  const { host, timers, outcomes, started } = called(calls, nowInSeconds + 5);
  host.onRequest('tools.call', () => new Promise((resolve) => (answer = resolve)));
  host.onRequest('tools.get_detail', () => ({ tool: { name: 'x', description: '', parameters: {} } }));
  await settle();
  timers.advance(24 * 60 * 60_000);
  await settle();
  expect(outcomes).toEqual([]);
  answer({ result: 7 });
  await started;
  expect(outcomes).toMatchObject([[{ result: 7 }, { tool: { name: 'x' } }]]);
});

test('after the deadline a call fails at once and is not sent', async () => {
  let isAsked = false;
  const { host, outcomes, started } = called(detail, nowInSeconds);
  host.onRequest('tools.get_detail', () => {
    isAsked = true;
  });
  await started;
  expect(outcomes).toMatchObject([{ code: 'deadline_exceeded' }]);
  expect(isAsked).toBe(false);
});

test('a caller may wait for less, and not for more', async () => {
  const { host, timers, outcomes } = called(
    (api) => api.tools.get_detail({ tool_name: 'x' }, { timeout: 10 }),
    nowInSeconds + 5,
  );
  host.onRequest('tools.get_detail', never);
  await settle();
  timers.advance(10);
  await settle();
  expect(outcomes).toMatchObject([{ code: 'deadline_exceeded' }]);
});

test('a host is told of a call that was given up or took too long, and of no other', async () => {
  const given = new AbortController();
  const calls = async (api: RunApi) => {
    await detail(api);
    const late = api.tools.get_detail({ tool_name: 'late' }, { timeout: 10 }).catch((error: unknown) => error);
    const left = api.tools.get_detail({ tool_name: 'left' }, { signal: given.signal }).catch((error: unknown) => error);
    return Promise.all([late, left]);
  };
  const { host, timers, started } = called(calls, null);
  const ids = new Map<unknown, unknown>();
  const cancelled: unknown[] = [];
  host.onRequest('tools.get_detail', (params, id) => {
    const name = isJsonObject(params) ? params.tool_name : null;
    ids.set(name, id);
    return name === 'x' ? { tool: { name: 'x', description: '', parameters: {} } } : never();
  });
  host.onNotification('CALL_CANCEL', (params) => void cancelled.push(params));
  await settle();
  timers.advance(10);
  given.abort();
  await started;
  await settle();
  expect(cancelled).toEqual([{ id: ids.get('late') }, { id: ids.get('left') }]);
});

test('a cancel of the run ends its call', async () => {
  const { host, outcomes, started, cancel } = called(detail, null);
  host.onRequest('tools.get_detail', never);
  await settle();
  await Promise.all([cancel(), started]);
  expect(outcomes).toMatchObject([{ name: 'AbortError' }]);
});

const aQuestion = { model_id: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
const anAnswer = { message: { role: 'assistant' as const, content: 'ab' }, finish_reason: 'stop', usage: null };

test('a stream delivers its pieces in order and then its result', async () => {
  const host = hosted(
    async function* (_, { api }) {
      const stream = api.models.stream(aQuestion);
      for await (const { content = '' } of stream) yield text(content);
      yield text(` ${(await stream.result).finish_reason}`);
    },
    {
      api: {
        'models.stream': (_, send) => {
          send({ content: 'a', is_final: false });
          send({ content: 'b', is_final: true });
          return anAnswer;
        },
      },
    },
  );
  const run = host.run('go');
  expect(await run.ended).toMatchObject([expect.any(Number), 'run.completed', {}]);
  expect(run.text).toBe('ab stop');
  await host.close();
});

test('a stream that breaks half way delivers what came before, then one error', async () => {
  const host = hosted(
    async function* (_, { api }) {
      for await (const { content = '' } of api.models.stream(aQuestion)) yield text(content);
    },
    {
      api: {
        'models.stream': (_, send) => {
          send({ content: 'a', is_final: false });
          throw new Error('the model is gone');
        },
      },
    },
  );
  const run = host.run('go');
  expect(await run.ended).toMatchObject([2, 'run.failed', { code: 'runner.error', message: 'the model is gone' }]);
  expect(run.text).toBe('a');
  await host.close();
});

test('to stop reading gives the stream up, and the host is told', async () => {
  const cancelled: unknown[] = [];
  const staged = stage(async function* (_, { api }) {
    for await (const { content = '' } of api.models.stream(aQuestion)) {
      yield text(content);
      break;
    }
  });
  staged.host.onRequest('models.stream', (_, id) => {
    staged.host.notify('CALL_CHUNK', { id, chunk: { content: 'a' } });
    return never();
  });
  staged.host.onNotification('CALL_CANCEL', (params) => void cancelled.push(params));
  await staged.run();
  expect(staged.text()).toBe('a');
  expect(cancelled).toEqual([{ id: expect.any(Number) }]);
});
