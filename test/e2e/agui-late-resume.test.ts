/** AG-UI clients that answer what is over: they run nothing before they have, and must be let out of it. */

import { randomUUID } from 'node:crypto';
import { HttpAgent as Agent1 } from '@ag-ui/client';
import { HttpAgent as Agent0 } from '@ag-ui/client-0';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';

const host = new HostProcess();
beforeAll(() => host.start());
afterAll(() => host.dispose());

interface Event {
  readonly type: string;
  readonly metadata?: { readonly taskId?: string };
  readonly outcome?: { readonly interrupts?: readonly { readonly id: string }[] };
}

/** What both versions of the client have in common, as far as these tests use it. */
interface Client {
  readonly messages: readonly { content?: unknown }[];
  addMessage(message: unknown): void;
  runAgent(parameters?: object, subscriber?: object): Promise<unknown>;
}

type Make = (options: { url: string; headers: Record<string, string>; threadId: string }) => unknown;

describe.each<[version: string, make: Make]>([
  ['1.0.0', (options) => new Agent1(options)],
  ['0.0.59', (options) => new Agent0(options)],
])('@ag-ui/client %s', (_, make) => {
  function client(): Client {
    const headers = { Authorization: `Bearer ${host.key}` };
    return make({ url: `${host.url}/api/v1/agent/agui`, headers, threadId: randomUUID() }) as Client;
  }

  async function run(agent: Client, text: string | null, parameters: object = {}): Promise<Event[]> {
    const events: Event[] = [];
    if (text !== null) agent.addMessage({ id: randomUUID(), role: 'user', content: text });
    await agent.runAgent(parameters, { onEvent: ({ event }: { event: Event }) => void events.push(event) });
    return events;
  }

  test.each<[what: string, end: (taskId: string, id: string) => Promise<{ status: number }>]>([
    [
      'was answered in the inbox',
      (_task, id) => host.request('POST', `/api/v1/interactions/${id}/answer`, { body: { actionId: 'confirm' } }),
    ],
    ['ended with its run', (taskId) => host.request('POST', `/api/v1/agent/runs/${taskId}/cancel?wait=1`)],
  ])('goes on, with a message and without, when what it was asked %s', async (_what, end) => {
    for (const text of [null, '/stream 1']) {
      const agent = client();
      const events = await run(agent, '/ask');
      const taskId = events.at(0)?.metadata?.taskId ?? '';
      const ids = (events.at(-1)?.outcome?.interrupts ?? []).map(({ id }) => id);
      expect((await end(taskId, String(ids[0]))).status).toBe(200);
      await host.request('GET', `/api/v1/agent/runs/${taskId}/wait`);
      const resume = ids.map((interruptId) => ({ interruptId, status: 'resolved', payload: { approved: true } }));
      const late = await run(agent, text, { resume });
      expect([late.at(0)?.type, late.at(-1)?.type]).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
      await run(agent, '/stream 1');
      expect(agent.messages.at(-1)?.content).toBe('chunk-1 ');
    }
  });

  test('is refused where it answers what nobody asked', async () => {
    const agent = client();
    await run(agent, '/stream 1');
    const resume = [{ interruptId: randomUUID(), status: 'resolved', payload: {} }];
    await expect(run(agent, null, { resume })).rejects.toMatchObject({ status: 409 });
  });
});
