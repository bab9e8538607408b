import type { StateIdentity, StatePlace } from '@rostra/kernel/state/state-identity';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../../in-thread.ts';
import { pageLimit } from '../../ports/page.ts';
import {
  cutSnapshot,
  encodeState,
  placePrefix,
  type StateRow,
  type StateStore,
  scopeKey,
  tooManyKeys,
} from '../../ports/state.ts';
import type { SqlRow } from '../driver.ts';
import { jsonValue } from '../json-column.ts';
import { prefixEnd } from '../prefix-end.ts';
import type { Statements } from '../statements.ts';

export class StateTable implements InThread<StateStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  get(scope: StateIdentity, key: string): StateRow | null {
    const row = this.#sql.get('SELECT * FROM state WHERE scope = ? AND key = ?', scopeKey(scope), key);
    return row === undefined ? null : decode(row);
  }

  set(scope: StateIdentity, key: string, value: Json, at: number): void {
    const text = encodeState(key, value);
    const name = scopeKey(scope);
    const changed = this.#sql.run(
      'UPDATE state SET value = ?, updated_at = ? WHERE scope = ? AND key = ?',
      text,
      at,
      name,
      key,
    );
    if (changed > 0) return;
    const count = Number(this.#sql.get('SELECT count(*) AS n FROM state WHERE scope = ?', name)?.n);
    if (count >= limits.state_keys) throw tooManyKeys();
    this.#sql.run(
      'INSERT INTO state (scope, key, session_id, updated_at, value) VALUES (?, ?, ?, ?, ?)',
      name,
      key,
      scope.session_id,
      at,
      text,
    );
  }

  delete(scope: StateIdentity, key: string): boolean {
    return this.#sql.run('DELETE FROM state WHERE scope = ? AND key = ?', scopeKey(scope), key) > 0;
  }

  list(scope: StateIdentity, page: { prefix?: string; after?: string; limit?: number } = {}): string[] {
    const { prefix = '', after = '' } = page;
    return this.#sql
      .all(
        'SELECT key FROM state WHERE scope = ? AND key >= ? AND key < ? AND key > ? ORDER BY key LIMIT ?',
        scopeKey(scope),
        prefix,
        prefixEnd(prefix),
        after,
        pageLimit(page.limit, limits.state_keys),
      )
      .map((row) => row.key as string);
  }

  any(place: StatePlace): boolean {
    const prefix = placePrefix(place);
    const found = this.#sql.get(
      'SELECT 1 FROM state WHERE scope >= ? AND scope < ? LIMIT 1',
      prefix,
      prefixEnd(prefix),
    );
    return found !== undefined;
  }

  snapshot(scope: StateIdentity, bytes: number): { rows: StateRow[]; omitted: number } {
    const name = scopeKey(scope);
    // Sizes first: the values of rows that are left out are never read.
    const sizes = this.#sql.all(
      'SELECT rowid, length(CAST(value AS BLOB)) + length(CAST(key AS BLOB)) AS size FROM state WHERE scope = ? ORDER BY updated_at DESC, key',
      name,
    );
    let size = 0;
    const kept = [];
    for (const row of sizes) {
      size += row.size as number;
      if (size > bytes) break;
      kept.push(this.#sql.get('SELECT key, value, updated_at FROM state WHERE rowid = ?', row.rowid ?? null));
    }
    const texts = kept.map((row) => row as { key: string; value: string; updated_at: number });
    return cutSnapshot(texts, sizes.length, bytes);
  }
}

function decode(row: SqlRow): StateRow {
  return { key: row.key as string, value: jsonValue(row.value), updated_at: row.updated_at as number };
}
