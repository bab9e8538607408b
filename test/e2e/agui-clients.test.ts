import { randomUUID } from 'node:crypto';
import { HttpAgent as Agent1 } from '@ag-ui/client';
import { HttpAgent as Agent0 } from '@ag-ui/client-0';
import { AgentCapabilitiesSchema } from '@ag-ui/core/schemas';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { HostProcess, type Reply, runInput } from './host-process.ts';

const host = new HostProcess(
  {},
  {
    session: { active: 'guide' },
    agents: { hasty: { runner: 'rostra/demo/default', policy: { disconnect_grace: 100 } } },
  },
);
beforeAll(() => host.start());
afterAll(() => host.dispose());

interface Message {
  id: string;
  role: string;
  content?: unknown;
  toolCalls?: { id: string; function: { name: string; arguments: string } }[];
}
interface Event {
  type: string;
  [field: string]: unknown;
}

/** What both versions of the client have in common, as far as these tests use it. */
interface Client {
  messages: Message[];
  threadId: string;
  addMessage(message: unknown): void;
  setMessages(messages: unknown[]): void;
  runAgent(parameters?: object, subscriber?: object): Promise<unknown>;
  abortRun(): void;
}

const versions: readonly [
  name: string,
  make: (options: { url: string; headers: Record<string, string> }) => unknown,
][] = [
  ['1.0.0', (options) => new Agent1({ ...options, threadId: randomUUID() })],
  ['0.0.59', (options) => new Agent0({ ...options, threadId: randomUUID() })],
];

const weather = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

describe.each(versions)('an unmodified HttpAgent of %s', (_name, make) => {
  function client(path = '/api/v1/agent/agui'): Client {
    return make({ url: `${host.url}${path}`, headers: { authorization: `Bearer ${host.key}` } }) as Client;
  }

  /** Runs the agent once; returns the events that the client took. */
  async function run(agent: Client, parameters: object = {}): Promise<Event[]> {
    const events: Event[] = [];
    let failure: unknown = null;
    await agent.runAgent(parameters, {
      onEvent: ({ event }: { event: Event }) => {
        events.push(event);
      },
      onRunFailed: ({ error }: { error: unknown }) => {
        failure = error;
      },
    });
    if (failure !== null) throw failure;
    return events;
  }

  async function say(agent: Client, content: unknown, parameters: object = {}): Promise<Event[]> {
    agent.addMessage({ id: randomUUID(), role: 'user', content });
    return run(agent, parameters);
  }

  const types = (events: readonly Event[]) => events.map(({ type }) => type);
  const last = (agent: Client) => agent.messages.at(-1);
  const history = async (agent: Client) => {
    const { body } = await host.request('GET', `/api/v1/agent/history?threadId=${agent.threadId}`);
    return (body.messages as { role: string; content: string }[]).map(({ role, content }) => `${role}: ${content}`);
  };

  async function search(words: string, threadId: string): Promise<unknown[]> {
    const query = new URLSearchParams({ q: words, sessionId: threadId });
    const { status, body } = await host.request('GET', `/api/v1/search?${query}`);
    expect(status).toBe(200);
    return (body.items as { sessionId: string; content: string }[]).filter(
      (item) => item.sessionId === threadId && item.content === words,
    );
  }

  test('has its first turn, and a second one with the whole history', async () => {
    const agent = client();
    const events = await say(agent, '/stream 3');
    expect(types(events).at(0)).toBe('RUN_STARTED');
    expect(events.at(0)).toMatchObject({
      threadId: agent.threadId,
      metadata: { agentId: 'guide', taskId: expect.any(String) },
    });
    expect(types(events).at(-1)).toBe('RUN_FINISHED');
    expect(last(agent)).toMatchObject({ role: 'assistant', content: 'chunk-1 chunk-2 chunk-3 ' });
    await say(agent, '/stream 2');
    expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(await history(agent)).toEqual([
      'user: /stream 3',
      'assistant: chunk-1 chunk-2 chunk-3 ',
      'user: /stream 2',
      'assistant: chunk-1 chunk-2 ',
    ]);
  });

  test('gets the stream on the path of runs too, and a named agent by its own path', async () => {
    const agent = client('/api/v1/agent/runs');
    expect(types(await say(agent, '/stream 1'))).toContain('TEXT_MESSAGE_CONTENT');
    const scout = client('/api/v1/agents/scout/agui');
    expect((await say(scout, '/stream 1')).at(0)).toMatchObject({ metadata: { agentId: 'scout' } });
    const nobody = client('/api/v1/agents/nobody/agui');
    await expect(say(nobody, 'hello')).rejects.toMatchObject({ status: 404 });
  });

  test('runs a tool of its own and goes on with its result', async () => {
    const agent = client();
    const tools = [weather];
    const events = await say(agent, '/client-tool get_weather {"city":"Beijing"}', { tools });
    expect(types(events)).toContain('TOOL_CALL_START');
    expect(types(events).at(-1)).toBe('RUN_FINISHED');
    const calls = agent.messages.flatMap(({ toolCalls = [] }) => toolCalls);
    expect(calls).toMatchObject([{ function: { name: 'get_weather', arguments: '{"city":"Beijing"}' } }]);
    const [call] = calls;
    agent.addMessage({ id: randomUUID(), role: 'tool', toolCallId: call?.id ?? '', content: 'sunny, 21 degrees' });
    const more = await run(agent, { tools });
    expect(types(more)).toContain('TEXT_MESSAGE_CONTENT');
    expect(types(more).at(-1)).toBe('RUN_FINISHED');
    expect(String(last(agent)?.content)).toContain('sunny, 21 degrees');
    // The thread goes on as any other.
    await say(agent, '/stream 1', { tools });
    expect(last(agent)?.content).toBe('chunk-1 ');
  });

  test('that goes on without the result of its tool is not held up by it', async () => {
    const agent = client();
    await say(agent, '/client-tool get_weather {"city":"Beijing"}', { tools: [weather] });
    await say(agent, '/stream 1');
    expect(last(agent)?.content).toBe('chunk-1 ');
  });

  test('asks for another answer to its last message', async () => {
    const agent = client();
    await say(agent, '/stream 1');
    await say(agent, '/stream 2');
    agent.setMessages(agent.messages.slice(0, -1));
    const events = await run(agent);
    expect(types(events)).toContain('TEXT_MESSAGE_CONTENT');
    expect(agent.messages.map(({ content }) => content)).toEqual([
      '/stream 1',
      'chunk-1 ',
      '/stream 2',
      'chunk-1 chunk-2 ',
    ]);
    expect(await history(agent)).toEqual([
      'user: /stream 1',
      'assistant: chunk-1 ',
      'user: /stream 2',
      'assistant: chunk-1 chunk-2 ',
    ]);
  });

  test('edits a message: what came after it is no part of the thread any more', async () => {
    const agent = client();
    await say(agent, '/stream 1');
    await say(agent, '/stream 2');
    const [first, answer, second] = agent.messages;
    agent.setMessages([first, answer, { ...second, content: '/stream 3' }]);
    await run(agent);
    expect(last(agent)?.content).toBe('chunk-1 chunk-2 chunk-3 ');
    expect(await history(agent)).toEqual([
      'user: /stream 1',
      'assistant: chunk-1 ',
      'user: /stream 3',
      'assistant: chunk-1 chunk-2 chunk-3 ',
    ]);
    // The edited message is the known one from now on, and agents read no other either.
    await say(agent, '/history');
    const read = agent.messages.filter(({ role }) => role === 'assistant').map(({ content }) => String(content));
    expect(read.slice(2).join('\n')).toContain('/stream 3');
    expect(read.slice(2).join('\n')).not.toContain('/stream 2');
    expect(await search('/stream 2', agent.threadId)).toEqual([]);
  });

  test('sends an image by the url of its upload, and has it answered again', async () => {
    const agent = client();
    const form = new FormData();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    form.set('file', new Blob([png], { type: 'image/png' }), 'dot.png');
    const upload = await fetch(`${host.url}/api/v1/agent/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.key}` },
      body: form,
    });
    const { url } = (await upload.json()) as { url: string };
    const image = { type: 'binary', mimeType: 'image/png', url, filename: 'dot.png' };
    const events = await say(agent, [{ type: 'text', text: 'what is this?' }, image]);
    expect(types(events).at(-1)).toBe('RUN_FINISHED');
    agent.setMessages(agent.messages.filter(({ role }) => role === 'user'));
    expect(types(await run(agent))).toContain('TEXT_MESSAGE_CONTENT');
    expect((await history(agent)).filter((line) => line.startsWith('user: '))).toEqual(['user: what is this?']);
    const foreign = client();
    const elsewhere = { ...image, url: 'https://evil.example/dot.png' };
    await expect(say(foreign, [elsewhere])).rejects.toMatchObject({ status: 422 });
  });

  test('that sends nothing new gets an empty run', async () => {
    const agent = client();
    await say(agent, '/stream 1');
    expect(types(await run(agent))).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    expect((await history(agent)).length).toBe(2);
  });

  test('is interrupted by a question, answers it, and reads on', async () => {
    const agent = client();
    const events = await say(agent, '/ask');
    const finished = events.at(-1);
    expect(finished).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } });
    const outcome = finished?.outcome as { interrupts: { id: string; reason: string }[] } | undefined;
    const interrupts = outcome?.interrupts ?? [];
    expect(interrupts).toMatchObject([{ reason: 'confirmation' }]);
    const resume = interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: { approved: true } }));
    const more = await run(agent, { resume });
    expect(more.at(0)).toMatchObject({ type: 'RUN_STARTED' });
    expect(more.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
    expect(String(last(agent)?.content)).toContain('You confirmed it, so on we go.');
  });

  test('that goes away stops its run', async () => {
    const agent = client('/api/v1/agents/hasty/agui');
    agent.addMessage({ id: randomUUID(), role: 'user', content: '/slow 1000 100' });
    let taskId = '';
    const onRunStartedEvent = ({ event }: { event: Event }) => {
      taskId = String((event.metadata as { taskId: string }).taskId);
    };
    await agent.runAgent({}, { onRunStartedEvent, onTextMessageContentEvent: () => agent.abortRun() });
    await vi.waitFor(async () => expect(await host.task(taskId)).toMatchObject({ status: 'cancelled' }), 10_000);
    // What it had read stays in its thread, which goes on.
    await say(agent, '/stream 1');
    expect(last(agent)?.content).toBe('chunk-1 ');
  });

  test('has 120 turns in one thread', { timeout: 60_000 }, async () => {
    const agent = client();
    for (let turn = 1; turn <= 120; turn += 1) await say(agent, `/stream 1`);
    expect(agent.messages.length).toBe(240);
    expect(
      agent.messages.filter(({ role }) => role === 'assistant').every(({ content }) => content === 'chunk-1 '),
    ).toBe(true);
  });
});

describe('a run that goes on in the background', () => {
  test('goes on when somebody who came to look at it by the same body has gone', async () => {
    const body = runInput('/slow 20 50', { agentId: 'hasty' });
    const { taskId } = (await host.request('POST', '/api/v1/agent/runs', { body })).body;
    const looking = new AbortController();
    const response = await fetch(`${host.url}/api/v1/agent/agui`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: looking.signal,
    });
    await response.body?.getReader().read();
    looking.abort();
    const ended = await host.request('GET', `/api/v1/agent/runs/${taskId}/wait`);
    expect(ended.body).toMatchObject({ status: 'completed' });
  });
});

describe('a thread after a restart', () => {
  const said = (id: string, content: string) => ({ id, role: 'user', content });
  const ask = (threadId: string, runId: string, messages: object[]) =>
    host.request('POST', '/api/v1/agent/agui', { body: { threadId, runId, messages } });
  const eventsIn = ({ body }: { body: Record<string, unknown> }): Event[] =>
    [...String(body.text).matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));

  test('takes one body that comes several times at once as one run, and an edit of what was said since', async () => {
    const threadId = randomUUID();
    const first = eventsIn(await ask(threadId, 'r1', [said('u1', '/stream 1')]));
    const past = [
      said('u1', '/stream 1'),
      { id: String(first.find(({ messageId }) => messageId)?.messageId), role: 'assistant', content: 'chunk-1 ' },
    ];
    await host.signal('SIGKILL');
    await host.start();
    const body = [...past, said('u2', '/slow 10 20')];
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(threadId, 'r2', body)));
    expect(new Set(answers.map((answer) => answer.body.text)).size).toBe(1);
    expect(eventsIn(answers[0] as Reply).at(-1)).toMatchObject({ type: 'RUN_FINISHED', runId: 'r2' });
    const edited = await ask(threadId, 'r3', [...past, said('u2', '/stream 2')]);
    expect(eventsIn(edited).at(-1)).toMatchObject({ type: 'RUN_FINISHED', runId: 'r3' });
    const { body: history } = await host.request('GET', `/api/v1/agent/history?threadId=${threadId}`);
    expect((history.messages as { content: string }[]).map(({ content }) => content)).toEqual([
      '/stream 1',
      'chunk-1 ',
      '/stream 2',
      'chunk-1 chunk-2 ',
    ]);
  });
});

describe('an AG-UI body', () => {
  const ask = (body: object, headers: Record<string, string> = { accept: 'text/event-stream' }) =>
    host.request('POST', '/api/v1/agent/runs', { body, headers });
  const input = (more: object = {}) => ({
    threadId: randomUUID(),
    runId: randomUUID(),
    messages: [{ id: 'u1', role: 'user', content: '/stream 2' }],
    ...more,
  });

  test('sent twice under one name is one run, and another body under it is a conflict', async () => {
    const body = input();
    const [one, two] = await Promise.all([ask(body), ask(body)]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.headers.get('location')).toMatch(/^\/api\/v1\/agent\/runs\/[\w-]+$/);
    expect(one.headers.get('content-location')).toBe(one.headers.get('location'));
    expect(two.body.text).toBe(one.body.text);
    const again = await ask(body);
    expect(again.body.text).toBe(one.body.text);
    const other = await ask({ ...body, messages: [{ id: 'u1', role: 'user', content: 'other' }] });
    expect([other.status, other.body.code]).toEqual([409, 'invalid_argument']);
  });

  test('may count on what the capabilities of its agent say', async () => {
    const { status, body } = await host.request('GET', '/api/v1/agent/capabilities');
    expect(status).toBe(200);
    expect(AgentCapabilitiesSchema.parse(body)).toMatchObject({
      identity: { name: 'guide' },
      transport: { streaming: true, resumable: true },
      tools: { clientProvided: true },
      multiAgent: { handoffs: true, subagents: [{ name: 'hasty' }, { name: 'scout' }] },
      humanInTheLoop: { interrupts: true },
    });
    const named = await host.request('GET', '/api/v1/agent/capabilities?agentId=scout');
    expect(named.body).toMatchObject({ identity: { name: 'scout' } });
    expect((await host.request('GET', '/api/v1/agent/capabilities?agentId=nobody')).status).toBe(404);
  });

  test('is taken as one only by whoever asks for a stream by its name', async () => {
    expect((await ask(input(), { accept: '*/*' })).status).toBe(202);
    expect((await ask(input(), { accept: 'application/json, text/event-stream;q=0' })).status).toBe(202);
    expect((await ask(input(), { accept: 'text/html' })).status).toBe(406);
  });

  test('finds its thread again after a restart, without a look at what is not new', async () => {
    const body = input({ runId: 'r1' });
    await ask(body);
    const before = (await host.request('GET', `/api/v1/agent/history?threadId=${body.threadId}`)).body;
    const [, answer] = before.messages as { id: string; content: string }[];
    await host.signal('SIGKILL');
    await host.start();
    const messages = [...body.messages, { id: answer?.id ?? '', role: 'assistant', content: answer?.content }];
    const echo = await ask({ ...body, runId: 'r2', messages });
    expect(String(echo.body.text)).toContain('RUN_FINISHED');
    expect(String(echo.body.text)).not.toContain('TEXT_MESSAGE');
    const turn = await ask({
      ...body,
      runId: 'r3',
      messages: [...messages, { id: 'u2', role: 'user', content: '/stream 1' }],
    });
    expect(String(turn.body.text)).toContain('chunk-1 ');
    const after = (await host.request('GET', `/api/v1/agent/history?threadId=${body.threadId}`)).body;
    expect((after.messages as unknown[]).length).toBe(4);
  });

  test('that does not answer an open interrupt is told so in a stream of one event', async () => {
    const threadId = randomUUID();
    await ask(input({ threadId, messages: [{ id: 'u1', role: 'user', content: '/ask' }] }));
    const reply = await ask(input({ threadId, messages: [{ id: 'u2', role: 'user', content: 'go on' }] }));
    expect(reply.status).toBe(200);
    const events = String(reply.body.text).trim().split('\n\n');
    expect(events.length).toBe(1);
    expect(JSON.parse(events[0]?.slice('data: '.length) ?? '')).toMatchObject({
      type: 'RUN_ERROR',
      code: 'interrupt_open',
    });
  });
});
