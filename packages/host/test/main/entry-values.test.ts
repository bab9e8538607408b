import { ApiError } from '@rostra/protocol/wire/api-error';
import { describe, expect, test } from 'vitest';
import { configRows, secretsOf } from '../../src/main/config-view.ts';
import { Configuration } from '../../src/main/configuration.ts';
import { folderWith } from '../config/config-folder.ts';

const read = (text: string, env: Record<string, string> = {}, files: Record<string, string> = {}) =>
  Configuration.read({ env, flags: {}, cwd: folderWith({ 'rostra.yaml': text, ...files }) });

async function mistakes(...lines: string[]): Promise<string[]> {
  const error: unknown = await read(`${lines.join('\n')}\n`).then(
    () => new Error('no refusal'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  return error.message.split('\n');
}

describe('a webhook without a secret', () => {
  // Fail closed: nobody may ever reach such an entry.
  test.each([
    ['', 'rostra.yaml:2:5: webhooks[0].secret must be given.'],
    ['    secret:', 'rostra.yaml:4:5: webhooks[0].secret must be a text.'],
    ['    secret: ""', 'rostra.yaml:4:5: webhooks[0].secret must have at least 1 characters.'],
    [
      '    secret: "                    "',
      'rostra.yaml:4:5: webhooks[0].secret must have at least 16 characters that are no blanks.',
    ],
    ['    secret: short', 'rostra.yaml:4:5: webhooks[0].secret must have at least 16 characters that are no blanks.'],
    [
      `    secret: \${NOWHERE}`,
      'rostra.yaml:4:5: webhooks[0].secret needs the variable NOWHERE, which the environment does not have.',
    ],
  ])('stops the start: %j (case 74)', async (line, sentence) => {
    expect(await mistakes('webhooks:', '  - id: x', '    agent: guide', line)).toEqual([sentence]);
  });
});

describe('tokens of another system', () => {
  const jwt = (more: string) => `auth: { jwt: { issuer: https://id.example, audience: rostra, ${more} } }`;

  test('are proved by keys of one place, which nobody on the way can change', async () => {
    for (const place of [
      'jwks_url: https://id.example/jwks',
      'jwks_url: http://127.0.0.1:9/jwks',
      'jwks_file: keys.json',
    ]) {
      const { config } = await read(jwt(place));
      expect(config.auth.jwt).toMatchObject({ user_claim: 'sub', everyone: [], streams: 20, runs_per_minute: 60 });
    }
  });

  test.each([
    ['streams: 5', 'rostra.yaml:1:9: auth.jwt must have either a jwks_url or a jwks_file.'],
    [
      'jwks_url: https://a.example, jwks_file: b',
      'rostra.yaml:1:9: auth.jwt must have either a jwks_url or a jwks_file.',
    ],
    ['jwks_url: http://id.example/jwks', 'auth.jwt.jwks_url must be https, unless it is of this machine.'],
    ['jwks_url: file:///etc/keys', 'auth.jwt.jwks_url must be https, unless it is of this machine.'],
    ['jwks_file: a, algorithms: [none]', 'auth.jwt.algorithms[0] must be'],
    ['jwks_file: a, algorithms: [HS256]', 'auth.jwt.algorithms[0] must be'],
  ])('stop the start when they are not: %s', async (more, sentence) => {
    expect((await mistakes(jwt(more))).join()).toContain(sentence);
  });
});

describe('a schedule', () => {
  test('that no clock can read stops the start with line and column', async () => {
    expect(
      await mistakes(
        'schedules:',
        '  - id: x',
        '    agent: guide',
        '    cron: 61 * * * *',
        '    timezone: Mars/Base',
        '  - id: x',
        '    cron: 0 0 30 2 *',
        '    agent: guide',
        '    binding: gone',
      ),
    ).toEqual([
      'rostra.yaml:4:5: schedules[0].cron must be five fields that come true, like "0 9 * * 1-5".',
      'rostra.yaml:5:5: schedules[0].timezone must be a time zone, like Europe/Berlin.',
      'rostra.yaml:6:5: schedules[1].id is the name of another entry.',
      'rostra.yaml:6:5: schedules[1] must have either an agent or a binding.',
      'rostra.yaml:7:5: schedules[1].cron must be five fields that come true, like "0 9 * * 1-5".',
      'rostra.yaml:9:5: schedules[1].binding must be the id of one of the bindings.',
    ]);
  });
});

describe('a binding and a webhook', () => {
  test('are refused where they would not mean what they say', async () => {
    expect(
      await mistakes(
        'bindings:',
        '  - id: all of it',
        '    agent: guide',
        '    events: ["*.received"]',
        'webhooks:',
        '  - id: x',
        '    secret: 0123456789abcdef',
        '    event: message.received',
        '    binding: all of it',
        '    grants: {}',
      ),
    ).toEqual([
      'rostra.yaml:2:5: bindings[0].id must be made of letters, digits, ".", "_" and "-".',
      'rostra.yaml:4:5: bindings[0].events may have a star only at the end of a name.',
      'rostra.yaml:8:5: webhooks[0].event must be another one: nobody said anything.',
      'rostra.yaml:10:5: webhooks[0].grants must be left out: the binding says what is granted.',
    ]);
  });
});

describe('keys', () => {
  test('are of visible characters, each for one name and something', async () => {
    expect(
      await mistakes(
        'auth:',
        '  api_key: 0123456789abcdef',
        '  keys:',
        '    - { name: a, key: short, scopes: [runs] }',
        '    - { name: a, key: 0123456789abcdef, scopes: [runs] }',
        '    - { name: b, key: "has blanks in it all", scopes: [runs] }',
        `    - { name: c, key: rostra_key_0123456789abcdef_${'x'.repeat(43)}, scopes: [runs] }`,
      ),
    ).toEqual([
      'rostra.yaml:4:18: auth.keys[0].key must be 16 to 512 visible ASCII characters without blanks.',
      'rostra.yaml:5:9: auth.keys[1].name is the name of another entry.',
      'rostra.yaml:5:18: auth.keys[1].key is somebody else’s key.',
      'rostra.yaml:6:18: auth.keys[2].key must be 16 to 512 visible ASCII characters without blanks.',
      'rostra.yaml:7:18: auth.keys[3].key must not be a key that a host has made.',
    ]);
    expect(await mistakes('auth: { keys: [{ name: a, key: 0123456789abcdef, scopes: [all] }] }')).toHaveLength(1);
    expect(await mistakes('auth: { keys: [{ name: a, key: 0123456789abcdef, scopes: [] }] }')).toHaveLength(1);
  });

  test('and secrets of webhooks come from variables and files, and are never shown (case 79)', async () => {
    const text = [
      'auth:',
      `  keys: [{ name: ci, key: "\${CI_KEY}", scopes: [events] }]`,
      'webhooks:',
      '  - { id: x, secret: "file:hook.secret", agent: guide }',
    ].join('\n');
    const configuration = await read(
      text,
      { CI_KEY: 'canary-key-0123456789' },
      { 'hook.secret': 'canary-secret-0123\n' },
    );
    expect(configuration.config.webhooks[0]?.secret).toBe('canary-secret-0123');
    expect(secretsOf(configuration).toSorted()).toEqual(['canary-key-0123456789', 'canary-secret-0123']);
    const shown = JSON.stringify(configRows(configuration));
    expect(shown).toContain('auth.keys[0].key');
    expect(shown).not.toContain('canary');
  });
});
