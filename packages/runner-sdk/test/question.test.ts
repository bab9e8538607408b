import { expect, test } from 'vitest';
import { text } from '../src/result.ts';
import { defineRunner, type RunFunction } from '../src/runner.ts';
import { type ApiAnswers, testHost } from '../src/testing.ts';
import { runContext } from './run-context.ts';
import { settle, stage } from './stage.ts';

const manifest = { id: 'test/question/default', name: 'default', label: {} };
const question = { kind: 'confirmation', title: 'Sure?' } as const;
const open = { interaction_id: 'q1', status: 'open', action: null, values: {} } as const;

const asking: RunFunction = async function* (_, run) {
  const { status, action } = await run.ask(question);
  yield text(`${status} ${action}`);
};

async function ran(api: ApiAnswers) {
  const host = testHost(defineRunner({ manifest, run: asking }), { api });
  const run = host.run('go');
  await run.ended;
  await host.close();
  return { said: run.text, methods: host.calls.map(({ method }) => method) };
}

test('a question is put and waited for', async () => {
  const { said, methods } = await ran({
    'interactions.request': () => open,
    'interactions.wait': () => ({ ...open, status: 'submitted', action: 'yes' }),
  });
  expect({ said, methods }).toEqual({ said: 'submitted yes', methods: ['interactions.request', 'interactions.wait'] });
});

test('one that cannot be put is not waited for', async () => {
  const { said, methods } = await ran({ 'interactions.request': () => ({ ...open, status: 'delivery_failed' }) });
  expect({ said, methods }).toEqual({ said: 'delivery_failed null', methods: ['interactions.request'] });
});

test('time in which a person is waited for is none of the run', async () => {
  const nowInSeconds = 1_000_000;
  let answer: (outcome: object) => void = () => undefined;
  const outcomes: unknown[] = [];
  const staged = stage(async function* (_, run) {
    outcomes.push(await run.ask(question));
    outcomes.push(await run.api.tools.call({ tool_name: 'x' }));
    yield text('done');
  });
  const { host, clock } = staged;
  host.onRequest('interactions.request', () => open);
  host.onRequest('interactions.wait', () => new Promise((resolve) => (answer = resolve)));
  host.onRequest('tools.call', () => ({ result: 7 }));
  const context = runContext('r1');
  const runtime = { ...context.runtime, deadline_at: nowInSeconds + 5 };
  const request = { runner_id: 'test/stage/default', runner_name: 'default', context: { ...context, runtime } };
  const started = host.request('RUN_AGENT', request);
  await settle();
  clock.now += 3_600_000;
  staged.timers.advance(3_600_000);
  await settle();
  answer({ ...open, status: 'submitted', action: 'yes' });
  await started;
  expect(outcomes).toMatchObject([{ status: 'submitted' }, { result: 7 }]);
});
