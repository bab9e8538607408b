import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../../in-thread.ts';
import type { DossierEntry, DossierStore } from '../../ports/dossier.ts';
import type { Statements } from '../statements.ts';

/** Columns of the run, so that a run costs no further row. */
export class DossierTable implements InThread<DossierStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  append(entries: DossierEntry[]): void {
    for (const { run_id, context, grant } of entries) {
      const sql = 'UPDATE run SET context = ?2, grant_text = ?3 WHERE run_id = ?1 AND context IS NULL';
      this.#sql.run(sql, run_id, context, grant);
    }
  }

  get(run_id: string): DossierEntry | null {
    const row = this.#sql.get(
      `SELECT context, grant_text FROM run WHERE run_id = ? AND context IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = run.session)`,
      run_id,
    );
    return row === undefined ? null : { run_id, context: row.context as string, grant: row.grant_text as string };
  }

  sweep(before: number): number {
    return this.#sql.run(
      `UPDATE run SET context = NULL, grant_text = NULL WHERE rowid IN
        (SELECT rowid FROM run WHERE context IS NOT NULL AND created_at < ? ORDER BY created_at LIMIT ?)`,
      before,
      limits.sweep_rows / 5,
    );
  }
}
