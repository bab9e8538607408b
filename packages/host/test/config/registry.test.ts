import { AgentConfig } from '@rostra/protocol/config/agent-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { beforeEach, describe, expect, it } from 'vitest';
import { AgentRegistry } from '../../src/config/agent-registry.ts';
import { SettingRegistry } from '../../src/config/setting-registry.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { RegistryStore } from '../../src/store/ports/registry.ts';

const by = { at: 1, by: 'owner' };
let store: RegistryStore;
beforeEach(() => {
  store = new MemoryStore().registry;
});

describe('agents made at run time', () => {
  const file = { support: AgentConfig.parse({ runner: 'p/support/x' }) };
  const registry = () => new AgentRegistry(store, () => file);

  it('stand beside those of the file, which are marked read-only', async () => {
    await registry().put('mine', { runner: 'p/mine/x', config: { n: 1 } }, by);
    expect(await registry().list()).toMatchObject([
      { agent_id: 'support', source: 'file', is_read_only: true, revision: null },
      { agent_id: 'mine', source: 'store', is_read_only: false, config: { runner: 'p/mine/x', config: { n: 1 } } },
    ]);
    expect(Object.keys(await registry().stored())).toEqual(['mine']);
  });

  it('cannot change or remove what the file names', async () => {
    for (const act of [registry().put('support', { runner: 'x' }, by), registry().remove('support', by)]) {
      await expect(act).rejects.toThrow(ApiError);
      await expect(act).rejects.toThrow('named in the configuration file and can only be changed there');
    }
    expect(await store.list('agent')).toEqual([]);
  });

  it('give way when the file begins to name them, and come back when it no longer does', async () => {
    await registry().put('mine', { runner: 'p/mine/x' }, by);
    const named = new AgentRegistry(store, () => ({ mine: AgentConfig.parse({ runner: 'p/other/x' }) }));
    expect(await named.list()).toMatchObject([{ agent_id: 'mine', source: 'file', config: { runner: 'p/other/x' } }]);
    expect(await registry().list()).toHaveLength(2);
  });

  it('are refused when they are no agents, with the place', async () => {
    await expect(registry().put('a', { runer: 'x' }, by)).rejects.toThrow('not described rightly');
    await expect(registry().put('a', { runner: 'x', grants: { tools: 3 } }, by)).rejects.toThrow('"grants.tools"');
    await expect(registry().put('', { runner: 'x' }, by)).rejects.toThrow('1 to 128');
  });

  it('are left out, not lost, when this version cannot read them', async () => {
    await store.put('agent', 'old', { gone: true }, by);
    expect(Object.keys(await registry().stored())).toEqual([]);
    expect(await store.get('agent', 'old')).not.toBeNull();
  });

  it('are removed, and a change that another one overtook is refused', async () => {
    const { revision } = await registry().put('mine', { runner: 'a/b/c' }, by);
    await registry().put('mine', { runner: 'a/b/d' }, by);
    await expect(registry().put('mine', { runner: 'a/b/e' }, { ...by, expected: revision })).rejects.toThrow(
      'changed meanwhile',
    );
    expect(await registry().remove('mine', by)).toBe(true);
    expect(await registry().remove('mine', by)).toBe(false);
  });
});

describe('settings made at run time', () => {
  const registry = (named: string[] = []) => new SettingRegistry(store, (path) => named.includes(path.join('.')));

  it('are kept by their dotted names', async () => {
    await registry().put('log.level', 'debug', by);
    await registry().put('session.timeouts.turn', 1000, by);
    expect(await registry().list()).toEqual(
      new Map<string, unknown>([
        ['log.level', 'debug'],
        ['session.timeouts.turn', 1000],
      ]),
    );
    expect(await registry().remove('log.level', by)).toBe(true);
    expect([...(await registry().list()).keys()]).toEqual(['session.timeouts.turn']);
  });

  it.each<[string, string | number | object, string]>([
    ['server.port', 1, 'cannot be set while the host runs'],
    ['log.file', '/x', 'cannot be set while the host runs'],
    ['log.level', 'loud', 'must be one of'],
    ['limits.runs', 1, 'is not a key'],
    ['session', {}, 'cannot be set'],
    ['session.timeouts', {}, 'is a section'],
  ])('refuse %s = %j', async (name, value, why) => {
    await expect(registry().put(name, JSON.parse(JSON.stringify(value)), by)).rejects.toThrow(why);
  });

  it('cannot change what the file, a variable or an option names', async () => {
    const act = registry(['log.level']).put('log.level', 'debug', by);
    await expect(act).rejects.toThrow('can only be changed there');
    await expect(registry(['log.level']).remove('log.level', by)).rejects.toThrow(ApiError);
  });

  it('that this version does not know are left out', async () => {
    await store.put('setting', 'log.colour', 'red', by);
    expect((await registry().list()).size).toBe(0);
  });
});
