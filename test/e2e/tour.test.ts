/** The tour of a host that was never used, without any key, over HTTP: its greeting and its four choices. */

import { WELCOME_SESSION_ID as welcome } from '@rostra/protocol/run-api/welcome-session';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';
import { type Frame, textOf } from './sse-client.ts';

interface Said {
  role: string;
  agentId: string | null;
  content: string;
  uiSchema: object | null;
}

interface Asked {
  id: string;
  purpose: string;
  title: string;
}

async function listed(host: HostProcess): Promise<{ id: string; title: string; activeAgentId: string }[]> {
  return (await host.request('GET', '/api/v1/sessions')).body.items as never;
}

async function transcript(host: HostProcess): Promise<Said[]> {
  return ((await host.request('GET', `/api/v1/sessions/${welcome}/transcript`)).body.items ?? []) as Said[];
}

async function pending(host: HostProcess): Promise<Asked[]> {
  const { body } = await host.request('GET', `/api/v1/interactions?status=pending&sessionId=${welcome}`);
  return body.items as Asked[];
}

async function answer(host: HostProcess, id: string, actionId: string): Promise<void> {
  const { status } = await host.request('POST', `/api/v1/interactions/${id}/answer`, { body: { actionId } });
  expect(status).toBe(200);
}

/** What the buttons of a card that can be pressed would say. */
function buttons(ui: unknown): string[] {
  const found: string[] = [];
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, action, disabled }: { type?: string; action?: { text?: string }; disabled?: boolean } = node;
    if (type === 'button' && disabled !== true) found.push(action?.text ?? '');
    for (const value of Object.values(node)) look(value);
  };
  look(ui);
  return found;
}

function cardIn(frames: readonly Frame[]): unknown {
  return frames.map(({ event }) => event).findLast(({ activityType }) => activityType === 'ui-schema')?.content;
}

const greeted = (host: HostProcess) => expect.poll(() => transcript(host), { timeout: 10_000 }).toHaveLength(1);
const choices = ['Two agents', 'Ask me first', 'Break it', 'Use a real model'];

describe('the tour', () => {
  const host = new HostProcess();
  beforeAll(() => host.start());
  afterAll(() => host.dispose());

  const say = (text: string) => host.accept(text, { threadId: welcome });

  test('a first start opens Welcome, where guide greets with four choices that can be pressed', async () => {
    await greeted(host);
    expect(await listed(host)).toMatchObject([{ id: welcome, title: 'Welcome', activeAgentId: 'guide' }]);
    const [greeting] = await transcript(host);
    expect(greeting).toMatchObject({ role: 'assistant', agentId: 'guide' });
    expect(greeting?.content).toMatch(/^Hello, I am guide\./);
    expect(buttons(greeting?.uiSchema)).toEqual(choices);
  });

  test('a second start does not greet again', async () => {
    await host.signal('SIGTERM');
    await host.start();
    expect(await listed(host)).toHaveLength(1);
    expect(await transcript(host)).toHaveLength(1);
  });

  test('Two agents: a tool, a handover that is confirmed, and scout goes on with what was said', async () => {
    const frames = await host.events(await say('1'));
    const types = frames.map(({ event }) => event.type);
    expect(types).toContain('TOOL_CALL_RESULT');
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } });
    const [asked] = await pending(host);
    expect(asked).toMatchObject({ purpose: 'handover' });
    await answer(host, asked?.id ?? '', 'confirm');
    const last = async () => (await transcript(host)).at(-1);
    await expect.poll(last, { timeout: 10_000 }).toMatchObject({ agentId: 'scout' });
    const words = await last();
    expect(words?.content).toMatch(
      /^I am scout, and I go on from here\. .*You said: “1” The last words of guide were: “/,
    );
    expect(buttons(words?.uiSchema)).toEqual(choices);
    expect((await listed(host))[0]).toMatchObject({ activeAgentId: 'scout' });
  });

  test('Ask me first: the question waits in the inbox over a kill of the host, and a yes is acted upon once', async () => {
    const taskId = await say('Ask me first');
    await expect.poll(() => pending(host)).toHaveLength(1);
    const before = await pending(host);
    await host.signal('SIGKILL');
    await host.start();
    expect(await pending(host)).toEqual(before);
    expect(before).toMatchObject([{ purpose: 'question', title: 'May I write tour-note.txt?' }]);
    await answer(host, before[0]?.id ?? '', 'approve');
    const frames = await host.events(taskId);
    expect(textOf(frames).match(/I would like/g)).toHaveLength(1);
    expect(textOf(frames)).toContain('You said yes, so the file is there.');
    const files = frames.filter(({ event }) => event.activityType === 'artifact');
    expect(files).toMatchObject([{ event: { content: { name: 'tour-note.txt' } } }]);
    expect(buttons(cardIn(frames))).toEqual(choices);
  });

  test('Break it: every number comes once, over a kill of the host and for whoever else follows', async () => {
    const taskId = await say('3');
    await host.events(taskId, { most: 18 });
    await host.signal('SIGKILL');
    await host.start();
    const enough = async () => {
      const frames = await host.events(taskId, { most: 30 });
      return textOf(frames);
    };
    const [one, two] = await Promise.all([enough(), enough()]);
    expect(one).toBe(two);
    const numbers = one.slice(one.indexOf('\n\n1 ')).trim().split(' ').map(Number);
    expect(numbers.length).toBeGreaterThan(8);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    const { body } = await host.cancel(taskId);
    expect(body).toMatchObject({ status: 'cancelled' });
  });

  test('Use a real model: says the two lines, in the language of the choice', async () => {
    expect(textOf(await host.events(await say('Use a real model')))).toContain(
      'export ANTHROPIC_API_KEY=…\nnpm start\n',
    );
    const frames = await host.events(await say('使用真实模型'));
    expect(textOf(frames)).toMatch(/^这台机器上没有找到模型/);
    expect(buttons(cardIn(frames))).toEqual(['两个智能体', '先问我', '试着弄坏它', '使用真实模型']);
  });

  test('Welcome that was deleted does not come back', async () => {
    expect((await host.request('DELETE', `/api/v1/sessions/${welcome}`)).status).toBe(204);
    await host.signal('SIGTERM');
    await host.start();
    const task = await host.accept('/stream 1');
    await host.events(task);
    expect((await listed(host)).map(({ id }) => id)).not.toContain(welcome);
  });
});

test('where a model was found, assistant is active in a new session, guide in Welcome, which says what was found', async () => {
  const host = new HostProcess({ ROSTRA_DETECT: 'on', ANTHROPIC_API_KEY: 'sk-none' });
  try {
    await host.start();
    await greeted(host);
    expect(await listed(host)).toMatchObject([{ id: welcome, activeAgentId: 'guide' }]);
    const { body } = await host.request('GET', `/api/v1/sessions/${welcome}`);
    expect((body.agents as { agentId: string }[]).map(({ agentId }) => agentId)).toEqual([
      'guide',
      'scout',
      'assistant',
    ]);
    const said = textOf(await host.events(await host.accept('4', { threadId: welcome })));
    expect(said).toMatch(/> anthropic\/\S+ by ANTHROPIC_API_KEY/);
    const created = await host.request('POST', '/api/v1/sessions', { body: {} });
    expect(created.body).toMatchObject({ activeAgentId: 'assistant' });
  } finally {
    await host.dispose();
  }
});

test('in Chinese the greeting is in Chinese, and without the demo nobody greets', async () => {
  const chinese = new HostProcess({ LC_ALL: 'zh_CN.UTF-8' });
  const silent = new HostProcess({}, { demo: false });
  try {
    await Promise.all([chinese.start(), silent.start()]);
    await greeted(chinese);
    const [greeting] = await transcript(chinese);
    expect(greeting?.content).toMatch(/^你好，我是 guide。/);
    expect(buttons(greeting?.uiSchema)).toHaveLength(4);
    expect(await listed(silent)).toEqual([]);
  } finally {
    await Promise.all([chinese.dispose(), silent.dispose()]);
  }
});
