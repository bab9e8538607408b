import { randomUUID } from 'node:crypto';
import { HttpAgent as Agent1 } from '@ag-ui/client';
import { HttpAgent as Agent0 } from '@ag-ui/client-0';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';

const host = new HostProcess();
beforeAll(() => host.start());
afterAll(() => host.dispose());

const root = '/api/v1/copilotkit/agent/default';

interface Message {
  id: string;
  role: string;
  content?: unknown;
}

interface Event {
  type: string;
  runId?: string;
  delta?: string;
  code?: string;
  messages?: Message[];
  outcome?: { interrupts: { id: string; reason: string }[] };
  metadata?: { taskId?: string };
}

async function post(path: string, threadId: string, more: object = {}): Promise<Event[]> {
  const body = { threadId, runId: randomUUID(), messages: [], tools: [], context: [], ...more };
  const reply = await host.request('POST', `${root}/${path}`, { body });
  expect(reply.status).toBe(200);
  return [...String(reply.body.text).matchAll(/^data: (.*)$/gm)].map(([, data = '']): Event => JSON.parse(data));
}

const connect = (threadId: string) => post('connect', threadId);
const user = (id: string, content: string) => ({ messages: [{ id, role: 'user', content }] });
const messagesIn = (events: readonly Event[]) => events[1]?.messages ?? [];
const textIn = (events: readonly Event[]) => events.map(({ delta = '' }) => delta).join('');

/** The runs that are told, each by its task. */
function runsIn(events: readonly Event[]): (string | undefined)[] {
  return events.flatMap(({ type, metadata }) => (type === 'RUN_STARTED' ? [metadata?.taskId] : []));
}

describe('who comes back to a thread', () => {
  test('is refused without a word of it when their key has no stream left', async () => {
    const keyed = { name: 'one stream', scopes: ['runs'], streams: 1 };
    const { body: made } = await host.request('POST', '/api/v1/keys', { body: keyed });
    const headers = { authorization: `Bearer ${made.key}` };
    const input = { threadId: randomUUID(), runId: randomUUID(), ...user('u1', '/slow 200 100') };
    const { body: accepted } = await host.request('POST', '/api/v1/agent/runs', { headers, body: input });
    const following = new AbortController();
    const events = `${host.url}/api/v1/agent/runs/${accepted.taskId}/events`;
    await fetch(events, { headers, signal: following.signal });
    const body = { ...input, runId: randomUUID(), messages: [] };
    const refused = await host.request('POST', `${root}/connect`, { headers, body });
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    following.abort();
    await host.request('POST', `/api/v1/agent/runs/${accepted.taskId}/cancel?wait=1`);
  });

  test('is told what is to be answered there, as the run told it, and answers it', async () => {
    const threadId = randomUUID();
    const run = await post('run', threadId, user('u1', '/handover scout x'));
    const outcome = run.at(-1)?.outcome;
    expect(outcome?.interrupts).toMatchObject([{ reason: 'rostra:handover' }]);
    const events = await connect(threadId);
    expect(events.map(({ type }) => type)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    expect(events.at(-1)?.outcome).toEqual(outcome);
    const resume = outcome?.interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved' }));
    const handed = await post('run', threadId, { messages: messagesIn(events), resume });
    expect(handed.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
    expect((await connect(threadId)).at(-1)).not.toHaveProperty('outcome');
  });

  test('is told what goes on and what waits behind it, run after run', async () => {
    const threadId = randomUUID();
    const tasks = [await host.accept('/slow 10 100', { threadId }), await host.accept('/stream 2', { threadId })];
    const events = await connect(threadId);
    expect(messagesIn(events).map(({ content }) => content)).toEqual(['/slow 10 100', '/stream 2']);
    expect(runsIn(events)).toEqual([undefined, ...tasks]);
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('RUN_'))).toEqual(
      Array.from({ length: 3 }, () => ['RUN_STARTED', 'RUN_FINISHED']).flat(),
    );
    const alone = await Promise.all(tasks.map((task) => host.events(task)));
    expect(textIn(events)).toBe(alone.map((frames) => textIn(frames.map(({ event }) => event))).join(''));
  });

  test('reads up to what the thread waits for, whatever waits behind it', async () => {
    const threadId = randomUUID();
    const asking = await host.accept('/ask', { threadId });
    await host.accept('/stream 2', { threadId });
    const events = await connect(threadId);
    expect(runsIn(events)).toEqual([undefined, asking]);
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } });
  });

  test('gets messages by names of their own, and has the one answered again that is meant', async () => {
    const threadId = randomUUID();
    // All of them are called the same by their client.
    for (const text of ['/stream 1', '/stream 2', '/stream 3']) {
      await host.events(await host.accept(text, { threadId }));
    }
    const messages = messagesIn(await connect(threadId));
    expect(new Set(messages.map(({ id }) => id)).size).toBe(6);
    const [first] = messages;
    const again = await post('run', threadId, { messages: [first] });
    expect(textIn(again)).toBe('chunk-1 ');
    expect(messagesIn(await connect(threadId)).map(({ content }) => content)).toEqual(['/stream 1', 'chunk-1 ']);
  });
});

/** What both versions of the client have in common, as far as these tests use it. */
interface Client {
  messages: Message[];
  setMessages(messages: unknown[]): void;
  runAgent(): Promise<unknown>;
}

const versions: readonly [
  name: string,
  make: (options: { url: string; threadId: string; headers: object }) => unknown,
][] = [
  ['1.0.0', ({ headers, ...options }) => new Agent1({ ...options, headers: { ...headers } })],
  ['0.0.59', ({ headers, ...options }) => new Agent0({ ...options, headers: { ...headers } })],
];

async function upload(): Promise<string> {
  const form = new FormData();
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  form.set('file', new Blob([png], { type: 'image/png' }), 'dot.png');
  const headers = { authorization: `Bearer ${host.key}` };
  const answer = await fetch(`${host.url}/api/v1/agent/attachments`, { method: 'POST', headers, body: form });
  const { url } = (await answer.json()) as { url: string };
  return url;
}

describe.each(versions)('an unmodified HttpAgent of %s', (_name, make) => {
  test('gets images back by urls that work, and what it sends of them is the message that they stand in', async () => {
    const threadId = randomUUID();
    const headers = { authorization: `Bearer ${host.key}` };
    const client = (path: string) => make({ url: `${host.url}${root}/${path}`, threadId, headers }) as Client;
    const image = { type: 'binary', mimeType: 'image/png', url: await upload(), filename: 'dot.png' };
    const reply = await host.run([{ type: 'text', text: '/image' }, image], { threadId });
    await host.events(String(reply.body.taskId));
    const back = client('connect');
    await back.runAgent();
    const [said] = back.messages;
    expect(said?.content).toMatchObject([
      { type: 'text', text: '/image' },
      { type: 'image', source: { type: 'url', mimeType: 'image/png' }, metadata: { filename: 'dot.png' } },
    ]);
    const [url = ''] = /http[^"]*/.exec(JSON.stringify(said?.content)) ?? [];
    expect((await fetch(url)).headers.get('content-type')).toBe('image/png');
    const again = client('run');
    again.setMessages([said]);
    await again.runAgent();
    expect(String(again.messages.at(-1)?.content)).toContain('I received dot.png');
    const { body } = await host.request('GET', `/api/v1/agent/history?threadId=${threadId}`);
    expect(body.messages).toMatchObject([{ role: 'user', content: '/image' }, { role: 'assistant' }]);
    const { body: transcript } = await host.request('GET', `/api/v1/sessions/${threadId}/transcript`);
    expect(transcript.items).toMatchObject([{ attachments: [{ filename: 'dot.png' }] }, {}]);
  });
});
