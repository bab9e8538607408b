import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../../in-thread.ts';
import type { DossierEntry, DossierStore } from '../../ports/dossier.ts';
import type { Statements } from '../statements.ts';

export class DossierTable implements InThread<DossierStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  append(entries: DossierEntry[]): void {
    for (const { run_id, session_id, at, context, grant } of entries) {
      // A session that was deleted meanwhile leaves nothing behind.
      this.#sql.run(
        `INSERT INTO dossier (run_id, session_id, at, context, grant_text)
          SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM tombstone WHERE session_id = ?2)
          ON CONFLICT (run_id) DO NOTHING`,
        run_id,
        session_id,
        at,
        context,
        grant,
      );
    }
  }

  get(run_id: string): DossierEntry | null {
    const row = this.#sql.get('SELECT * FROM dossier WHERE run_id = ?', run_id);
    if (row === undefined) return null;
    return {
      run_id,
      session_id: row.session_id as string,
      at: row.at as number,
      context: row.context as string,
      grant: row.grant_text as string,
    };
  }

  /** Written in about the order of their time: only the oldest need be looked at. */
  sweep(before: number): number {
    return this.#sql.run(
      'DELETE FROM dossier WHERE id IN (SELECT id FROM dossier ORDER BY id LIMIT ?) AND at < ?',
      limits.sweep_rows / 5,
      before,
    );
  }
}
