import type { InteractionOutcome } from '@rostra/runner-sdk';
import { ApiError } from '@rostra/runner-sdk';
import { type ApiAnswers, testHost } from '@rostra/runner-sdk/testing';
import { expect, test } from 'vitest';
import { demoRunner } from '../src/runner.ts';
import { asked } from './asked.ts';
import { runContext } from './run-context.ts';

const demo = demoRunner({ now: () => new Date(0), roll: (sides) => sides, exit: () => undefined });
const open: InteractionOutcome = { interaction_id: 'q', status: 'open', action: null, values: {} };

async function said(text: string, api: ApiAnswers): Promise<string> {
  const host = testHost(demo, { api });
  const run = host.run(text);
  await run.ended;
  await host.close();
  return run.text;
}

test.each([
  ['confirm', 'submitted', 'You confirmed it, so on we go.'],
  ['cancel', 'submitted', 'You said no, so I leave it.'],
  [null, 'expired', 'Nobody answered in time, so I leave it.'],
] as const)('/ask goes on by the answer: %s', async (action, status, end) => {
  const text = await said('/ask', {
    'interactions.request': () => open,
    'interactions.wait': ({ interaction_id }) => ({ interaction_id, status, action, values: {} }),
  });
  expect(text).toBe(`I have a question for you. ${end}`);
});

test('/ask where questions are not granted says so', async () => {
  const refuse = () => {
    throw new ApiError('unauthorized', 'no');
  };
  expect(await said('/ask', { 'interactions.request': refuse })).toMatch(/I may not ask you anything/);
});

test('/ask that goes on after a restart asks nothing again and says only what is new', async () => {
  const earlier = 'I have a question for you. ';
  const interaction_answer = { interaction_id: 'q', action_id: 'confirm', values: {} };
  const metadata = { resume: { attempt: 2, said: earlier, interaction_answer } };
  const api = { interactions: {} } as never;
  const { said: now } = await asked({ ...runContext('/ask'), metadata }, { tools: { api } });
  expect(now).toBe('You confirmed it, so on we go.');
});

test('/handover asks for the agent with the reason that was given', async () => {
  const { results, said: words } = await asked(runContext('/handover scout needs more detail'));
  expect(words).toContain('scout');
  expect(results.at(-1)).toMatchObject({
    type: 'action.requested',
    data: {
      action: 'session.handover',
      target: { agent_id: 'scout' },
      payload: { reason: 'needs more detail', summary: expect.any(String) },
    },
  });
});

const weather = { tool_name: 'get_weather', tool_type: 'client', owner: null, description: 'd', parameters: {} };
const offering = (...names: string[]) => ({
  ...runContext(null).resources,
  tools: names.map((tool_name) => ({ ...weather, tool_name, operations: ['call' as const] })),
});

test('/client-tool says what the application’s tool came to', async () => {
  const context = { ...runContext('/client-tool get_weather {"city": "Oslo"}'), resources: offering('get_weather') };
  const call = async (params: object) => ({ result: { ...params, sky: 'clear' } });
  const { said: words } = await asked(context, { tools: { api: { tools: { call } } as never } });
  expect(words).toBe('get_weather says: {"tool_name":"get_weather","parameters":{"city":"Oslo"},"sky":"clear"}');
});

test('/client-tool with two names calls both before it waits for either', async () => {
  const context = { ...runContext('/client-tool a,b {}'), resources: offering('a', 'b') };
  const waiting: (() => void)[] = [];
  const call = async ({ tool_name }: { tool_name: string }) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 2) for (const each of waiting) each();
    });
    if (tool_name === 'b') throw new ApiError('runtime_error', 'The client’s tool "b" failed: no');
    return { result: 'done' };
  };
  const { said: words } = await asked(context, { tools: { api: { tools: { call } } as never } });
  expect(words).toBe('a says: done\nThe client’s tool "b" failed: no');
});

test('/client-tool names what the application offers when it has no such tool', async () => {
  const context = { ...runContext('/client-tool c {}'), resources: offering('a', 'b') };
  expect((await asked(context)).said).toBe('Your application offers no c; it offers a, b.');
});
