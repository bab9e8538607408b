import type { Statements } from './statements.ts';

/** Sets what the database says of itself under a key; within a transaction. */
export function setMeta(sql: Statements, key: string, value: string): void {
  sql.run(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    key,
    value,
  );
}
