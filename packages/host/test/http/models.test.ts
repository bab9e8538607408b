import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ModelConfig } from '@rostra/protocol/config/model-config';
import { ModelDetails, ModelItem, ModelTrial } from '@rostra/protocol/run-api/model-api';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { afterEach, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../../../../test/fakes/model-server.ts';
import { secretKeys } from '../../src/main/secret-key.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { databasePath, workerUrl } from '../store/sqlite/sqlite-folder.ts';
import { canary, type DesksOptions, desks, someKey } from './capability-desks.ts';
import type { Answer, TestHost } from './test-host.ts';

let hosts: TestHost[] = [];
let servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all([...hosts.map((host) => host.stop()), ...servers.map((server) => server.close())]);
  [hosts, servers] = [[], []];
});

async function scene(options: DesksOptions = {}) {
  const all = await desks(options);
  hosts.push(all.host);
  return all;
}

async function provider(options: { api_key?: string } = {}): Promise<ModelServer> {
  const server = await startModelServer(options);
  servers.push(server);
  return server;
}

const ID = 'anthropic/some-model';
const path = `/models/${encodeURIComponent(ID)}`;
const given = { provider: 'anthropic', model: 'some-model', api_key: canary, headers: { 'X-Team': `team-${canary}` } };
const reasonOf = (answer: Answer) => [answer.status, answer.json().details.reason];

describe('models at run time', () => {
  it('are made, shown without their keys, changed and deleted, with slashes in their ids', async () => {
    const { ask, host } = await scene();
    const made = await ask('POST', '/models', { id: ID, config: given });
    expect([made.status, made.headers.location]).toEqual([201, `/api/v1${path}`]);
    expect(ModelDetails.parse(made.json())).toMatchObject({
      id: ID,
      source: 'store',
      hasKey: true,
      keyVariable: null,
      problem: null,
      config: { api_key: '(secret)', headers: { 'X-Team': '(secret)' }, retries: 2 },
    });
    const changed = await ask('PATCH', path, { config: { label: 'Mine', headers: { 'X-Team': null } } });
    expect(changed.json()).toMatchObject({ label: 'Mine', hasKey: true, config: { headers: {} } });
    expect((await ask('PATCH', path, { config: {} }, { 'if-match': made.headers.etag ?? '' })).status).toBe(412);
    const list = await ask('GET', '/models');
    expect(list.json().items).toHaveLength(1);
    expect(ModelItem.parse((list.json().items as unknown[])[0])).toMatchObject({ id: ID, label: 'Mine' });
    expect((await ask('DELETE', path)).status).toBe(204);
    expect((await ask('GET', path)).status).toBe(404);
    expect(host.audit.map(({ action, resource }) => [action, resource])).toEqual([
      ['model.create', ID],
      ['model.change', ID],
      ['http.patch', `/api/v1${path}`],
      ['model.delete', ID],
      ['http.get', `/api/v1${path}`],
    ]);
  });

  it('that the file or the environment describes can be read and not changed', async () => {
    const detected = {
      'openai/found': {
        config: ModelConfig.parse({ provider: 'openai', model: 'found' }),
        source: 'detected' as const,
        key_variable: 'OPENAI_API_KEY',
      },
    };
    const { ask } = await scene({
      config: { models: { written: { ...given, base_url: 'https://me:pass@x.example/v1?key=1' } } },
      detected,
      environment: { OPENAI_API_KEY: canary },
    });
    const list = await ask('GET', '/models');
    expect(list.json().items).toMatchObject([
      { id: 'openai/found', source: 'detected', isReadOnly: true, hasKey: true, keyVariable: 'OPENAI_API_KEY' },
      { id: 'written', source: 'file', isReadOnly: true, hasKey: true, keyVariable: null },
    ]);
    const written = await ask('GET', '/models/written');
    expect(written.json().config).toMatchObject({ base_url: 'https://(secret)@x.example/v1?(secret)' });
    expect(list.text + written.text).not.toContain(canary);
    expect(reasonOf(await ask('PATCH', '/models/written', { config: {} }))).toEqual([409, 'MODEL_READ_ONLY']);
    expect(reasonOf(await ask('POST', '/models', { id: 'written', config: given }))).toEqual([409, 'MODEL_READ_ONLY']);
    expect(reasonOf(await ask('DELETE', '/models/openai%2Ffound'))).toEqual([409, 'MODEL_READ_ONLY']);
    expect((await ask('POST', '/models', { id: 'openai/found', config: given })).status).toBe(201);
    expect(reasonOf(await ask('POST', '/models', { id: 'openai/found', config: given }))).toEqual([
      409,
      'MODEL_EXISTS',
    ]);
  });

  it.each<[string, object, string]>([
    ['an unknown provider', { ...given, provider: canary }, 'config.provider must be one of'],
    ['no name', { provider: 'openai' }, 'config.model must be given'],
    ['a key that is none', { ...given, api_key: { of: canary } }, 'config.api_key must be a text'],
    ['an unknown word', { ...given, modle: 'x' }, 'config.modle is not a key'],
    ['credentials in its address', { ...given, base_url: `https://${canary}@x.example` }, 'config.base_url must be'],
    ['a file as its address', { ...given, base_url: 'file:///etc/passwd' }, 'config.base_url must be'],
    ['what only stands for a key', { ...given, api_key: '(secret)' }, 'stands for a secret that is not kept here'],
  ])('with %s are refused without a word of what is secret', async (_, config, words) => {
    const { ask, rows, host } = await scene();
    const answer = await ask('POST', '/models', { id: 'x', config });
    expect(answer.status).toBe(422);
    expect(answer.json().message).toContain(words);
    expect(JSON.stringify([answer.json(), host.audit, await rows.list('model')])).not.toContain(canary);
    expect(await rows.list('model')).toEqual([]);
  });

  it('cannot have an id that is no name of anything', async () => {
    const { ask } = await scene();
    for (const id of ['', '__proto__', 'a b', `${'x'.repeat(257)}`]) {
      expect([id, (await ask('POST', '/models', { id, config: given })).status]).toEqual([id, 422]);
    }
    // Nobody could read, change or delete these again: clients and servers take them out of every address.
    for (const id of ['.', '..']) {
      const refused = await ask('POST', '/models', { id, config: given });
      const message = 'id: cannot be . or .., which no address can end with';
      expect([refused.status, refused.json().message]).toEqual([422, message]);
    }
  });

  it('do not carry a key to another address unless it is given again', async () => {
    const { ask } = await scene();
    await ask('POST', '/models', { id: ID, config: given });
    for (const config of [
      { base_url: 'https://elsewhere.example' },
      { provider: 'openai' },
      { base_url: 'https://elsewhere.example', api_key: '(secret)', headers: null },
      { base_url: 'https://elsewhere.example', api_key: 'another-key', headers: { 'X-Other': 'x' } },
    ]) {
      const refused = await ask('PATCH', path, { config });
      expect([refused.status, refused.json().message]).toEqual([422, expect.stringContaining('for another address')]);
    }
    const config = { base_url: 'https://elsewhere.example', api_key: 'another-key', headers: null };
    expect((await ask('PATCH', path, { config })).json()).toMatchObject({ config: { base_url: config.base_url } });
    expect((await ask('PATCH', path, { config: { base_url: null, api_key: null } })).status).toBe(200);
  });
});

describe('the key of a stored model', () => {
  it('is in no file, answer, audit row or line of the log', async () => {
    const file = await databasePath();
    const data = dirname(file);
    const store = await SqliteStore.open({ path: file, workerUrl });
    const { ask, host, log, logged } = await scene({ registry: store.registry, keys: secretKeys(data, {}) });
    const answers = [
      await ask('POST', '/models', { id: ID, config: given }),
      await ask('PATCH', path, { config: { api_key: `${canary}-two`, label: 'x' } }),
      await ask('GET', '/models'),
      await ask('GET', path),
      await ask('POST', '/models', { id: ID, config: given }),
    ];
    log.info('some.line', { text: `${canary}-two and team-${canary}` });
    await store.close();
    const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['rostra.db', 'secret.key']));
    const bytes = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('');
    expect(bytes).toContain('some-model');
    const seen = [...answers.map(({ text }) => text), JSON.stringify(host.audit), ...logged].join('\n');
    expect(bytes + seen).not.toContain(canary.slice(3, 20));
    expect(logged.join('')).toContain('[redacted]');
  });

  it('is found again after a restart, and locked under another key: the host serves on and says what to do', async () => {
    const keys = someKey();
    const { ask, rows } = await scene({ keys });
    await ask('POST', '/models', { id: ID, config: given });
    await ask('POST', '/models', { id: 'free', config: { provider: 'openai-compatible', model: 'm' } });
    const again = await scene({ registry: rows, keys });
    expect((await again.ask('GET', path)).json()).toMatchObject({ hasKey: true, problem: null });
    const locked = await scene({ registry: rows, environment: { ANTHROPIC_API_KEY: 'of-the-environment' } });
    expect((await locked.ask('GET', '/models')).json().items).toMatchObject([
      { id: 'free', problem: null },
      { id: ID, hasKey: false, problem: { reason: 'SECRETS_LOCKED', hint: expect.stringContaining('secret.key') } },
    ]);
    expect((await locked.ask('POST', `${path}/test`)).json()).toMatchObject({ ok: false, reason: 'SECRETS_LOCKED' });
    expect(reasonOf(await locked.ask('PATCH', path, { config: { label: 'x' } }))).toEqual([409, 'SECRETS_LOCKED']);
    const mended = await locked.ask('PATCH', path, { config: { api_key: 'another' } });
    expect(mended.json()).toMatchObject({ hasKey: true, problem: null, config: { headers: {} } });
  });

  it('that was moved in the database to another model or address opens nowhere', async () => {
    const keys = someKey();
    const { ask, rows } = await scene({ keys });
    await ask('POST', '/models', { id: ID, config: given });
    const row = await rows.get('model', ID);
    const value = row?.value as { config: JsonObject; sealed: JsonObject };
    const change = { at: 2, by: 'thief' };
    await rows.put('model', 'copy', value, change);
    await rows.put(
      'model',
      'led-away',
      { ...value, config: { ...value.config, base_url: 'https://thief.example' } },
      change,
    );
    await rows.put('model', ID, { ...value, config: { ...value.config, base_url: 'https://thief.example' } }, change);
    const after = await scene({ registry: rows, keys });
    const items = (await after.ask('GET', '/models')).json().items as { problem: unknown }[];
    expect(items).toHaveLength(3);
    for (const { problem } of items) expect(problem).toMatchObject({ reason: 'SECRETS_LOCKED' });
  });
});

describe('a trial of a model', () => {
  it.each(['chat', 'embedding', 'rerank'])('of kind %s makes one small call with its key', async (kind) => {
    const server = await provider({ api_key: canary });
    const { ask, host } = await scene();
    const config = {
      provider: 'openai-compatible',
      model: `fake-${kind}`,
      kind,
      base_url: server.openai_url,
      api_key: canary,
    };
    await ask('POST', '/models', { id: 'own', config });
    const trial = ModelTrial.parse((await ask('POST', '/models/own/test')).json());
    expect(trial).toMatchObject({
      ok: true,
      reason: null,
      hint: null,
      sentence: expect.stringContaining('own answered'),
    });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${canary}`]);
    expect(host.audit.at(-1)).toMatchObject({ action: 'model.test', resource: 'own', details: { ok: true } });
  });

  it('with a refused key says so in one sentence, without the key', async () => {
    const server = await provider({ api_key: 'the-right-key' });
    const { ask, host } = await scene();
    const config = { provider: 'anthropic', model: 'fake-chat', base_url: server.anthropic_url, api_key: canary };
    await ask('POST', '/models', { id: ID, config });
    const answer = await ask('POST', `${path}/test`);
    expect(answer.json()).toMatchObject({
      ok: false,
      reason: 'MODEL_KEY_REFUSED',
      sentence: expect.stringContaining('401'),
    });
    expect(answer.text + JSON.stringify(host.audit)).not.toContain(canary);
  });

  it('without any key names the variable, and one that is not there is 404', async () => {
    const { ask } = await scene();
    await ask('POST', '/models', { id: ID, config: { provider: 'anthropic', model: 'x' } });
    expect((await ask('GET', path)).json()).toMatchObject({ hasKey: false, problem: { reason: 'MODEL_KEY_MISSING' } });
    expect((await ask('POST', `${path}/test`)).json()).toMatchObject({
      ok: false,
      reason: 'MODEL_KEY_MISSING',
      sentence: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
    expect((await ask('POST', '/models/nothing/test')).status).toBe(404);
  });
});
