import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../../in-thread.ts';
import type { DossierEntry, DossierStore, DossierTerms } from '../../ports/dossier.ts';
import type { Statements } from '../statements.ts';

const insertTerms = 'INSERT INTO dossier_terms (id, text) VALUES (?, ?) ON CONFLICT (id) DO NOTHING';
const insertDossier = `INSERT INTO dossier (run_id, created_at, context, grant_text, terms)
  SELECT run_id, created_at, ?2, ?3, ?4 FROM run WHERE run_id = ?1 ON CONFLICT (run_id) DO NOTHING`;

export class DossierTable implements InThread<DossierStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  append(entries: DossierEntry[]): void {
    const keys = new Map<string, number>();
    for (const { run_id, context, grant, terms } of entries) {
      const key = terms === null ? null : (keys.get(terms.id) ?? this.#keyOf(terms));
      if (terms !== null && key !== null) keys.set(terms.id, key);
      this.#sql.run(insertDossier, run_id, context, grant, key);
    }
  }

  get(run_id: string): DossierEntry | null {
    const row = this.#sql.get(
      `SELECT context, grant_text, id, text FROM dossier JOIN run ON run.run_id = dossier.run_id
        LEFT JOIN dossier_terms ON dossier_terms.key = dossier.terms
        WHERE dossier.run_id = ? AND NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = run.session)`,
      run_id,
    );
    if (row === undefined) return null;
    const terms = row.id === null ? null : { id: row.id as string, text: row.text as string };
    return { run_id, context: row.context as string, grant: row.grant_text as string, terms };
  }

  /** They are numbered as they come, hardly later than their runs: the oldest are looked at first. */
  sweep(before: number): number {
    const sql = `DELETE FROM dossier WHERE rowid IN (SELECT rowid FROM dossier ORDER BY rowid LIMIT ?) AND created_at < ?`;
    return this.#sql.run(sql, limits.sweep_rows / 5, before);
  }

  #keyOf({ id, text }: DossierTerms): number {
    this.#sql.run(insertTerms, id, text);
    return Number(this.#sql.get('SELECT key FROM dossier_terms WHERE id = ?', id)?.key);
  }
}
