import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { configRows } from '../../src/main/config-view.ts';
import { Configuration } from '../../src/main/configuration.ts';
import { HostLog } from '../../src/main/host-log.ts';
import { LiveConfig } from '../../src/main/live-config.ts';
import { programs } from '../../src/main/programs.ts';
import { withStoredSettings } from '../../src/main/stored-settings.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { folderWith } from '../config/config-folder.ts';

const by = { at: 1, by: 'owner' };
const nothing = () => Promise.resolve();

async function live(text: string) {
  const cwd = folderWith({ 'rostra.yaml': text });
  const lines: string[] = [];
  const log = new HostLog((line) => lines.push(line));
  const { registry } = new MemoryStore();
  const configuration = await Configuration.read({ env: {}, flags: {}, cwd });
  const config = await LiveConfig.open(configuration, registry, log);
  return { config, lines, log, registry, write: (next: string) => writeFileSync(path.join(cwd, 'rostra.yaml'), next) };
}

describe('the configuration of a running host', () => {
  it('has what the store adds, below what the file says', async () => {
    const { config } = await live('log: { level: warn }\nagents: { a: { runner: p/a/x } }\n');
    await config.settings.put('session.timeouts.turn', 5, by);
    await config.agents.put('s', { runner: 'p/s/x' }, by);
    await expect(config.settings.put('log.level', 'debug', by)).rejects.toThrow('can only be changed there');
    await expect(config.agents.put('a', { runner: 'p/b/x' }, by)).rejects.toThrow('can only be changed there');
    expect((await config.reload(1, nothing)).applied).toEqual(['session.timeouts.turn']);
    expect(config.sessionSettings('a')).toMatchObject({ default_agent_id: 'a', timeouts: { turn: 5, ack: 30_000 } });
    expect(Object.keys(config.stored_agents)).toEqual(['s']);
    expect(config.config.log.level).toBe('warn');
  });

  it('changes with its file, and the log with it', async () => {
    const { config, lines, log, write } = await live('log: { level: warn }\n');
    log.info('unheard');
    write('log: { level: debug }\nauth: { api_key: a-long-random-text }\n');
    const report = await config.reload(7, nothing);
    expect(report).toEqual({
      at: 7,
      ok: true,
      applied: ['log.level'],
      needs_restart: ['auth.api_key'],
      mistake: null,
    });
    log.debug('heard', { text: 'with a-long-random-text in it' });
    expect(lines.join('')).toContain('heard');
    expect(lines.join('')).not.toContain('unheard');
    expect(lines.join('')).not.toContain('a-long-random-text');
  });

  it('stays as it is when the file has a mistake, and takes the next one', async () => {
    const { config, write } = await live('demo: false\n');
    write('demo: maybe\n');
    let applied = 0;
    const count = () => {
      applied += 1;
      return Promise.resolve();
    };
    const report = await config.reload(1, count);
    expect(report).toMatchObject({ ok: false, mistake: 'rostra.yaml:1:1: demo must be true or false.' });
    expect([config.config.demo, applied]).toEqual([false, 0]);
    write('demo: true\n');
    const both = await Promise.all([config.reload(2, count), config.reload(3, count)]);
    expect(both.map(({ at, applied: keys }) => [at, keys])).toEqual([
      [2, ['demo']],
      [3, []],
    ]);
  });
});

describe('settings of the store', () => {
  it('are shown with their origin, from the database of a host that may be running', async () => {
    const cwd = folderWith({});
    const configuration = await Configuration.read({ env: {}, flags: { data: cwd }, cwd });
    expect(await withStoredSettings(configuration)).toBe(configuration);
    const store = await SqliteStore.open({ path: path.join(cwd, 'rostra.db'), workerUrl: programs.sqliteWorker });
    try {
      await store.registry.put('setting', 'log.level', 'warn', by);
      const rows = configRows(await withStoredSettings(configuration));
      expect(rows).toContainEqual({ key: 'log.level', value: 'warn', origin: 'store' });
    } finally {
      await store.close();
    }
  });
});
