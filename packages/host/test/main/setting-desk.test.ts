import { expect, it } from 'vitest';
import { Configuration } from '../../src/main/configuration.ts';
import { HostLog } from '../../src/main/host-log.ts';
import { LiveConfig } from '../../src/main/live-config.ts';
import { ManagedSettings } from '../../src/main/setting-desk.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { AuditEntry } from '../../src/store/ports/audit.ts';
import { folderWith } from '../config/config-folder.ts';

const by = { workspace_id: 'local', user_id: 'owner' };

it('changes nothing when one of the keys to reset is named by the file', async () => {
  const cwd = folderWith({ 'rostra.yaml': 'session: { active: guide }\n' });
  const configuration = await Configuration.read({ env: {}, flags: {}, cwd });
  const { registry } = new MemoryStore();
  const live = await LiveConfig.open(configuration, registry, new HostLog(() => undefined));
  const rows: AuditEntry[] = [];
  const apply = () => Promise.resolve();
  const settings = new ManagedSettings({ live, apply, audit: { add: (row) => rows.push(row) }, now: () => 1 });
  await settings.change({ set: { 'session.idle': 7 }, reset: [] }, by);
  const refused = settings.change({ set: { 'log.level': 'warn' }, reset: ['session.idle', 'session.active'] }, by);
  await expect(refused).rejects.toThrow('session.active is set by the configuration file');
  expect((await registry.list('setting')).map(({ key }) => key)).toEqual(['session.idle']);
  expect(rows.map(({ details }) => details)).toEqual([{ keys: ['session.idle'] }]);
});
