import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';
import { textOf } from './sse-client.ts';

const host = new HostProcess();
const threadId = randomUUID();
beforeAll(() => host.start());
afterAll(() => host.dispose());

async function said(words: string, thread = threadId): Promise<string> {
  return textOf(await host.events(await host.accept(words, { threadId: thread })));
}

describe('the demo asks its host through the gate', () => {
  test('/state keeps a value that a later turn reads and was told at its start (check 51)', async () => {
    expect(await said('/state colour')).toBe('Nothing is kept under colour; try /state colour blue.');
    expect(await said('/state colour dark blue')).toMatch(/^I keep colour = dark blue\./);
    expect(await said('/state colour')).toMatch(/^colour = dark blue\. .* was told of it at its start\.$/);
  });

  test('another conversation has none of it', async () => {
    expect(await said('/state colour', randomUUID())).toMatch(/^Nothing is kept/);
  });

  test('/history reads what was said, and finds what it is about in a script without spaces', async () => {
    await said('数据库的连接串是 postgres://x');
    expect(await said('/history')).toMatch(/^I read \d+ messages of this session\..*- user: 数据库的连接串是/s);
    expect(await said('/history 用户之前提到的数据库连接信息')).toContain('- user: 数据库的连接串是 postgres://x');
  });

  test.each([3, 15_360])('/artifact %i comes back byte by byte', async (kib) => {
    expect(await said(`/artifact ${kib}`)).toMatch(
      new RegExp(`^I made demo-${kib}-kib.txt and read it back: ${kib * 1024} bytes, .* byte by byte the same\\.$`),
    );
  });

  test('/tool shows its call and its result', async () => {
    const frames = await host.events(await host.accept('/tool dice', { threadId }));
    expect(JSON.stringify(frames)).toMatch(/TOOL_CALL_START.*TOOL_CALL_RESULT/s);
  });

  test('an answer beside a message that is refused is not given: the question still waits for it', async () => {
    const thread = randomUUID();
    const post = async (runId: string, content: unknown, more: object = {}) => {
      const messages = [{ id: `of-${runId}`, role: 'user', content }];
      return host.request('POST', '/api/v1/agent/agui', { body: { threadId: thread, runId, messages, ...more } });
    };
    const asked = await post('r1', '/ask');
    const [, interruptId] = /"interrupts":\[\{"id":"([^"]+)"/.exec(String(asked.body.text)) ?? [];
    const answer = { resume: [{ interruptId, status: 'resolved', payload: { approved: true } }] };
    const source = { type: 'url', value: 'https://foreign.example/1.png', mimeType: 'image/png' };
    const refused = await post('r2', [{ type: 'image', source }], answer);
    expect([refused.status, refused.body.message]).toEqual([422, 'binary content url is not one of this host']);
    const { body } = await host.request('GET', `/api/v1/interactions/${interruptId}`);
    expect(body.status).toBe('pending');
    expect((await post('r3', '/stream 1', answer)).body.text).toContain('chunk-1');
  });

  test('a question waits through orderly stops, which do not wait for it or for what waits behind it', async () => {
    const taskId = await host.accept('/ask', { threadId });
    const pending = `/api/v1/interactions?status=pending&sessionId=${threadId}`;
    const open = async () => {
      const { body } = await host.request('GET', pending);
      return (body.items as { id: string }[]).map(({ id }) => id);
    };
    await expect.poll(open).toHaveLength(1);
    const [id] = await open();
    const behind = await host.accept('hello', { threadId });
    // Before the second stop nobody but the session knows of the question: its run is gone.
    for (let stops = 0; stops < 2; stops += 1) {
      const before = performance.now();
      expect(await host.signal('SIGTERM')).toBe(0);
      expect(performance.now() - before).toBeLessThan(10_000);
      await host.start();
      expect(await open()).toEqual([id]);
    }
    const { status } = await host.request('POST', `/api/v1/interactions/${id}/answer`, {
      body: { actionId: 'confirm' },
    });
    expect(status).toBe(200);
    expect(textOf(await host.events(taskId))).toContain('on we go');
    expect(textOf(await host.events(behind))).toContain('Hello');
  });

  test('what it kept outlives a kill of the host', async () => {
    await host.signal('SIGKILL');
    await host.start();
    expect(await said('/state colour')).toMatch(/^colour = dark blue\./);
  });
});
