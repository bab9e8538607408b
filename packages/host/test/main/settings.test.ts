import { ApiError } from '@rostra/protocol/wire/api-error';
import { describe, expect, it } from 'vitest';
import { readCommand } from '../../src/main/command.ts';
import { readSettings } from '../../src/main/settings.ts';

describe('settings', () => {
  it('have a default each, and an empty variable counts as unset', () => {
    const defaults = {
      host: '127.0.0.1',
      port: 8787,
      port_is_explicit: false,
      data: '/srv/.rostra',
      api_key: null,
      durability: 'class',
      hosts: [],
      origins: [],
    };
    expect(readSettings({}, '/srv')).toEqual(defaults);
    expect(readSettings({ ROSTRA_PORT: '', ROSTRA_HOSTS: '', ROSTRA_API_KEY: '' }, '/srv')).toEqual(defaults);
  });

  it('are read from the environment', () => {
    const env = {
      ROSTRA_HOST: '0.0.0.0',
      ROSTRA_PORT: '0',
      ROSTRA_DATA: '../data',
      ROSTRA_API_KEY: 'a-long-random-text',
      ROSTRA_DURABILITY: 'flush',
      ROSTRA_HOSTS: 'a.example, b.example',
      ROSTRA_ORIGINS: 'https://a.example,http://b.example:3000',
    };
    expect(readSettings(env, '/srv/x')).toEqual({
      host: '0.0.0.0',
      port: 0,
      port_is_explicit: true,
      data: '/srv/data',
      api_key: 'a-long-random-text',
      durability: 'flush',
      hosts: ['a.example', 'b.example'],
      origins: ['https://a.example', 'http://b.example:3000'],
    });
  });

  it.each([
    { ROSTRA_HOST: 'a b' },
    { ROSTRA_HOST: 'http://x' },
    { ROSTRA_PORT: 'x' },
    { ROSTRA_PORT: '65536' },
    { ROSTRA_PORT: '-1' },
    { ROSTRA_API_KEY: 'short' },
    { ROSTRA_API_KEY: 'a long random text' },
    { ROSTRA_DURABILITY: 'often' },
    { ROSTRA_HOSTS: 'a.example:80' },
    { ROSTRA_ORIGINS: 'a.example' },
    { ROSTRA_ORIGINS: 'https://a.example/path' },
  ])('that are wrong are refused by name: %j', (env) => {
    const [name = ''] = Object.keys(env);
    expect(() => readSettings(env, '/')).toThrow(
      expect.objectContaining({ message: expect.stringMatching(`^${name} must`) }),
    );
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'agents.example'])('%s needs a key of its own', (host) => {
    const open = () => readSettings({ ROSTRA_HOST: host }, '/');
    expect(open).toThrow(ApiError);
    expect(open).toThrow('ROSTRA_API_KEY');
    expect(readSettings({ ROSTRA_HOST: host, ROSTRA_API_KEY: 'a-long-random-text' }, '/').host).toBe(host);
  });

  it.each(['127.0.0.1', '127.0.0.2', 'localhost', '::1'])('%s does not', (host) => {
    expect(readSettings({ ROSTRA_HOST: host }, '/').api_key).toBeNull();
  });
});

describe('the command line', () => {
  it.each<[string[], string]>([
    [[], 'help'],
    [['start'], 'start'],
    [['start', '--help'], 'help'],
    [['-h'], 'help'],
    [['--version'], 'version'],
    [['frob'], 'refuse'],
    [['--frob'], 'refuse'],
    [['start', '--port'], 'refuse'],
    [['constructor'], 'refuse'],
  ])('%j asks for %s', (args, expected) => {
    expect(readCommand(args).do).toBe(expected);
  });
});
