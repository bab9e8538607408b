import { inParts } from '@rostra/protocol/runner/context-part';
import { AgentResources } from '@rostra/protocol/runner/resources';
import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { text } from '../src/result.ts';
import { testContext } from '../src/test-context.ts';
import { settle, stage } from './stage.ts';

const runner_id = 'test/stage/default';

function whole(run_id: string, name: string): AgentRunContext {
  const resources = AgentResources.parse({ history: { operations: ['page'], scope: 'conversation' } });
  return testContext({ run_id, text: 'hello', config: { name, nested: { list: [1] } }, context: { resources } });
}

/** A runner that keeps what it was told, and a host that tells it in parts. */
async function told(version?: string, act: (context: AgentRunContext) => void = () => undefined) {
  const contexts: AgentRunContext[] = [];
  const { host, list, warnings } = stage(async function* (context) {
    contexts.push(context);
    act(context);
    yield text('a');
  });
  await list(version);
  const run = (request: object) => host.request('RUN_AGENT', { runner_id, runner_name: 'default', ...request });
  const keep = (part: unknown, context: unknown) => host.notify('CONTEXT_PART', { part, context });
  return { contexts, run, keep, warnings };
}

test.each([undefined, '1.9'])(
  'a run of a host of version %s gets the context that its parts are of',
  async (version) => {
    const { contexts, run, keep } = await told(version);
    const [guide, scout] = [whole('r1', 'guide'), whole('r2', 'scout')];
    keep(0, inParts(guide).part);
    keep(limits.context_parts - 1, inParts(scout).part);
    await run({ part: limits.context_parts - 1, context: inParts(scout).own });
    await run({ part: 0, context: inParts(guide).own });
    const resources = { ...guide.resources, history: {} };
    const delivery = { ...guide.delivery, surface: 'elsewhere' };
    await run({ part: 0, context: { ...inParts(guide).own, resources, delivery } });
    expect(contexts).toEqual([scout, guide, { ...guide, resources, delivery }]);
    expect(contexts.map((context) => Object.keys(context))).toEqual(contexts.map(() => Object.keys(guide)));
  },
);

test('a part that comes again takes the place of the one before; one that is none leaves the place empty', async () => {
  const { contexts, run, keep, warnings } = await told();
  const { part, own } = inParts(whole('r1', 'guide'));
  keep(3, part);
  keep(3, { ...part, config: { name: 'scout' } });
  await run({ part: 3, context: own });
  expect(contexts[0]?.config).toEqual({ name: 'scout' });
  keep(3, { ...part, config: 7 });
  await expect(run({ part: 3, context: own })).rejects.toMatchObject({ code: 'invalid_argument' });
  keep(limits.context_parts, part);
  await settle();
  expect(warnings).toHaveLength(2);
});

test('a run whose part was not told is refused, and the connection stays usable', async () => {
  const { run, contexts } = await told();
  const context = whole('r1', 'guide');
  const { own } = inParts(context);
  const refusal = { code: 'invalid_argument', message: 'This connection was told no part 5.' };
  await expect(run({ part: 5, context: own })).rejects.toMatchObject(refusal);
  await expect(run({ part: 'x', context: own })).rejects.toMatchObject({ code: 'invalid_argument' });
  await run({ context });
  expect(contexts).toEqual([context]);
});

test('no run can change what others are told, however its context came', async () => {
  const changes: ((context: AgentRunContext) => unknown)[] = [
    ({ config }) => Object.assign(config, { name: 'mine' }),
    ({ config }) => Object.assign(Object(config.nested), { list: [] }),
    ({ resources }) => resources.tools.push(),
    ({ resources }) => Object.assign(resources.history, { scope: 'workspace' }),
    ({ context }) => Object.assign(context.available_apis, { state: true }),
    ({ runtime }) => Object.assign(runtime.static_refs, { other: 1 }),
    ({ delivery }) => Object.assign(delivery, { surface: 'mine' }),
  ];
  const { contexts, run, keep } = await told(undefined, (context) => {
    for (const change of changes) expect(() => change(context)).toThrow(TypeError);
    // What is the run's own is its own.
    context.state.conversation.mine = true;
    context.metadata.mine = true;
  });
  const context = whole('r1', 'guide');
  const { part, own } = inParts(context);
  keep(0, part);
  await run({ context });
  await run({ part: 0, context: own });
  await run({ part: 0, context: own });
  const seen = { ...context, state: { ...context.state, conversation: { mine: true } }, metadata: { mine: true } };
  expect(contexts).toEqual([seen, seen, seen]);
});
