import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isDatabaseThere, readDatabase } from '../../../store/sqlite/database-reading.ts';
import { inspect } from '../../../store/sqlite/inspection.ts';
import { schemaVersion, versionOf } from '../../../store/sqlite/migrate.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** The database of a host that is not running; a running one looks itself. */
export async function lookAtStore(data: string): Promise<Finding[]> {
  const file = path.join(data, 'rostra.db');
  if (!isDatabaseThere(file)) return [];
  try {
    const found = await readDatabase(file, (db) => (versionOf(db) < schemaVersion ? null : inspect(db)));
    if (found === null)
      return [warn('store', 'written by an older Rostra', 'Run `rostra start`, which brings it further.')];
    const { problems, damaged_sessions } = found;
    const faults = [...problems, ...damaged_sessions.map((id) => `session ${id}`)];
    if (faults.length === 0) return [ok('store', 'sound')];
    return [fail('store', `damaged: ${faults.join(', ')}`, 'Run `rostra replay`, and restore a backup.')];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [fail('store', error.message, String(error.details.hint ?? 'Restore a backup.'))];
  }
}
