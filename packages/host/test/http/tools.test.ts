import { fileURLToPath } from 'node:url';
import { ToolListing, ToolServerDetails, type ToolServerItem } from '@rostra/protocol/run-api/tool-api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { canary, type DesksOptions, desks, someKey } from './capability-desks.ts';
import type { Answer, TestHost } from './test-host.ts';

let hosts: TestHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.stop()));
  hosts = [];
});

async function scene(options: DesksOptions = {}) {
  const all = await desks(options);
  hosts.push(all.host);
  return all;
}

const SERVERS = '/tools/servers';
const program = fileURLToPath(new URL('../capabilities/tools/fixtures/wild-server.mjs', import.meta.url));
const command = [process.execPath, program];
const asleep = { command, enabled: false, env: { TOKEN: canary } };
const remote = {
  url: `https://tools.example/mcp?apiKey=${canary}`,
  enabled: false,
  headers: { Authorization: `Bearer ${canary}` },
};
const reasonOf = (answer: Answer) => [answer.status, answer.json().details.reason];

describe('tool servers at run time', () => {
  it('are made, shown without what is secret of them, changed and deleted', async () => {
    const { ask, rows, host } = await scene();
    const made = await ask('POST', SERVERS, { id: 'files', config: asleep });
    expect([made.status, made.headers.location]).toEqual([201, '/api/v1/tools/servers/files']);
    expect(ToolServerDetails.parse(made.json())).toMatchObject({
      source: 'store',
      transport: 'stdio',
      state: 'disabled',
      config: { command, env: { TOKEN: '(secret)' }, policy: 'ask' },
    });
    const far = await ask('POST', SERVERS, { id: 'far', config: remote });
    expect(far.json()).toMatchObject({
      transport: 'http',
      config: { url: 'https://tools.example/mcp?(secret)', headers: { Authorization: '(secret)' } },
    });
    const shown = far.json().config as object;
    const back = await ask('PATCH', `${SERVERS}/far`, { config: { ...shown, policy: 'allow' } });
    expect(back.json()).toMatchObject({ config: { policy: 'allow', url: 'https://tools.example/mcp?(secret)' } });
    const kept = JSON.stringify([await rows.list('tool_server'), host.audit]);
    expect(kept).toContain('tools.example/mcp');
    expect(kept + made.text + far.text + back.text).not.toContain(canary);
    expect((await ask('DELETE', `${SERVERS}/far`, undefined, { 'if-match': far.headers.etag ?? '' })).status).toBe(412);
    expect((await ask('DELETE', `${SERVERS}/far`)).status).toBe(204);
    expect((await ask('GET', SERVERS)).json().items).toMatchObject([{ id: 'files' }]);
  });

  it('are called with the secrets that they were given, also after a restart', async () => {
    const keys = someKey();
    const { ask, rows } = await scene({ keys });
    await ask('POST', SERVERS, { id: 'far', config: remote });
    const { shelf } = await scene({ registry: rows, keys });
    expect(shelf.status()).toMatchObject([{ server_id: 'far', source: 'store', config: remote }]);
  });

  it('whose secrets cannot be read are not connected, and say what to do', async () => {
    const { ask, rows } = await scene();
    await ask('POST', SERVERS, { id: 'far', config: { ...remote, enabled: true, url: 'http://127.0.0.1:9/mcp' } });
    const locked = await scene({ registry: rows });
    expect(locked.shelf.status()).toEqual([]);
    const list = await locked.ask('GET', SERVERS);
    expect(list.json().items).toMatchObject([{ id: 'far', state: 'failed', problem: { reason: 'SECRETS_LOCKED' } }]);
    expect(reasonOf(await locked.ask('POST', `${SERVERS}/far/approve`))).toEqual([409, 'SECRETS_LOCKED']);
  });

  it('do not carry headers to another address, and refuse what stands for a query that is not there', async () => {
    const { ask } = await scene();
    await ask('POST', SERVERS, { id: 'far', config: remote });
    const away = await ask('PATCH', `${SERVERS}/far`, { config: { url: 'https://thief.example/mcp' } });
    expect([away.status, away.json().message]).toEqual([422, expect.stringContaining('for another address')]);
    const masked = await ask('PATCH', `${SERVERS}/far`, { config: { url: 'https://thief.example/mcp?(secret)' } });
    expect([masked.status, masked.json().message]).toEqual([422, expect.stringContaining('not kept here')]);
    const config = { url: 'https://new.example/mcp', headers: { Authorization: 'Bearer new' } };
    expect((await ask('PATCH', `${SERVERS}/far`, { config })).status).toBe(200);
  });

  it('of the file are read-only, ids are taken once, and mistakes are told with their place', async () => {
    const { ask } = await scene({ config: { tools: { servers: { written: asleep } } } });
    const written = await ask('GET', `${SERVERS}/written`);
    expect(written.json()).toMatchObject({ source: 'file', isReadOnly: true, config: { env: { TOKEN: '(secret)' } } });
    for (const [method, path, body] of [
      ['POST', SERVERS, { id: 'written', config: asleep }],
      ['PATCH', `${SERVERS}/written`, { config: {} }],
      ['DELETE', `${SERVERS}/written`, undefined],
    ] as const) {
      expect(reasonOf(await ask(method, path, body))).toEqual([409, 'TOOL_SERVER_READ_ONLY']);
    }
    await ask('POST', SERVERS, { id: 'twice', config: asleep });
    expect(reasonOf(await ask('POST', SERVERS, { id: 'twice', config: asleep }))).toEqual([409, 'TOOL_SERVER_EXISTS']);
    for (const [id, config] of [
      ['Wrong', asleep],
      ['x', { command: 'one text' }],
      ['x', { url: 'file:///etc/passwd' }],
      ['x', { url: `https://${canary}@x.example/mcp` }],
      ['x', { command, headers: { A: canary } }],
    ] as const) {
      const answer = await ask('POST', SERVERS, { id, config });
      expect(answer.status).toBe(422);
      expect(answer.text).not.toContain(canary);
    }
  });
});

describe('the tools of a server', () => {
  it('are listed with their state, offered when somebody approves them, and forgotten with the server', async () => {
    const { ask, rows, host } = await scene();
    await ask('POST', SERVERS, { id: 'wild', config: { command, approval: 'by_hand', policy: 'allow' } });
    const item = async () => (await ask('GET', `${SERVERS}/wild`)).json() as unknown as ToolServerItem;
    await vi.waitFor(async () => expect((await item()).state).toBe('ready'), { timeout: 10_000 });
    const tools = async () => ToolListing.array().parse((await ask('GET', '/tools')).json().items);
    const look = { name: 'wild__look', description: 'Looks around.', source: 'mcp:wild', policy: 'allow' };
    expect(await tools()).toContainEqual(expect.objectContaining({ ...look, state: 'new' }));
    const approved = await ask('POST', `${SERVERS}/wild/approve`);
    expect(approved.json().tools).toContainEqual(
      expect.objectContaining({ name: 'look', offeredAs: 'wild__look', state: 'approved' }),
    );
    expect(await tools()).toContainEqual(expect.objectContaining({ ...look, state: 'approved' }));
    const { hash } = (await item()).tools.find(({ name }) => name === 'look') ?? { hash: '' };
    expect(host.audit.at(-1)).toMatchObject({ action: 'tool_server.approve', details: { tools: { look: hash } } });
    expect((await rows.list('tool_pin')).length).toBeGreaterThan(0);
    await ask('DELETE', `${SERVERS}/wild`);
    expect([await rows.list('tool_pin'), await tools()]).toEqual([[], []]);
  });

  it('of one that cannot be reached cannot be approved, and nothing there is 404', async () => {
    const { ask } = await scene();
    await ask('POST', SERVERS, { id: 'gone', config: { url: 'http://127.0.0.1:9/mcp' } });
    await vi.waitFor(async () => {
      expect((await ask('GET', `${SERVERS}/gone`)).json()).toMatchObject({
        state: 'failed',
        problem: { reason: 'TOOL_SERVER_FAILED', message: expect.stringContaining('gone') },
        retryAt: expect.any(String),
      });
    });
    expect((await ask('POST', `${SERVERS}/gone/approve`)).status).toBe(503);
    expect((await ask('POST', `${SERVERS}/nothing/approve`)).status).toBe(404);
  });
});
