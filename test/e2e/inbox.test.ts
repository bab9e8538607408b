import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';
import { textOf } from './sse-client.ts';

const keys = { bridge: 'rostra_bridge-0123456789', other: 'rostra_other-0123456789' };
const host = new HostProcess(
  {},
  {
    auth: {
      keys: [
        { name: 'bridge', key: keys.bridge, scopes: ['events'] },
        { name: 'other', key: keys.other, scopes: ['interactions'] },
      ],
    },
    bindings: [{ id: 'chat', agent: 'guide', events: ['message.received'] }],
  },
);
beforeAll(() => host.start());
afterAll(() => host.dispose());

interface Item {
  id: string;
  purpose: string;
  title: string;
}

/** The one question of this conversation that waits for an answer. */
async function pending(threadId: string): Promise<Item> {
  for (;;) {
    const { body } = await host.request('GET', `/api/v1/interactions?status=pending&sessionId=${threadId}`);
    const [item] = body.items as Item[];
    if (item !== undefined) return item;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function answer(id: string, actionId: string) {
  return host.request('POST', `/api/v1/interactions/${encodeURIComponent(id)}/answer`, { body: { actionId } });
}

const asked = 'I have a question for you. ';

describe('the inbox', () => {
  test('/ask waits for a person and goes on by the answer', async () => {
    const threadId = randomUUID();
    const taskId = await host.accept('/ask', { threadId });
    const { id, title } = await pending(threadId);
    expect(title).toBe('Shall I go on?');
    expect(await host.task(taskId)).toMatchObject({ status: 'interrupted' });
    expect((await answer(id, 'cancel')).status).toBe(200);
    expect(textOf(await host.events(taskId))).toBe(`${asked}You said no, so I leave it.`);
  });

  test('a question asked before a kill can be answered after the restart, and the turn goes on', async () => {
    const threadId = randomUUID();
    const taskId = await host.accept('/ask', { threadId });
    const { id } = await pending(threadId);
    await host.signal('SIGKILL');
    await host.start();
    expect((await pending(threadId)).id).toBe(id);
    expect((await answer(id, 'confirm')).body).toMatchObject({ id, status: 'answered' });
    expect(textOf(await host.events(taskId))).toBe(`${asked}You confirmed it, so on we go.`);
    expect(await host.task(taskId)).toMatchObject({ status: 'completed' });
  });

  test('of two answers at once one wins, the other gets 409 (check 75)', async () => {
    const threadId = randomUUID();
    await host.accept('/ask', { threadId });
    const { id } = await pending(threadId);
    const answers = await Promise.all([answer(id, 'confirm'), answer(id, 'cancel')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const late = await answer(id, 'confirm');
    expect([late.status, late.body]).toMatchObject([409, { details: { reason: 'INTERACTION_NOT_OPEN' } }]);
  });

  test('/handover passes the conversation on when a person confirms it', async () => {
    const threadId = randomUUID();
    const taskId = await host.accept('/handover scout needs detail', { threadId });
    const { id, purpose } = await pending(threadId);
    expect(purpose).toBe('handover');
    await host.events(taskId);
    expect((await answer(id, 'confirm')).body).toMatchObject({ status: 'answered', answer: { actionId: 'confirm' } });
    const events = await host.events(await host.accept('/stream 1', { threadId }));
    expect(JSON.stringify(events)).toContain('scout');
  });

  test('whoever runs the workspace answers for sessions that others began; another key does not see them', async () => {
    const event = { event_id: randomUUID(), event_type: 'message.received', source: 'chat' };
    const conversation = { conversation_id: 'room-7' };
    const body = { event, conversation, actor: { actor_type: 'user', actor_id: 'ada' }, input: { text: '/ask' } };
    const headers = { authorization: `Bearer ${keys.bridge}` };
    const taken = await host.request('POST', '/api/v1/events', { body, headers });
    expect(taken.status).toBe(202);
    const { session_id, task_id } = taken.body as { session_id: string; task_id: string };
    const { id } = await pending(session_id);
    const other = { headers: { authorization: `Bearer ${keys.other}` } };
    expect((await host.request('GET', '/api/v1/interactions?status=pending', other)).body.items).toEqual([]);
    expect((await host.request('GET', `/api/v1/interactions/${encodeURIComponent(id)}`, other)).status).toBe(404);
    expect((await answer(id, 'confirm')).body).toMatchObject({ status: 'answered', answeredBy: 'owner' });
    expect(textOf(await host.events(task_id))).toBe(`${asked}You confirmed it, so on we go.`);
  });
});
