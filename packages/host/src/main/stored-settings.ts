import path from 'node:path';
import { SETTING_KIND, validSettings } from '../config/setting-registry.ts';
import type { Configuration } from './configuration.ts';

/** The configuration with what was set at run time, read from the database of a host that may be running. */
export async function withStoredSettings(configuration: Configuration): Promise<Configuration> {
  const file = path.join(configuration.settings.data, 'rostra.db');
  const { isDatabaseThere, readDatabase } = await import('../store/sqlite/database-reading.ts');
  if (!isDatabaseThere(file)) return configuration;
  const [{ Statements }, { RegistryTable }] = await Promise.all([
    import('../store/sqlite/statements.ts'),
    import('../store/sqlite/tables/registry-table.ts'),
  ]);
  return readDatabase(file, (db) => {
    const sql = new Statements(db);
    // An older database gets its registry when a host next opens it.
    const hasRegistry = sql.get(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'registry'`) !== undefined;
    return hasRegistry
      ? configuration.withStored(validSettings(new RegistryTable(sql).list(SETTING_KIND)))
      : configuration;
  });
}
