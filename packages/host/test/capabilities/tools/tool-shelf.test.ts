import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, test, vi } from 'vitest';
import type { Model, ModelRequest } from '../../../src/capabilities/models/model.ts';
import type { ToolSource } from '../../../src/capabilities/tools/tool-source.ts';
import { ManualClock } from '../../manual-clock.ts';
import { bench, isFailed, isReady, wild } from './shelf-bench.ts';

const own: ToolSource = {
  offers: () => [
    {
      policy: 'allow',
      resource: {
        tool_name: 'time',
        tool_type: 'host',
        owner: 'host',
        description: 'Tells the time.',
        parameters: {},
        operations: ['detail', 'call'],
      },
    },
  ],
  call: async () => ({ content: 'noon', is_error: false, files: [] }),
  close: async () => undefined,
};

test('tools of the host stand beside those of the servers', async () => {
  const { shelf, when, call } = bench({ wild: wild() }, { own });
  expect(shelf.offers().map(({ tool_name }) => tool_name)).toEqual(['time']);
  await when('wild', isReady);
  expect(shelf.offers().map(({ tool_name }) => tool_name)).toContain('wild__look');
  expect(shelf.find('time')?.source).toBe(own);
  expect(await call('time')).toMatchObject({ content: 'noon' });
  expect(shelf.find('wild__nothing')).toBeNull();
});

test('a new configuration closes what is gone or other, and leaves alone what is the same', async () => {
  const pids = new Set<number>();
  const processes = { add: (pid: number) => pids.add(pid), remove: (pid: number) => pids.delete(pid) };
  const { shelf, when, call } = bench({ same: wild(), other: wild(), gone: wild() }, { processes });
  await Promise.all(['same', 'other', 'gone'].map((id) => when(id, isReady)));
  await call('same__count');
  await call('other__count');
  shelf.apply(
    { servers: { same: wild(), other: wild('plain', { policy: 'allow' }) } },
    { same: wild('broken'), stored: wild('plain', { enabled: false }) },
  );
  await when('other', isReady);
  expect(await call('same__count')).toMatchObject({ content: '2' });
  expect(await call('other__count')).toMatchObject({ content: '1' });
  expect(shelf.find('other__count')?.tool.policy).toBe('allow');
  expect(shelf.find('gone__count')).toBeNull();
  await vi.waitFor(() => expect(pids.size).toBe(2));
  expect(shelf.status().map(({ server_id, source, state }) => [server_id, source, state])).toEqual([
    ['other', 'file', 'ready'],
    ['same', 'file', 'ready'],
    ['stored', 'store', 'disabled'],
  ]);
  await expect(shelf.approve('stored', 'user:owner')).rejects.toMatchObject({ code: 'invalid_argument' });
});

test('a server that was lost is reached again by itself, and its tools stay offered meanwhile', async () => {
  const clock = new ManualClock();
  const { shelf, when, call } = bench({ wild: wild() }, { clock });
  await when('wild', isReady);
  await expect(call('wild__die')).rejects.toMatchObject({ retryable: true });
  const { retry_at, problem } = await when('wild', isFailed);
  expect(problem).toMatch(/^The program of the tool server wild ended with code 3\./);
  expect(shelf.find('wild__look')).not.toBeNull();
  clock.advance((retry_at ?? 0) - clock.now());
  expect(await when('wild', isReady)).toMatchObject({ problem: null, retry_at: null });
});

test('however often a server says that its tools changed, it is asked once in a while', async () => {
  const clock = new ManualClock();
  const { when, call, audit } = bench({ wild: wild() }, { clock });
  await when('wild', isReady);
  for (let n = 0; n < 20; n += 1) await call('wild__change');
  expect(clock.armed).toBe(1);
  expect(audit).toEqual([]);
  clock.advance(limits.tool_list_pause);
  await when('wild', ({ tools }) => tools.some(({ approval }) => approval === 'changed'));
  expect(audit).toHaveLength(1);
});

test('a server that floods the host with notifications is cut off', async () => {
  const { when } = bench({ wild: wild('flood') });
  const { problem } = await when('wild', isFailed);
  expect(problem).toBe('The tool server wild sent more notifications than can be read.');
});

test.each(['answers', 'blank'])(
  'a server that floods the host with what nobody asked for is cut off: %s',
  async (manner) => {
    const { when } = bench({ wild: wild(manner) });
    const { problem } = await when('wild', isFailed);
    expect(problem).toBe('The tool server wild sent more notifications than can be read.');
  },
);

test('what is configured for a server is what it may ask: folders, a person, a model', async () => {
  const requests: ModelRequest[] = [];
  const model: Pick<Model, 'model_id' | 'invoke'> = {
    model_id: 'small',
    invoke: async (request) => {
      requests.push(request);
      return { message: { role: 'assistant', content: '42' }, finish_reason: 'stop', usage: null };
    },
  };
  const models = { find: (id: string) => (id === 'small' ? model : null) };
  const config = wild('plain', { roots: ['/srv/notes'], elicitation: true, sampling: 'small' });
  const { when, call } = bench({ wild: config }, { models });
  await when('wild', isReady);
  const questions: JsonObject[] = [];
  const ask = async (question: JsonObject) => {
    questions.push(question);
    return { action: 'submit', values: { name: 'Ada', size: 'large' } };
  };
  const { content } = await call('wild__ask', {}, { ask });
  expect(JSON.parse(String(content))).toEqual({
    sampling: { model: 'small', role: 'assistant', content: { type: 'text', text: '42' }, stopReason: 'endTurn' },
    roots: { roots: [{ uri: 'file:///srv/notes', name: 'notes' }] },
    elicitation: { action: 'accept', content: { name: 'Ada', size: 'large' } },
    login: -32602,
  });
  expect(requests).toMatchObject([{ messages: [{ role: 'user', content: 'What is 6 × 7?' }], tools: [] }]);
  expect(questions).toMatchObject([
    {
      kind: 'form',
      title: 'The tool server wild asks',
      body: 'Who are you?',
      fields: [
        { id: 'name', label: 'Name', type: 'string', required: true },
        { id: 'size', type: 'select', options: [{ value: 'small' }, { value: 'large' }] },
      ],
    },
  ]);
});

test('a person who declines, or cannot be asked, has not agreed', async () => {
  const { when, call } = bench({ wild: wild('plain', { elicitation: true }) });
  await when('wild', isReady);
  const told = async (ask?: () => Promise<{ action: string | null; values: JsonObject }>) =>
    JSON.parse(String((await call('wild__ask', {}, ask === undefined ? {} : { ask })).content)).elicitation;
  expect(await told(async () => ({ action: 'cancel', values: {} }))).toEqual({ action: 'decline' });
  expect(await told(async () => ({ action: null, values: {} }))).toEqual({ action: 'cancel' });
  expect(await told()).toEqual({ action: 'decline' });
});

test('the time that a person takes does not count against a call', async () => {
  const clock = new ManualClock();
  const { when, call } = bench({ wild: wild('plain', { elicitation: true, timeout: 1000 }) }, { clock });
  await when('wild', isReady);
  const ask = async () => {
    clock.advance(60_000);
    return { action: 'submit', values: { name: 'Ada' } };
  };
  expect(await call('wild__ask', {}, { ask })).toMatchObject({ is_error: false });
});
