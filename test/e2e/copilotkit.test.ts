import { randomUUID } from 'node:crypto';
import { HttpAgent } from '@ag-ui/client';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { HostProcess } from './host-process.ts';

const host = new HostProcess();
beforeAll(() => host.start());
afterAll(() => host.dispose());
afterEach(() => vi.unstubAllGlobals());

const root = '/api/v1/copilotkit';

function body(threadId: string, content: string) {
  return { threadId, runId: randomUUID(), messages: [{ id: 'u1', role: 'user', content }], tools: [], context: [] };
}

function eventsOf(text: unknown): { type: string; [field: string]: unknown }[] {
  return [...String(text).matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

describe('what a CopilotKit frontend asks of its runtime', () => {
  test('it is told the agents, and that there is one without a name', async () => {
    const { status, body: info } = await host.request('GET', `${root}/info`);
    expect(status).toBe(200);
    expect(Object.keys(info.agents as object).sort()).toEqual(['default', 'guide', 'scout']);
  });

  test('it runs an agent, and gets its thread back when it comes again', async () => {
    const threadId = randomUUID();
    const run = await host.request('POST', `${root}/agent/default/run`, { body: body(threadId, '/stream 2') });
    expect(eventsOf(run.body.text).at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
    const again = await host.request('POST', `${root}/agent/default/connect`, {
      body: { ...body(threadId, ''), messages: [] },
    });
    const events = eventsOf(again.body.text);
    expect(events.map(({ type }) => type)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    expect(events[1]?.messages).toMatchObject([
      { id: 'u1', role: 'user', content: '/stream 2' },
      { role: 'assistant', content: 'chunk-1 chunk-2 ', name: 'guide' },
    ]);
    const unknown = await host.request('POST', `${root}/agent/default/connect`, { body: body(randomUUID(), '') });
    expect([unknown.status, unknown.body.text]).toEqual([200, '']);
  });

  test('it comes back into a run that goes on, and stops it', async () => {
    const threadId = randomUUID();
    const agent = new HttpAgent({
      url: `${host.url}${root}/agent/guide/run`,
      headers: { authorization: `Bearer ${host.key}` },
      threadId,
    });
    agent.addMessage({ id: 'u1', role: 'user', content: '/slow 1000 50' });
    const isRunning = new Promise<void>((resolve) => {
      agent.subscribe({ onTextMessageContentEvent: () => resolve() });
    });
    const running = agent.runAgent();
    await isRunning;
    const connected = host.request('POST', `${root}/agent/guide/connect`, {
      body: { ...body(threadId, ''), messages: [] },
    });
    const stopped = await host.request('POST', `${root}/agent/guide/stop/${threadId}`);
    expect([stopped.status, stopped.body]).toEqual([200, { message: 'the thread was stopped' }]);
    await running;
    const events = eventsOf((await connected).body.text);
    expect(events.slice(0, 4).map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
      'RUN_STARTED',
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'cancelled' });
    const idle = await host.request('POST', `${root}/agent/guide/stop/${threadId}`);
    expect(idle.body).toEqual({ message: 'nothing goes on in this thread' });
  });

  test('threads and agents that are not there look like any others', async () => {
    expect((await host.request('POST', `${root}/agent/guide/stop/${randomUUID()}`)).status).toBe(404);
    const run = await host.request('POST', `${root}/agent/nobody/run`, { body: body(randomUUID(), 'hi') });
    expect([run.status, run.body.details]).toMatchObject([404, { agents: ['guide', 'scout'] }]);
  });
});

/** The package itself is no dependency of ours: where somebody has it, it must work. */
const copilotkit: { CopilotKitCore?: new (options: object) => Core } | null = await import(
  ['@copilotkit', 'core'].join('/')
).catch(() => null);

interface CoreAgent {
  threadId: string;
  messages: { content?: unknown }[];
  addMessage(message: object): void;
}

interface Core {
  connectAgent(options: { agent: CoreAgent }): Promise<unknown>;
  stopAgent(options: { agent: CoreAgent }): void;
  connectRuntime?(): void;
  getAgent(id: string): CoreAgent | undefined;
  runAgent(options: { agent: unknown }): Promise<unknown>;
  subscribe(subscriber: object): unknown;
}

describe.skipIf(copilotkit?.CopilotKitCore === undefined)(
  '@copilotkit/core, which runs here only where it is installed (npm install --no-save @copilotkit/core)',
  () => {
    test('finds the agents, runs one, comes back to its thread and stops a run', async () => {
      if (copilotkit?.CopilotKitCore === undefined) throw new Error('not installed');
      // It asks nothing of anybody where there is no page.
      vi.stubGlobal('window', { location: { href: host.url } });
      const core = new copilotkit.CopilotKitCore({
        runtimeUrl: `${host.url}${root}`,
        headers: { authorization: `Bearer ${host.key}` },
      });
      core.connectRuntime?.();
      for (let n = 0; n < 100 && core.getAgent('guide') === undefined; n += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const agent = core.getAgent('guide');
      if (agent === undefined) throw new Error('the runtime was not asked for its agents');
      agent.threadId = randomUUID();
      agent.addMessage({ id: randomUUID(), role: 'user', content: '/stream 2' });
      await core.runAgent({ agent });
      expect(agent.messages.at(-1)?.content).toBe('chunk-1 chunk-2 ');

      // A page that is loaded again has nothing but the thread.
      agent.messages = [];
      await core.connectAgent({ agent });
      expect(agent.messages.map(({ content }) => content)).toEqual(['/stream 2', 'chunk-1 chunk-2 ']);

      agent.addMessage({ id: randomUUID(), role: 'user', content: '/slow 1000 50' });
      const running = core.runAgent({ agent });
      await vi.waitFor(() => expect(String(agent.messages.at(-1)?.content)).toContain('chunk-1'), { timeout: 10_000 });
      core.stopAgent({ agent });
      await running;
      const { body: last } = await host.request('GET', `/api/v1/agent/runs?threadId=${agent.threadId}&limit=1`);
      await vi.waitFor(async () => {
        const [run] = Array.isArray(last.items) ? last.items : [];
        expect((await host.task(run.taskId)).status).toBe('cancelled');
      });
    });
  },
);
