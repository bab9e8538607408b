import { limits } from '@rostra/protocol/wire/limits';
import type { StorageRows } from '../../artifacts/storage-rows.ts';
import type { InThread } from '../../in-thread.ts';
import { pageLimit } from '../../ports/page.ts';
import type { StorageKey, StorageObject } from '../../ports/storage.ts';
import type { SqlRow } from '../driver.ts';
import { prefixEnd } from '../prefix-end.ts';
import type { Statements } from '../statements.ts';

const about = 'scope, owner, key, size_bytes, sha256, mime_type, created_at, updated_at';
const place = 'scope = ? AND owner = ? AND key = ?';

export class StorageTable implements InThread<StorageRows> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  set(object: StorageObject, bytes: Uint8Array | null): StorageObject {
    this.#sql.run(
      `INSERT INTO storage (${about}, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (scope, owner, key) DO UPDATE SET size_bytes = excluded.size_bytes, sha256 = excluded.sha256,
          mime_type = excluded.mime_type, updated_at = excluded.updated_at, bytes = excluded.bytes`,
      object.scope,
      object.owner,
      object.key,
      object.size_bytes,
      object.sha256,
      object.mime_type,
      object.created_at,
      object.updated_at,
      bytes,
    );
    return this.head(object) ?? object;
  }

  get(key: StorageKey): { object: StorageObject; bytes: Uint8Array | null } | null {
    const row = this.#sql.get(`SELECT ${about}, bytes FROM storage WHERE ${place}`, key.scope, key.owner, key.key);
    return row === undefined ? null : { object: decode(row), bytes: row.bytes as Uint8Array | null };
  }

  head(key: StorageKey): StorageObject | null {
    const row = this.#sql.get(`SELECT ${about} FROM storage WHERE ${place}`, key.scope, key.owner, key.key);
    return row === undefined ? null : decode(row);
  }

  delete(key: StorageKey): boolean {
    return this.#sql.run(`DELETE FROM storage WHERE ${place}`, key.scope, key.owner, key.key) > 0;
  }

  list(
    { scope, owner }: Omit<StorageKey, 'key'>,
    page: { prefix?: string; after?: string; limit?: number } = {},
  ): StorageObject[] {
    const { prefix = '', after = '' } = page;
    return this.#sql
      .all(
        `SELECT ${about} FROM storage WHERE scope = ? AND owner = ? AND key >= ? AND key < ? AND key > ?
          ORDER BY key LIMIT ?`,
        scope,
        owner,
        prefix,
        prefixEnd(prefix),
        after,
        pageLimit(page.limit, limits.page_items + 1),
      )
      .map(decode);
  }
}

function decode(row: SqlRow): StorageObject {
  return {
    scope: row.scope as string,
    owner: row.owner as string,
    key: row.key as string,
    size_bytes: row.size_bytes as number,
    sha256: row.sha256 as string,
    mime_type: row.mime_type as string | null,
    created_at: row.created_at as number,
    updated_at: row.updated_at as number,
  };
}
