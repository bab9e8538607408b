import type { Json } from '@rostra/protocol/wire/json';
import type { InThread } from '../../in-thread.ts';
import { checkRevision, type RegistryChange, type RegistryRow, type RegistryStore } from '../../ports/registry.ts';
import type { SqlRow } from '../driver.ts';
import { jsonValue } from '../json-column.ts';
import type { Statements } from '../statements.ts';

export class RegistryTable implements InThread<RegistryStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  get(kind: string, key: string): RegistryRow | null {
    const row = this.#sql.get('SELECT * FROM registry WHERE kind = ? AND key = ?', kind, key);
    return row === undefined ? null : decode(row);
  }

  list(kind: string): RegistryRow[] {
    return this.#sql.all('SELECT * FROM registry WHERE kind = ? ORDER BY key', kind).map(decode);
  }

  put(kind: string, key: string, value: Json, { at, by, expected }: RegistryChange): RegistryRow {
    checkRevision(`${kind} ${key}`, this.get(kind, key)?.revision ?? null, expected);
    this.#sql.run(`INSERT INTO meta (key, value) VALUES ('registry', '1')
      ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)`);
    const revision = Number(this.#sql.get(`SELECT value FROM meta WHERE key = 'registry'`)?.value);
    this.#sql.run(
      `INSERT INTO registry (kind, key, value, revision, updated_at, updated_by) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, revision = excluded.revision,
          updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
      kind,
      key,
      JSON.stringify(value),
      revision,
      at,
      by,
    );
    return { kind, key, value, revision, updated_at: at, updated_by: by };
  }

  delete(kind: string, key: string, { expected }: RegistryChange): boolean {
    checkRevision(`${kind} ${key}`, this.get(kind, key)?.revision ?? null, expected);
    return this.#sql.run('DELETE FROM registry WHERE kind = ? AND key = ?', kind, key) > 0;
  }
}

function decode(row: SqlRow): RegistryRow {
  return {
    kind: row.kind as string,
    key: row.key as string,
    value: jsonValue(row.value),
    revision: row.revision as number,
    updated_at: row.updated_at as number,
    updated_by: row.updated_by as string,
  };
}
