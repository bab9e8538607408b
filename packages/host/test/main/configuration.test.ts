import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { describe, expect, it } from 'vitest';
import { configRows, secretsOf, settingRows } from '../../src/main/config-view.ts';
import { Configuration } from '../../src/main/configuration.ts';
import { folderWith } from '../config/config-folder.ts';

const read = (env: Record<string, string>, cwd = '/srv', flags: Record<string, string> = {}) =>
  Configuration.read({ env, flags, cwd });
const settingsOf = async (env: Record<string, string>, cwd = '/srv') => (await read(env, cwd)).settings;

describe('settings', () => {
  it('have a default each, and an empty variable counts as unset', async () => {
    const defaults = {
      host: '127.0.0.1',
      port: 8787,
      port_is_explicit: false,
      public_url: null,
      data: '/srv/.rostra',
      api_key: null,
      api_key_from: null,
      durability: 'class',
      hosts: [],
      origins: [],
    };
    expect(await settingsOf({})).toEqual(defaults);
    const empty = { ROSTRA_PORT: '', ROSTRA_HOSTS: '', ROSTRA_API_KEY: '', ROSTRA_CONFIG: '' };
    expect(await settingsOf(empty)).toEqual(defaults);
  });

  it('are read from the environment', async () => {
    const env = {
      ROSTRA_HOST: '0.0.0.0',
      ROSTRA_PORT: '0',
      ROSTRA_DATA: '../data',
      ROSTRA_API_KEY: 'a-long-random-text',
      ROSTRA_DURABILITY: 'flush',
      ROSTRA_HOSTS: 'a.example, b.example',
      ROSTRA_ORIGINS: 'https://a.example,http://b.example:3000',
      ROSTRA_PUBLIC_URL: 'https://agents.example/',
    };
    expect(await settingsOf(env, '/srv/x')).toEqual({
      host: '0.0.0.0',
      port: 0,
      port_is_explicit: true,
      public_url: 'https://agents.example',
      data: '/srv/data',
      api_key: 'a-long-random-text',
      api_key_from: 'ROSTRA_API_KEY',
      durability: 'flush',
      hosts: ['a.example', 'b.example'],
      origins: ['https://a.example', 'http://b.example:3000'],
    });
  });

  it.each([
    { ROSTRA_HOST: 'a b' },
    { ROSTRA_HOST: 'http://x' },
    { ROSTRA_HOST: '[::1]' },
    { ROSTRA_PORT: 'x' },
    { ROSTRA_PORT: '65536' },
    { ROSTRA_PORT: '-1' },
    { ROSTRA_API_KEY: 'short' },
    { ROSTRA_API_KEY: 'a long random text' },
    { ROSTRA_DURABILITY: 'often' },
    { ROSTRA_HOSTS: 'a.example:80' },
    { ROSTRA_ORIGINS: 'a.example' },
    { ROSTRA_ORIGINS: 'https://a.example/path' },
    { ROSTRA_PUBLIC_URL: 'agents.example' },
    { ROSTRA_PUBLIC_URL: 'https://agents.example/rostra' },
    { ROSTRA_PUBLIC_URL: 'ftp://agents.example' },
  ])('that are wrong are refused by name: %j', async (env) => {
    const [name = ''] = Object.keys(env);
    await expect(read({ ...env })).rejects.toMatchObject({ message: expect.stringMatching(`^${name} must`) });
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'agents.example'])('%s needs a key of its own', async (host) => {
    const open = read({ ROSTRA_HOST: host });
    await expect(open).rejects.toThrow(ApiError);
    await expect(open).rejects.toThrow('ROSTRA_API_KEY');
    const kept = await settingsOf({ ROSTRA_HOST: host, ROSTRA_API_KEY: 'a-long-random-text' });
    expect(kept.host).toBe(host);
  });

  it('may be a key of the file or tokens of another system, too', async () => {
    const keys = 'auth: { keys: [{ name: a, key: 0123456789abcdef, scopes: [runs] }] }';
    const jwt = 'auth: { jwt: { issuer: a, audience: b, jwks_file: keys.json } }';
    for (const text of [keys, jwt]) {
      expect((await settingsOf({ ROSTRA_HOST: '0.0.0.0' }, folderWith({ 'rostra.yaml': text }))).host).toBe('0.0.0.0');
    }
  });

  it.each(['127.0.0.1', '127.0.0.2', 'localhost', '::1'])('%s does not', async (host) => {
    expect((await settingsOf({ ROSTRA_HOST: host })).api_key).toBeNull();
  });
});

describe('layers', () => {
  const text = 'server: { port: 1000, hosts: [a.example] }\ndata: { folder: store }\nlog: { level: warn }\n';

  it('win in their order: option, variable, file, store, default', async () => {
    const cwd = folderWith({ 'rostra.yaml': text });
    const stored = new Map<string, string | number>([
      ['log.level', 'debug'],
      ['session.idle', 7],
    ]);
    const both = await read({ ROSTRA_PORT: '2000' }, cwd, { port: '3000' });
    expect(both.config.server.port).toBe(3000);
    expect(both.originOf(['server', 'port'])).toEqual({ from: 'flag', name: '--port' });
    const env = (await read({ ROSTRA_PORT: '2000' }, cwd)).withStored(stored);
    expect(env.config.server).toMatchObject({ port: 2000, hosts: ['a.example'] });
    expect(env.originOf(['server', 'port'])).toEqual({ from: 'env', name: 'ROSTRA_PORT' });
    expect(env.config.log.level).toBe('warn');
    expect(env.originOf(['log', 'level'])).toEqual({ from: 'file', place: { line: 3, column: 8 } });
    expect(env.config.session.idle).toBe(7);
    expect(env.originOf(['session', 'idle'])).toEqual({ from: 'store' });
    expect(env.originOf(['demo'])).toEqual({ from: 'default' });
  });

  it('read the file that is named, rather than the one that is here', async () => {
    const cwd = folderWith({ 'rostra.yaml': 'demo: true', 'sub/other.yaml': 'demo: false' });
    expect((await read({}, cwd)).config.demo).toBe(true);
    expect((await read({ ROSTRA_CONFIG: 'sub/other.yaml' }, cwd)).config.demo).toBe(false);
    expect((await read({ ROSTRA_CONFIG: 'gone.yaml' }, cwd, { config: 'sub/other.yaml' })).file?.shown).toBe(
      'sub/other.yaml',
    );
    await expect(read({ ROSTRA_CONFIG: 'gone.yaml' }, cwd)).rejects.toThrow('gone.yaml cannot be read (ENOENT)');
  });

  it('see relative paths from where they were written', async () => {
    const cwd = folderWith({ 'sub/rostra.yaml': `${text}\n`, 'sub/log.yaml': 'log: { file: x.log }' });
    const named = { config: 'sub/rostra.yaml' };
    expect((await read({}, cwd, named)).settings.data).toBe(path.join(cwd, 'sub/store'));
    expect((await read({ ROSTRA_DATA: 'd' }, cwd, named)).settings.data).toBe(path.join(cwd, 'd'));
    expect((await read({}, cwd, { config: 'sub/log.yaml' })).settings.data).toBe(path.join(cwd, '.rostra'));
    expect((await read({}, cwd, { config: 'sub/log.yaml' })).log.file).toBe(path.join(cwd, 'sub/x.log'));
  });

  it('refuse wrong options by their names', async () => {
    await expect(read({}, '/srv', { port: 'x' })).rejects.toThrow('--port must be a port number from 0 to 65535.');
    await expect(read({}, '/srv', { 'log-level': 'loud' })).rejects.toThrow('--log-level must be');
  });

  it.each([
    ['server: { host: a b }', 'rostra.yaml:1:11: server.host must be an address or a host name'],
    ['server: { host: 0.0.0.0 }', 'rostra.yaml:1:11: server.host can be reached from other machines'],
    ['server: { origins: [a.example] }', 'rostra.yaml:1:11: server.origins must be origins like'],
    ['auth: { api_key: short }', 'rostra.yaml:1:9: auth.api_key must be 16 to 512'],
    ['session: { agents: [a, b, a] }', 'rostra.yaml:1:12: session.agents names "a" twice.'],
    ['session: { agents: [a], active: b }', 'rostra.yaml:1:25: session.active must be one of session.agents.'],
  ])('hold the file to the same rules: %s', async (text, message) => {
    await expect(read({}, folderWith({ 'rostra.yaml': text }))).rejects.toThrow(message);
  });

  it('take the key of the environment for a host that the file opens to others', async () => {
    const cwd = folderWith({ 'rostra.yaml': 'server: { host: 0.0.0.0 }' });
    expect((await read({ ROSTRA_API_KEY: 'a-long-random-text' }, cwd)).settings.host).toBe('0.0.0.0');
  });
});

describe('what is shown', () => {
  const text = [
    `auth: { api_key: "\${KEY}" }`,
    'runners:',
    `  - { path: "\${DIR}/r", env: { TOKEN: token-in-the-clear } }`,
    '  - { remote: far, token: file:token }',
    'agents:',
    `  a: { runner: x/y/z, config: { deep: { openai_api_key: "sk-in-the-clear" }, prompt: "file:prompt", tone: "\${TONE}" } }`,
  ].join('\n');
  const env = { KEY: 'key-of-the-owner-1', DIR: './dir', TONE: 'kind' };
  const files = { 'rostra.yaml': text, token: 'token-of-far\n', prompt: 'prompt-of-a' };

  it('has no secret in it, and what variables filled in as it was written', async () => {
    const rows = configRows(await read({ ...env }, folderWith(files)));
    const shown = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
    expect(shown).toMatchObject({
      'auth.api_key': '(secret)',
      'runners[0].path': `\${DIR}/r`,
      'runners[0].env.TOKEN': '(secret)',
      'runners[1].token': '(secret)',
      'agents.a.config.deep.openai_api_key': '(secret)',
      'agents.a.config.prompt': '(secret)',
      'agents.a.config.tone': `\${TONE}`,
      'server.port': 8787,
    });
    const all = JSON.stringify(rows);
    for (const secret of ['key-of-the-owner', 'in-the-clear', 'token-of-far', 'prompt-of-a', 'kind']) {
      expect(all).not.toContain(secret);
    }
  });

  it('has no address in it that holds a password or a key', async () => {
    const addresses = [
      'models:',
      '  m: { provider: openai-compatible, model: x, base_url: "http://me:canary-1@127.0.0.1/v1" }',
      '  n: { provider: openai-compatible, model: x, base_url: "http://127.0.0.1/v1" }',
      'tools: { servers: { web: { url: "https://tools.test/mcp?key=canary-2" } } }',
    ].join('\n');
    const configuration = await read({}, folderWith({ 'rostra.yaml': addresses }));
    const rows = configRows(configuration);
    expect(Object.fromEntries(rows.map(({ key, value }) => [key, value]))).toMatchObject({
      'models.m.base_url': '(secret)',
      'models.n.base_url': 'http://127.0.0.1/v1',
      'tools.servers.web.url': '(secret)',
    });
    expect(JSON.stringify([rows, settingRows(configuration)])).not.toContain('canary');
  });

  it('says where each value comes from', async () => {
    const rows = configRows(await read({ ...env, ROSTRA_PORT: '1' }, folderWith(files), { host: 'localhost' }));
    const origins = Object.fromEntries(rows.map(({ key, origin }) => [key, origin]));
    expect(origins).toMatchObject({
      'server.host': 'flag --host',
      'server.port': 'env ROSTRA_PORT',
      'auth.api_key': 'file rostra.yaml:1',
      'runners[1].remote': 'file rostra.yaml:4',
      demo: 'default',
    });
  });

  it('tells the log every secret, to be taken out of its lines', async () => {
    expect(secretsOf(await read({ ...env }, folderWith(files))).sort()).toEqual(
      ['key-of-the-owner-1', 'prompt-of-a', 'sk-in-the-clear', 'token-in-the-clear', 'token-of-far'].sort(),
    );
  });
});
