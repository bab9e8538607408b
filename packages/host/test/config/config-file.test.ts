import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { type ConfigFile, readConfigFile } from '../../src/config/config-file.ts';
import { folderWith } from './config-folder.ts';

function read(text: string, env: Record<string, string> = {}, files: Record<string, string> = {}): Promise<ConfigFile> {
  const folder = folderWith({ 'rostra.yaml': text, ...files });
  return readConfigFile({ path: path.join(folder, 'rostra.yaml'), shown: 'rostra.yaml', env, check: () => [] });
}

/** The lines of the refusal. */
async function mistakes(text: string, env: Record<string, string> = {}, files: Record<string, string> = {}) {
  const error: unknown = await read(text, env, files).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`no refusal: ${String(error)}`);
  return error.message.split('\n');
}

describe('a configuration file', () => {
  it('may be empty, or have sections in which every line is commented out', async () => {
    expect((await read('')).value).toEqual({});
    expect((await read('# nothing\n')).value).toEqual({});
    expect((await read('server:\n  # port: 1\nrunners:\n  # - x\n')).value).toEqual({});
  });

  it('keeps a null where null is a value', async () => {
    expect((await read('session: { agents: null }\n')).value).toEqual({ session: { agents: null } });
  });

  it('says where each value stands', async () => {
    const file = await read('server:\n  port: 1\nrunners:\n  - ../a\n  - path: ../b\n');
    expect(file.placeOf(['server', 'port'])).toEqual({ line: 2, column: 3 });
    expect(file.placeOf(['runners', 1, 'path'])).toEqual({ line: 5, column: 5 });
    expect(file.placeOf(['runners', 1, 'name'])).toEqual({ line: 5, column: 5 });
  });

  it('may use anchors', async () => {
    const text = 'agents:\n  a: &agent { runner: x/y/z }\n  b: *agent\n';
    expect((await read(text)).value).toEqual({ agents: { a: { runner: 'x/y/z' }, b: { runner: 'x/y/z' } } });
  });
});

describe('mistakes', () => {
  it('are all told at once, in their order, with line, column and the nearest valid key', async () => {
    const text = [
      'serverr: {}',
      'server:',
      '  prot: 1',
      '  host: 3',
      'log:',
      '  level: inf',
      'data:',
      `  folder: "\${NOWHERE}"`,
      'agents:',
      '  a:',
      '    runer: x',
    ].join('\n');
    expect(await mistakes(text)).toEqual([
      'rostra.yaml:1:1: serverr is not a key of the configuration. Did you mean "server"?',
      'rostra.yaml:3:3: server.prot is not a key of the configuration. Did you mean "port"?',
      'rostra.yaml:4:3: server.host must be a text.',
      'rostra.yaml:6:3: log.level must be one of debug, info, warn, error. Did you mean "info"?',
      'rostra.yaml:8:3: data.folder needs the variable NOWHERE, which the environment does not have.',
      'rostra.yaml:11:5: agents.a.runer is not a key of the configuration. Did you mean "runner"?',
    ]);
  });

  it.each<[string, string]>([
    ['server: { port: x }', '1:11: server.port must be a number.'],
    ['server: { port: 1.5 }', '1:11: server.port must be a whole number.'],
    ['server: { port: 65536 }', '1:11: server.port must be at most 65535.'],
    ['server: { hosts: a }', '1:11: server.hosts must be a list.'],
    ['server: 3', '1:1: server must be a section with keys of its own.'],
    ['demo: maybe', '1:1: demo must be true or false.'],
    ['retention: { audit: 0 }', '1:14: retention.audit must be more than 0.'],
    ['server: { public_url: x }', '1:11: server.public_url must be a URL like https://agents.example.'],
    ['agents: { a: { config: {} } }', '1:11: agents.a.runner must be given.'],
    [
      'agents: { a: { runner: x, grants: { tols: [] } } }',
      '1:37: agents.a.grants.tols is not a key of the configuration. Did you mean "tools"?',
    ],
    [
      'agents: { a: { runner: x, policy: { resumable: true } } }',
      '1:37: agents.a.policy.resumable is not a key of the configuration.',
    ],
    [
      'agents: { a: { runner: x, policy: { limits: { run: { tokens: 0 } } } } }',
      '1:54: agents.a.policy.limits.run.tokens must be more than 0.',
    ],
    [
      'agents: { a: { runner: x, policy: { limits: { week: {} } } } }',
      '1:47: agents.a.policy.limits.week is not a key of the configuration.',
    ],
    ['prices: { large: { input: 3 } }', '1:11: prices.large.output must be given.'],
    ['runners: [3]', '1:11: runners[0] must be a text or a section with keys of its own.'],
    ['runners: [{ pth: x }]', '1:13: runners[0].pth is not a key of the configuration. Did you mean "path"?'],
    ['runners: [{ command: [x] }]', '1:11: runners[0].name must be given.'],
    ['runners: [{ remote: x, token: t, env: {} }]', '1:34: runners[0].env is not a key of the configuration.'],
    ['- 1', '1:1: The file must be a section with keys of its own.'],
    ['a: 1\na: 2', '2:1: This key is there twice.'],
    ['server:\n\tport: 1', '2:1: Tabs cannot indent; use blanks.'],
    ['demo: true\n---\ndemo: false', '2:1: There is more than one document ("---").'],
    ['demo: *gone', '1:1: demo is an alias of nothing.'],
    ['demo: !!set {}', '1:1: demo must be true or false.'],
    ['demo: !mine true', '1:7: This tag means nothing here.'],
    ['? [a]\n: 1', '1:1: A key of the file is not a plain word.'],
    [
      'limits: { artifact_bytes: .inf }',
      '1:11: limits.artifact_bytes is a kind of value that the configuration does not have.',
    ],
  ])('%j is refused', async (text, expected) => {
    const [first, ...others] = await mistakes(text);
    expect(first).toBe(`rostra.yaml:${expected}`);
    expect(others).toEqual([]);
  });

  it('of the YAML itself are told in words that quote nothing of the file', async () => {
    for (const text of [
      'auth: { api_key: "hunter2-hunter2',
      'auth:\n  api_key: hunter2: hunter2',
      'auth: [hunter2\n}',
    ]) {
      const lines = await mistakes(text);
      expect(lines.join()).not.toContain('hunter2');
      expect(lines[0]).toMatch(/^rostra\.yaml:\d+:\d+: /);
    }
  });

  it('cannot be made to take for ever: aliases that multiply are counted', async () => {
    const lines = ['agents:', '  a0: &a0 { runner: x, config: { l: [1, 2, 3, 4, 5, 6, 7, 8, 9] } }'];
    for (let n = 1; n < 9; n += 1) {
      lines.push(
        `  a${n}: &a${n} { runner: x, config: { l: [${Array(9)
          .fill(`*a${n - 1}`)
          .join(', ')}] } }`,
      );
    }
    expect(await mistakes(lines.join('\n'))).toContainEqual(
      expect.stringContaining(`more than ${limits.config_nodes} values`),
    );
  });

  it('are told of a file that cannot be read', async () => {
    const folder = folderWith({});
    const options = { shown: 'x.yaml', env: {}, check: () => [] };
    await expect(readConfigFile({ ...options, path: path.join(folder, 'x.yaml') })).rejects.toThrow(
      'The configuration x.yaml cannot be read (ENOENT).',
    );
    mkdirSync(path.join(folder, 'd.yaml'));
    await expect(readConfigFile({ ...options, path: path.join(folder, 'd.yaml') })).rejects.toThrow('(EISDIR)');
  });
});

describe('variables', () => {
  it('are filled into any text, several of them, and beside others', async () => {
    const { value } = await read(`agents: { a: { runner: "\${A}/\${B}/x", config: { l: ["\${A}"] } } }`, {
      A: 'one',
      B: 'two',
    });
    expect(value).toEqual({ agents: { a: { runner: 'one/two/x', config: { l: ['one'] } } } });
  });

  it('stand for a number or a truth where no text can stand, unless they are quoted', async () => {
    expect((await read(`server:\n  port: \${P}\ndemo: \${D}\n`, { P: '99', D: 'false' })).value).toEqual({
      server: { port: 99 },
      demo: false,
    });
    expect(await mistakes(`server:\n  port: "\${P}"\n`, { P: '99' })).toEqual([
      'rostra.yaml:2:3: server.port must be a number.',
    ]);
    expect((await read(`data:\n  folder: \${P}\n`, { P: '99' })).value).toEqual({ data: { folder: '99' } });
  });

  it('are written plainly with a second dollar sign', async () => {
    expect((await read(`data: { folder: "a$\${B}$c" }`)).value).toEqual({ data: { folder: `a\${B}$c` } });
  });

  it('that are missing, empty or malformed are refused by name', async () => {
    expect(await mistakes(`data: { folder: "\${A}\${B}" }`, { A: '' })).toEqual([
      'rostra.yaml:1:9: data.folder needs the variables A, B, which the environment does not have.',
    ]);
    expect((await mistakes(`data: { folder: "\${" }`))[0]).toContain('without a name');
  });

  it('do not reach further: their values are not filled in again', async () => {
    expect((await read(`data: { folder: "\${A}" }`, { A: `\${B}` })).value).toEqual({ data: { folder: `\${B}` } });
  });
});

describe('secrets in files of their own', () => {
  it('are read from beside the configuration, without the last line break', async () => {
    const file = await read('auth: { api_key: file:secrets/key }', {}, { 'secrets/key': 'a-long-random-text\n' });
    expect(file.value).toEqual({ auth: { api_key: 'a-long-random-text' } });
    expect(file.isSecretFile(['auth', 'api_key'])).toBe(true);
  });

  it('may be named by a variable, and a URL of a file is none', async () => {
    const text = `agents: { a: { runner: x, config: { s: "file:\${DIR}/key", u: "file:///etc/x" } } }`;
    const { value } = await read(text, { DIR: 'secrets' }, { 'secrets/key': 'k' });
    expect(value).toEqual({ agents: { a: { runner: 'x', config: { s: 'k', u: 'file:///etc/x' } } } });
  });

  it('that are absent, empty, too large or no file are refused', async () => {
    const large = 'x'.repeat(limits.secret_file_bytes + 1);
    const files = { empty: '\n', large, 'folder/x': '' };
    for (const [name, why] of [
      ['absent', 'cannot be read (ENOENT)'],
      ['empty', 'is empty'],
      ['large', 'is larger than any secret'],
      ['folder', 'is not a file'],
    ]) {
      expect((await mistakes(`auth: { api_key: "file:${name}" }`, {}, files))[0]).toContain(why);
    }
  });
});
