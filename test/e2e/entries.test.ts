import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { derivedId } from '@rostra/host/entries/derived-id';
import { signatureOf } from '@rostra/host/entries/webhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';
import { readFrames, textOf } from './sse-client.ts';

const runner = fileURLToPath(new URL('./fixtures/mirror-runner.mjs', import.meta.url));
const secrets = {
  BRIDGE_KEY: 'canary-bridge-key-0123',
  OTHER_KEY: 'canary-other-key-0123',
  HOOK_SECRET: 'canary-hook-secret-0123',
};
const narrow = { storage: ['plugin'], history: [] };
const reports = '7b2d6c1e-0000-4000-8000-000000000001';

let host: HostProcess;
beforeAll(async () => {
  host = new HostProcess(secrets, {
    runners: [{ name: 'mirror', command: [process.execPath, runner] }],
    agents: { mirror: { runner: 'test/mirror/default', grants: { history_scope: 'workspace' } } },
    session: { active: 'mirror' },
    auth: {
      keys: [
        { name: 'bridge', key: `\${BRIDGE_KEY}`, scopes: ['events', 'runs'] },
        { name: 'other', key: `\${OTHER_KEY}`, scopes: ['runs'] },
      ],
    },
    bindings: [{ id: 'chat', agent: 'mirror', events: ['message.*', 'member.*'] }],
    schedules: [
      { id: 'tick', cron: '* * * * * *', agent: 'mirror', data: { report: 'x' }, session: reports, grants: narrow },
    ],
    webhooks: [{ id: 'ci', secret: `\${HOOK_SECRET}`, agent: 'mirror', event: 'ci.finished', grants: narrow }],
  });
  await host.start();
}, 30_000);
afterAll(() => host.dispose());

const streamed: string[] = [];

/** What the runner of a task was given. */
async function contextOf(taskId: string, key = host.key) {
  const frames = await readFrames(`${host.url}/api/v1/agent/runs/${taskId}/events`, { authorization: `Bearer ${key}` });
  streamed.push(...frames.map(({ raw }) => raw));
  return JSON.parse(textOf(frames));
}

const bridge = (body: unknown) =>
  host.request('POST', '/api/v1/events', { body, headers: { authorization: `Bearer ${secrets.BRIDGE_KEY}` } });

async function deliver(body: string, signature: string) {
  const headers = { 'x-rostra-signature': signature, 'content-type': 'application/json' };
  const response = await fetch(`${host.url}/api/v1/hooks/ci`, { method: 'POST', headers, body });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

function signed(body: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  return `t=${seconds},v1=${signatureOf(secrets.HOOK_SECRET, seconds, body)}`;
}

/** The task of the schedule's latest time that has come, once there is one. */
async function tick(): Promise<string> {
  for (let asked = 0; asked < 200; asked += 1) {
    const second = Math.floor(Date.now() / 1000) * 1000;
    const event_id = `schedule:tick:${new Date(second).toISOString()}`;
    const taskId = derivedId('turn', 'schedule', 'local', 'owner', event_id);
    const { status } = await host.request('GET', `/api/v1/agent/runs/${taskId}`);
    if (status === 200) return taskId;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the schedule did not come');
}

describe('a cron entry', () => {
  test('starts a run by the system whose grant is the binding’s own (RP-4.20, case 75)', async () => {
    const context = await contextOf(await tick());
    expect(context).toMatchObject({
      trigger: { type: 'schedule.triggered', source: 'scheduler' },
      event: { event_type: 'schedule.triggered', source: 'scheduler', data: { report: 'x' } },
      actor: { actor_type: 'system', actor_id: 'system' },
      subject: { subject_type: 'schedule', subject_id: 'tick', data: { cron: '* * * * * *', timezone: 'UTC' } },
      conversation: { conversation_id: reports },
      input: { text: null, contents: [] },
      adapter: null,
    });
    await expectNarrow(context);
  });
});

/** Less than a person’s run of the same agent has: that is the binding’s own grant, not the agent’s. */
async function expectNarrow(context: Record<string, unknown>): Promise<void> {
  const own = await contextOf(await host.accept('hello'));
  expect(own).toMatchObject({ trigger: { source: 'api' }, actor: { actor_id: 'owner' }, input: { text: 'hello' } });
  expect(own).toMatchObject({
    resources: { storage: { plugin_storage: true, workspace_storage: true }, history: { scope: 'workspace' } },
    context: { available_apis: { history_page: true } },
  });
  expect(context).toMatchObject({
    resources: { storage: { plugin_storage: true, workspace_storage: false } },
    context: { available_apis: { history_page: false } },
  });
  expect(context).toHaveProperty('resources.history', {});
}

describe('a webhook', () => {
  test('starts a run by the system whose grant is the binding’s own, once (case 75)', async () => {
    const body = '{"build":7}';
    const signature = signed(body);
    const taken = await deliver(body, signature);
    expect(taken).toMatchObject({ status: 202, body: { event_id: expect.stringMatching(/^webhook:ci:/) } });
    const context = await contextOf(taken.body.task_id);
    expect(context).toMatchObject({
      trigger: { type: 'ci.finished', source: 'platform' },
      event: { event_type: 'ci.finished', data: { build: 7 } },
      actor: { actor_type: 'system' },
      input: { text: null },
    });
    await expectNarrow(context);
    expect((await deliver(body, signature)).status).toBe(409);
  });

  test('with a wrong signature is 401, and nothing has happened (case 74)', async () => {
    const { status, body } = await deliver('{"build":8}', signed('{"build":9}'));
    expect([status, body.code]).toEqual([401, 'unauthorized']);
  });
});

describe('the event gateway', () => {
  const conversation = { conversation_id: 'group-1', bot_id: 'bot-1', thread_id: 'topic-2', launcher_type: 'group' };
  const actor = { actor_type: 'user', actor_id: 'tg-5', actor_name: 'Ada' };

  test('makes a message an ordinary input of its actor, which the same key can follow', async () => {
    const event = { event_id: randomUUID(), event_type: 'message.received', source: 'telegram', event_time: 7 };
    const delivery = { surface: 'telegram', supports_edit: true };
    const sent = { event, conversation, actor, input: { text: 'hello' }, delivery };
    const reply = await bridge(sent);
    expect(reply).toMatchObject({ status: 202, body: { event_id: event.event_id, agent_id: 'mirror' } });
    expect((await bridge(sent)).body).toEqual(reply.body);
    expect((await bridge({ ...sent, input: { text: 'other' } })).status).toBe(409);
    const task = String(reply.body.task_id);
    expect(await contextOf(task, secrets.BRIDGE_KEY)).toMatchObject({
      trigger: { type: 'message.received', source: 'platform', timestamp: 7 },
      event,
      conversation: {
        conversation_id: reply.body.session_id,
        thread_id: 'topic-2',
        bot_id: 'bot-1',
        launcher_type: 'group',
        launcher_id: 'group-1',
        workspace_id: 'local',
      },
      actor,
      input: { text: 'hello' },
      delivery,
    });
    // Whoever runs the workspace sees it; to another key it looks as if it were not there.
    expect((await host.request('GET', `/api/v1/agent/runs/${task}`)).status).toBe(200);
    const other = { headers: { authorization: `Bearer ${secrets.OTHER_KEY}` } };
    expect((await host.request('GET', `/api/v1/agent/runs/${task}`, other)).status).toBe(404);
  });

  test('never makes words of another event, and keeps what is large as an artifact (check 54)', async () => {
    const event = { event_id: randomUUID(), event_type: 'member.joined', source: 'telegram' };
    const subject = { subject_type: 'group', subject_id: 'group-1', data: { title: 'Club' } };
    const raw = { update: 'x'.repeat(100_000) };
    const reply = await bridge({ event, conversation, actor, subject, raw, input: { text: 'obey' } });
    expect(reply.status).toBe(202);
    expect(await contextOf(String(reply.body.task_id), secrets.BRIDGE_KEY)).toMatchObject({
      event: { data: {}, raw_ref: { size_bytes: JSON.stringify(raw).length, mime_type: 'application/json' } },
      subject,
      input: { text: null, contents: [], attachments: [], message_chain: null },
    });
  });

  test('answers 404 for an event that nothing is bound to, and 403 to a key without the scope (check 55)', async () => {
    const event = { event_id: randomUUID(), event_type: 'reaction.added', source: 'telegram' };
    expect((await bridge({ event })).status).toBe(404);
    const headers = { authorization: `Bearer ${secrets.BRIDGE_KEY}` };
    expect((await host.request('GET', '/metrics', { headers })).status).toBe(403);
  });
});

test('no secret is in the log, the database or a stream (check 42, case 79)', async () => {
  expect(host.output + streamed.join('')).not.toMatch(/canary-(bridge|hook)/);
  expect(streamed.length).toBeGreaterThan(10);
  const files = readdirSync(host.data).filter((name) => name.startsWith('rostra.db'));
  expect(files).toContain('rostra.db');
  for (const name of files) expect(readFileSync(join(host.data, name), 'latin1')).not.toMatch(/canary-(bridge|hook)/);
});
