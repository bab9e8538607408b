import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../../in-thread.ts';
import type { DossierEntry, DossierStore } from '../../ports/dossier.ts';
import type { Statements } from '../statements.ts';

/** Columns of the run, so that a run costs no further row; what many runs share has a row of its own. */
export class DossierTable implements InThread<DossierStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  append(entries: DossierEntry[]): void {
    const shared = new Map(entries.flatMap(({ terms }) => (terms === null ? [] : [[terms.id, terms.text] as const])));
    for (const [id, text] of shared) {
      this.#sql.run('INSERT INTO dossier_terms (id, text) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', id, text);
    }
    for (const { run_id, context, grant, terms } of entries) {
      const sql = 'UPDATE run SET context = ?2, grant_text = ?3, terms = ?4 WHERE run_id = ?1 AND context IS NULL';
      this.#sql.run(sql, run_id, context, grant, terms?.id ?? null);
    }
  }

  get(run_id: string): DossierEntry | null {
    const row = this.#sql.get(
      `SELECT context, grant_text, terms, text FROM run LEFT JOIN dossier_terms ON dossier_terms.id = run.terms
        WHERE run_id = ? AND context IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = run.session)`,
      run_id,
    );
    if (row === undefined) return null;
    const terms = row.terms === null ? null : { id: row.terms as string, text: row.text as string };
    return { run_id, context: row.context as string, grant: row.grant_text as string, terms };
  }

  sweep(before: number): number {
    return this.#sql.run(
      `UPDATE run SET context = NULL, grant_text = NULL, terms = NULL WHERE rowid IN
        (SELECT rowid FROM run WHERE context IS NOT NULL AND created_at < ? ORDER BY created_at LIMIT ?)`,
      before,
      limits.sweep_rows / 5,
    );
  }
}
