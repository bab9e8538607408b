import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pdf } from '../../packages/host/test/capabilities/knowledge/documents/sample-documents.ts';
import { runnersOf } from '../crash/orphans.ts';
import { AgentWorld, anthropicKey, openaiKey } from './agent-world.ts';

let world: AgentWorld;

beforeAll(async () => {
  world = await AgentWorld.open();
}, 30_000);

afterAll(async () => world.close());

const chats = () => world.models.requests.filter(({ path: at }) => /completions|messages$/.test(at));
const bodies = () => chats().map(({ body }) => JSON.stringify(body));

describe.each(['chatty', 'claude'])('the local agent %s', (agentId) => {
  test('answers with a tool of a real server, the result as it came', async () => {
    const script = '[[call: everything__echo {"message":"ALPHA-42"}]] [[then]] [[quote: Echo: ALPHA-\\d+]]';
    const { text, frames } = await world.ask(script, { agentId });
    expect(text).toBe('Echo: ALPHA-42');
    const tool = frames.filter(({ event }) => event.type.startsWith('TOOL_CALL'));
    expect(tool.map(({ event }) => event.type)).toEqual([
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
    ]);
    expect(tool[1]?.event.delta).toBe('{"message":"ALPHA-42"}');
    expect(tool[3]?.event.content).toContain('Echo: ALPHA-42');
  });

  test('calls several tools at once and gives their results back in the order of the calls', async () => {
    const script =
      '[[call: everything__get-sum {"a":20,"b":22}]][[call: everything__echo {"message":"second"}]][[then]][[quote: 42[^]*second]]';
    expect((await world.ask(script, { agentId })).text).toContain('second');
  });

  test('uses in turn 2 what was said in turn 1', async () => {
    const threadId = randomUUID();
    await world.ask('Remember the mark BETA-77.', { agentId, threadId });
    expect((await world.ask('[[quote: BETA-\\d+]]', { agentId, threadId })).text).toBe('BETA-77');
  });

  test('shows what the model thinks as a stream of its own', async () => {
    const { text, frames } = await world.ask('[[think: hidden thoughts]][[say: seen]]', { agentId });
    expect(text).toBe('seen');
    expect(frames.some(({ event }) => event.type.startsWith('REASONING'))).toBe(true);
  });
});

describe('the knowledge of a host', () => {
  test('an uploaded PDF is cited by page', async () => {
    const made = await world.host.request('POST', '/api/v1/knowledge', { body: { id: 'handbook', name: 'Handbook' } });
    expect(made.status).toBe(201);
    const form = new FormData();
    const bytes = pdf([['The harbour opens at seven.'], ['The lighthouse of Skagen was built in 1858.']]);
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'application/pdf' }), 'handbook.pdf');
    const sent = await fetch(`${world.host.url}/api/v1/knowledge/handbook/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.host.key}` },
      body: form,
    });
    expect(sent.status).toBe(202);
    const { id } = (await sent.json()) as { id: string };
    await expect
      .poll(async () => (await world.host.request('GET', `/api/v1/knowledge/handbook/documents/${id}`)).body.status, {
        timeout: 10_000,
      })
      .toBe('ready');
    const { text } = await world.ask('When was the lighthouse of Skagen built? [[say: In 1858 [1].]]', {
      agentId: 'chatty',
    });
    expect(text).toContain('In 1858 [1].');
    expect(text).toMatch(/\[1\] handbook\.pdf.*2/);
    expect(bodies().at(-1)).toContain('built in 1858');
  });
});

describe('a model that fails', () => {
  test('before its first word is replaced by the next one', async () => {
    const { text, end } = await world.ask('[[status@fake-chat: 503]][[say: from the spare one]]', {
      agentId: 'chatty',
    });
    expect(end.type).toBe('RUN_FINISHED');
    expect(text).toBe('from the spare one');
    expect(chats().at(-1)?.model).toBe('fake-small');
  });

  test('after its first word is not: what was said stands, and the run fails with a sentence', async () => {
    const before = chats().length;
    const { text, end } = await world.ask('[[say: one two three four five six]][[fail-after: 3]]', {
      agentId: 'chatty',
    });
    expect(end).toMatchObject({ type: 'RUN_ERROR' });
    expect(text).toMatch(/^one two/);
    expect(String(end.message).length).toBeGreaterThan(20);
    const asked = chats().slice(before);
    expect(asked.map(({ model }) => model)).toEqual(['fake-chat']);
  });

  test('by broken arguments is told so, and the run goes on', async () => {
    const script = '[[bad-arguments: everything__echo]][[then]][[say: recovered]]';
    const { text, end } = await world.ask(script, { agentId: 'chatty' });
    expect(end.type).toBe('RUN_FINISHED');
    expect(text).toBe('recovered');
  });
});

test('a model is granted from the next run on when it is added, and no more when it is removed', async () => {
  const granted = async () => {
    const { taskId } = await world.ask('[[say: yes]]', { agentId: 'chatty' });
    const { body } = await world.host.request('GET', `/api/v1/agent/runs/${taskId}/grant`);
    return JSON.stringify(body);
  };
  expect(await granted()).not.toContain('late/comer');
  const config = { provider: 'openai-compatible', model: 'fake-small', base_url: world.models.openai_url };
  const made = await world.host.request('POST', '/api/v1/models', { body: { id: 'late/comer', config } });
  expect(made.status).toBe(201);
  expect(await granted()).toContain('late/comer');
  expect((await world.host.request('DELETE', '/api/v1/models/late%2Fcomer')).status).toBe(204);
  expect(await granted()).not.toContain('late/comer');
});

test('a long talk in a window of 4,000 tokens is summed up once, and the summary is used again', async () => {
  const threadId = randomUUID();
  const agentId = 'forgetful';
  await world.ask('Remember the mark GAMMA-13.', { agentId, threadId });
  const isSummary = (body: string) => body.includes('You keep the memory of a conversation');
  const summaries = () => bodies().filter(isSummary).length;
  const before = summaries();
  for (let n = 0; summaries() === before && n < 12; n += 1) await world.ask('[[long: 500]]', { agentId, threadId });
  expect(summaries() - before).toBe(1);
  expect((await world.ask('[[quote: GAMMA-\\d+]]', { agentId, threadId })).text).toBe('GAMMA-13');
  expect((await world.ask('[[quote: GAMMA-\\d+]]', { agentId, threadId })).text).toBe('GAMMA-13');
  expect(summaries() - before).toBe(1);
}, 40_000);

test('what is said between two batches of tools is taken up in the same turn', async () => {
  const threadId = randomUUID();
  const long = '[[call: everything__trigger-long-running-operation {"duration":2,"steps":2}]]';
  const first = await world.host.accept(`${long}[[then]][[quote: DELTA-\\d+]]`, { agentId: 'chatty', threadId });
  await expect
    .poll(async () =>
      (await world.host.events(first, { most: 4 })).some(({ event }) => event.type === 'TOOL_CALL_START'),
    )
    .toBe(true);
  const second = await world.host.accept('By the way: DELTA-9', { agentId: 'chatty', threadId });
  expect((await world.follow(first)).text).toBe('DELTA-9');
  expect((await world.follow(second)).end.type).toBe('RUN_FINISHED');
}, 20_000);

test('a cancel in the middle of a tool ends the run at once, and the tool is told', async () => {
  const long = '[[call: everything__trigger-long-running-operation {"duration":30,"steps":30}]]';
  const task = await world.host.accept(long, { agentId: 'chatty' });
  await expect
    .poll(async () =>
      (await world.host.events(task, { most: 4 })).some(({ event }) => event.type === 'TOOL_CALL_START'),
    )
    .toBe(true);
  const before = performance.now();
  expect((await world.host.cancel(task)).status).toBe(200);
  expect(performance.now() - before).toBeLessThan(2000);
  expect(await world.host.task(task)).toMatchObject({ status: 'cancelled' });
}, 20_000);

test('keys are nowhere: not in logs, database, contexts, environments or artifacts', async () => {
  await world.ask('[[call: everything__get-env {}]][[then]][[say: looked]]', { agentId: 'chatty' });
  const { taskId } = await world.ask('[[status: 401]]', { agentId: 'claude' });
  const context = await world.host.request('GET', `/api/v1/agent/runs/${taskId}/context`);
  const canaries = [openaiKey, anthropicKey];
  const places: [string, string][] = [
    ['log', world.host.output],
    ['context', JSON.stringify(context.body)],
    ...filesOf(world.host.data).map((file): [string, string] => [file, readFileSync(file, 'latin1')]),
    ...environments(world.host.data),
  ];
  expect(places.length).toBeGreaterThan(5);
  const found = places.filter(([, text]) => canaries.some((key) => text.includes(key))).map(([place]) => place);
  expect(found).toEqual([]);
});

/** All that the host wrote; its configuration is the test's own. */
function filesOf(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return files.filter((file) => !file.endsWith('rostra.yaml'));
}

/** What its children were started with: runners, and servers of tools. */
function environments(data: string): [string, string][] {
  if (process.platform !== 'linux') return [];
  const children = runnersOf(data).filter(({ pid }) => existsSync(`/proc/${pid}/environ`));
  return children.map(({ pid }) => [`environment of ${pid}`, readFileSync(`/proc/${pid}/environ`, 'latin1')]);
}
