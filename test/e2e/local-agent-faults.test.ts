import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentWorld } from './agent-world.ts';
import type { Frame } from './sse-client.ts';

const runner = 'rostra/local-agent/default';
let world: AgentWorld;

beforeAll(async () => {
  const config = { model: 'chat', ask_person: true };
  world = await AgentWorld.open({}, { agents: { asker: { runner, config, policy: { steering: true } } } });
}, 30_000);

afterAll(async () => world.close());

async function killed(): Promise<void> {
  await world.host.signal('SIGKILL');
  await world.host.start();
}

async function question(): Promise<string | undefined> {
  const { body } = await world.host.request('GET', '/api/v1/interactions?status=pending');
  return (body.items as { id: string }[])[0]?.id;
}

/** Waits until a task has told so many frames of a type. */
async function told(taskId: string, type: string, count: number): Promise<void> {
  for (let most = 1; most < 100; most += 1) {
    const frames: Frame[] = await world.host.events(taskId, { most });
    if (frames.filter(({ event }) => event.type === type).length >= count) return;
  }
  throw new Error(`no ${type} came`);
}

test('a question that was asked before a kill is answered after it, and the answer is used', async () => {
  const script = '[[call: ask_person {"question":"Which colour?"}]][[then]][[quote: blue|red]]';
  const task = await world.host.accept(script, { agentId: 'asker' });
  await expect.poll(question).toBeDefined();
  await killed();
  const id = await question();
  const body = { actionId: 'submit', values: { answer: 'blue' } };
  expect((await world.host.request('POST', `/api/v1/interactions/${id}/answer`, { body })).status).toBe(200);
  expect(await world.follow(task)).toMatchObject({ text: 'blue', end: { type: 'RUN_FINISHED' } });
  expect(await question()).toBeUndefined();
}, 20_000);

test('what was said to a turn before a kill is known after it, and is not answered again', async () => {
  const threadId = randomUUID();
  const first = await world.host.accept('[[long: 5]][[slow: 60]]', { agentId: 'asker', threadId });
  await told(first, 'TEXT_MESSAGE_CONTENT', 1);
  const second = await world.host.accept('And EPSILON-4? [[long: 20]][[slow: 60]]', { agentId: 'asker', threadId });
  await told(first, 'TEXT_MESSAGE_CONTENT', 7);
  await killed();
  const { text, end, frames } = await world.follow(first);
  expect(end.type).toBe('RUN_FINISHED');
  expect(text).toMatch(/^word1 word2 word3 word4 word5word1 word2/);
  expect(frames.filter(({ event }) => event.type === 'TEXT_MESSAGE_START')).toHaveLength(2);
  expect(await world.follow(second)).toMatchObject({ text: '', end: { type: 'RUN_FINISHED' } });
  const { body } = world.models.requests.at(-1) ?? { body: { messages: [] } };
  const said = (body.messages as { role: string; content: string }[])
    .slice(2)
    .map(({ role, content }) => [role, content]);
  expect(said).toEqual([
    ['assistant', 'word1 word2 word3 word4 word5'],
    ['user', expect.stringContaining('EPSILON-4')],
    ['assistant', expect.stringMatching(/^word1 word2/)],
    ['user', expect.stringContaining('cut off')],
  ]);
}, 20_000);

test('an answer that comes faster than it can be written down is not cut off', async () => {
  const { text, end } = await world.ask('[[long: 20000]]', { agentId: 'asker' });
  expect(end.type).toBe('RUN_FINISHED');
  expect(text.endsWith('word19999 word20000')).toBe(true);
}, 20_000);
