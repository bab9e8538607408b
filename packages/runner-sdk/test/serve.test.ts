import { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import { limits } from '@rostra/protocol/wire/limits';
import { PROTOCOL_VERSION } from '@rostra/protocol/wire/method';
import { memoryChannels } from '@rostra/transport/memory-channel';
import { expect, test } from 'vitest';
import { text } from '../src/result.ts';
import { defineRunner } from '../src/runner.ts';
import { serve } from '../src/serve.ts';
import { runContext } from './run-context.ts';
import { settle, stage } from './stage.ts';

const A_WHILE = 60_000;

async function* silent() {
  // Ends without a result.
}

test('the runners of the package are listed with whole manifests and the version of the protocol', async () => {
  const { list } = stage(silent);
  const answer = await list();
  expect(answer).toMatchObject({ protocol_version: PROTOCOL_VERSION, runners: [{ id: 'test/stage/default' }] });
  const { runners } = answer as { runners: unknown[] };
  expect(AgentRunnerManifest.parse(runners[0])).toEqual(runners[0]);
});

test('a list request without params is answered', async () => {
  const { host } = stage(silent);
  expect(await host.request('LIST_AGENT_RUNNERS')).toMatchObject({ protocol_version: PROTOCOL_VERSION });
});

test.each([
  ['1.9', undefined],
  ['1', undefined],
  ['2.0', /host speaks runner protocol 2\.0, this runner 1\.2: upgrade the runner package/],
  ['0.9', /upgrade the host\.$/],
  ['latest', /upgrade the host\.$/],
])('to a host of version %s the answer says who must upgrade, if anyone', async (version, sentence) => {
  const answer = stage(silent).list(version);
  if (sentence === undefined) await expect(answer).resolves.toBeDefined();
  else await expect(answer).rejects.toThrow(sentence);
});

test('an unknown runner is refused', async () => {
  const { host } = stage(silent);
  const request = { runner_id: 'other', runner_name: 'default', context: runContext('r1') };
  await expect(host.request('RUN_AGENT', request)).rejects.toMatchObject({ code: 'not_found' });
});

test('a context that is none is refused with the place where it breaks', async () => {
  const { host, seen } = stage(silent);
  const { event: _, ...context } = runContext('r1');
  const request = { runner_id: 'test/stage/default', runner_name: 'default', context };
  await expect(host.request('RUN_AGENT', request)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/^context\.event: /),
  });
  await expect(host.request('RUN_AGENT')).rejects.toMatchObject({ code: 'invalid_argument' });
  await expect(host.request('CANCEL_RUN', { run_id: 7 })).rejects.toMatchObject({ code: 'invalid_argument' });
  expect(seen).toEqual([]);
});

test('a host of our own version that sends less than a context is refused, and nothing breaks', async () => {
  const { host, list, run, warnings } = stage(silent);
  await list();
  for (const context of [{ run_id: 'r1' }, { run_id: 'r1', context: {} }, 7]) {
    for (const part of [{}, { part: 0 }]) {
      const request = { runner_id: 'test/stage/default', runner_name: 'default', context, ...part };
      await expect(host.request('RUN_AGENT', request)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  }
  expect(await run('r1')).toEqual({ run_id: 'r1' });
  expect(warnings).toEqual([]);
});

test('a run id that is live is refused; after its end it may come again', async () => {
  const { run, cancel } = stage(async function* (_, { sleep }) {
    yield text('a');
    await sleep(A_WHILE);
  });
  const first = run('r1');
  await settle();
  await expect(run('r1')).rejects.toMatchObject({ code: 'invalid_argument' });
  await Promise.all([cancel('r1'), first]);
  const again = run('r1');
  await settle();
  await Promise.all([cancel('r1'), again]);
});

test('when the host is gone every run is told, and serving ends', async () => {
  const told: string[] = [];
  const { run, host, served } = stage(async function* ({ run_id }, { signal }) {
    yield text('a');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    told.push(run_id);
  });
  for (const id of ['r1', 'r2']) void run(id).catch(() => undefined);
  await settle();
  host.close();
  await served;
  expect(told).toEqual(['r1', 'r2']);
});

test('a run that does not listen keeps serving from ending only for a moment', async () => {
  const { run, host, served, timers } = stage(async function* () {
    yield text('a');
    await new Promise(() => undefined);
  });
  void run().catch(() => undefined);
  await settle();
  host.close();
  await settle();
  timers.advance(limits.runner_stop);
  await served;
  expect(timers.waiting).toBe(0);
});

test('two runners of the same id cannot be served', async () => {
  const [channel] = memoryChannels();
  const twin = defineRunner({ manifest: { id: 'a/b/c', name: 'c', label: {} }, run: silent });
  await expect(serve([twin, twin], { channel })).rejects.toThrow('same id');
});

test('a manifest that is none is refused when it is defined, in one line that says where', () => {
  const wrong = () => defineRunner({ manifest: { id: '', name: 'c', label: {} }, run: silent });
  expect(wrong).toThrow(/^The manifest of the runner "" is wrong at id: .+$/);
});
