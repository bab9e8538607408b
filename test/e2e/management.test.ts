import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';

const RUNNER = 'rostra/demo/default';
const someone = 'rostra_someone-0123456789';
const host = new HostProcess(
  {},
  {
    agents: { written: { runner: RUNNER, config: { name: 'written', api_key: 'in-the-file-7391' } } },
    prices: { '*': { input: 1, output: 1 } },
    auth: { keys: [{ name: 'someone', key: someone, scopes: ['runs'] }] },
  },
);
beforeAll(() => host.start());
afterAll(() => host.dispose());

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  host.request(method, `/api/v1${path}`, { ...(body !== undefined && { body }), headers });

async function say(agentId: string, threadId = randomUUID()): Promise<string> {
  const taskId = await host.accept('hello', { agentId, threadId });
  await host.events(taskId);
  return taskId;
}

describe('agents at run time', () => {
  test('one that was made answers at once, as it was last changed, and after a restart', async () => {
    const config = { runner: RUNNER, label: 'One', config: { name: 'made', api_key: 'made-secret-5521' } };
    const made = await api('POST', '/agents', { id: 'made', config });
    expect([made.status, made.headers.get('location')]).toEqual([201, '/api/v1/agents/made']);
    expect(JSON.stringify(made.body)).not.toContain('made-secret');
    await say('made');
    const etag = made.headers.get('etag') ?? '';
    const patch = { config: { label: 'Two', config: { api_key: '(secret)', colour: 'blue' } } };
    const changed = await api('PATCH', '/agents/made', patch, { 'if-match': etag });
    expect(changed.body).toMatchObject({ name: 'Two', config: { config: { name: 'made', colour: 'blue' } } });
    expect((await api('PATCH', '/agents/made', patch, { 'if-match': etag })).status).toBe(412);
    await host.signal('SIGTERM');
    await host.start();
    const { body } = await api('GET', `/agent/runs/${await say('made')}/context`);
    expect(body.context).toMatchObject({ config: { name: 'made', colour: 'blue', api_key: '(secret)' } });
    const { body: list } = await api('GET', '/agents');
    expect(list.items).toContainEqual(expect.objectContaining({ id: 'made', name: 'Two' }));
  });

  test('what the file describes is read-only, and says so', async () => {
    const written = await api('GET', '/agents/written');
    expect(written.body).toMatchObject({ source: 'file', isReadOnly: true, revision: null });
    expect(JSON.stringify(written.body)).not.toContain('in-the-file');
    for (const [method, path, body] of [
      ['PATCH', '/agents/written', { config: { label: 'x' } }],
      ['DELETE', '/agents/written?force=1', undefined],
      ['POST', '/agents', { id: 'written', config: { runner: RUNNER } }],
    ] as const) {
      const refused = await api(method, path, body);
      expect([refused.status, refused.body.details]).toMatchObject([409, { reason: 'AGENT_READ_ONLY' }]);
      expect(refused.body.message).toBe(
        'The agent "written" is named in the configuration file and cannot be changed here.',
      );
    }
  });

  test('one that is active in a session is deleted only by force', async () => {
    await api('POST', '/agents', { id: 'leaving', config: { runner: RUNNER } });
    const threadId = randomUUID();
    await say('leaving', threadId);
    const refused = await api('DELETE', '/agents/leaving');
    expect([refused.status, refused.body.details]).toMatchObject([
      409,
      { reason: 'AGENT_IN_USE', sessions: [threadId] },
    ]);
    expect((await api('DELETE', '/agents/leaving?force=1')).status).toBe(204);
    expect((await host.run('hello', { agentId: 'leaving' })).status).toBe(404);
  });

  test('of two changes of the same state one wins', async () => {
    const { headers } = await api('POST', '/agents', { id: 'raced', config: { runner: RUNNER } });
    const etag = { 'if-match': headers.get('etag') ?? '' };
    const labels = ['a', 'b', 'c', 'd'].map((label) => api('PATCH', '/agents/raced', { config: { label } }, etag));
    expect((await Promise.all(labels)).map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  });

  test('who may only run sees names and no configuration', async () => {
    const headers = { authorization: `Bearer ${someone}` };
    const { body } = await api('GET', '/agents', undefined, headers);
    const [first] = body.items as object[];
    expect(Object.keys(first ?? {}).sort()).toEqual(['description', 'id', 'isDefault', 'name']);
    expect((await api('GET', '/agents/written', undefined, headers)).status).toBe(403);
  });
});

describe('what is kept of a run', () => {
  test('its owner sees what the runner received, without the agent’s configuration; nobody else sees anything', async () => {
    const headers = { authorization: `Bearer ${someone}` };
    const threadId = randomUUID();
    const body = { threadId, runId: 'r', messages: [{ id: 'm', role: 'user', content: 'hello' }] };
    const { body: accepted } = await api('POST', '/agent/runs', body, headers);
    const at = `/agent/runs/${String(accepted.taskId)}`;
    await api('GET', `${at}/wait`, undefined, headers);
    const { body: own } = await api('GET', `${at}/context`, undefined, headers);
    expect(own.context).toMatchObject({ input: { text: 'hello' }, config: {} });
    const { body: granted } = await api('GET', `${at}/grant`, undefined, headers);
    expect(granted).toMatchObject({ attempt: 1, grant: { scope: { conversation_id: threadId } } });
    const foreign = `/agent/runs/${await say('guide')}`;
    for (const part of ['context', 'grant', 'records', 'audit']) {
      expect((await api('GET', `${foreign}/${part}`, undefined, headers)).status).toBe(404);
    }
  });

  test('its records are those of the turn, page by page', async () => {
    const taskId = await say('guide');
    const seen: { seq: number; turn_id: string; subtype: string }[] = [];
    let cursor: unknown = null;
    do {
      const query = cursor === null ? 'limit=3' : `limit=3&cursor=${String(cursor)}`;
      const { body } = await api('GET', `/agent/runs/${taskId}/records?${query}`);
      seen.push(...(body.items as typeof seen));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(new Set(seen.map(({ turn_id }) => turn_id))).toEqual(new Set([taskId]));
    expect(seen.map(({ seq }) => seq)).toEqual([...new Set(seen.map(({ seq }) => seq))].sort((a, b) => a - b));
    expect([seen[0]?.subtype, seen.some(({ subtype }) => subtype === 'TURN_COMPLETED')]).toEqual(['INPUT', true]);
  });
});

describe('the host at run time', () => {
  test('a setting holds at once, and a wrong one among others changes nothing', async () => {
    const level = async () => {
      const { body } = await api('GET', '/settings');
      return (body.items as { key: string; value: unknown }[]).find(({ key }) => key === 'log.level')?.value;
    };
    const wrong = await api('PATCH', '/settings', { set: { 'log.level': 'error', 'session.idle': 'long' } });
    expect([wrong.status, await level()]).toEqual([422, 'info']);
    await api('PATCH', '/settings', { set: { 'log.level': 'error' } });
    expect(await level()).toBe('error');
    await api('PATCH', '/settings', { reset: ['log.level'] });
    expect(await level()).toBe('info');
  });

  test('a restarted runner has another process, and runs go on', async () => {
    const pids = async () => {
      const { body } = await api('GET', '/runners');
      return (body.items as { id: string; pids: number[] }[]).find(({ id }) => id === 'demo')?.pids ?? [];
    };
    await say('guide');
    const before = await pids();
    expect((await api('POST', '/runners/demo/restart')).status).toBe(202);
    await say('guide');
    const after = await pids();
    expect(after.some((pid) => !before.includes(pid))).toBe(true);
  });

  test('usage counts runs by agent and day, and what is unknown is not nothing', async () => {
    await say('scout');
    const { body } = await api('GET', '/usage?by=agent,day');
    const rows = body.items as { agentId: string; runs: number; day: string }[];
    const total = body.total as { runs: number; unknownTokens: number; cost: number | null };
    expect(rows.reduce((sum, { runs }) => sum + runs, 0)).toBe(total.runs);
    expect(rows.find(({ agentId }) => agentId === 'scout')).toMatchObject({
      runs: 1,
      day: new Date().toISOString().slice(0, 10),
    });
    expect(total.unknownTokens).toBeGreaterThan(0);
  });

  test('acts of administrators are in the audit', async () => {
    await api('POST', '/agents', { id: 'audited', config: { runner: RUNNER } });
    const { body } = await api('GET', '/audit?action=agent.create&actor=user:owner&limit=1');
    expect(body.items).toMatchObject([{ action: 'agent.create', resource: 'audited', result: 'ok' }]);
    const next = await api('GET', `/audit?action=agent.create&limit=1&cursor=${String(body.nextCursor)}`);
    expect(next.body.items).toMatchObject([{ resource: expect.not.stringMatching('audited') }]);
  });
});
