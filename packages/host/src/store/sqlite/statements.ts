import type { StoreStats } from '../port.ts';
import type { Database, SqlRow, SqlValue, Statement } from './driver.ts';

/** The statements of one table, each prepared when it is first used: a start pays for none of them. */
export class Statements {
  readonly #db: Database;
  readonly #counts: Pick<StoreStats, 'inserts' | 'updates'>;
  readonly #prepared = new Map<string, Statement>();

  constructor(db: Database, counts: Pick<StoreStats, 'inserts' | 'updates'> = { inserts: 0, updates: 0 }) {
    this.#db = db;
    this.#counts = counts;
  }

  get(sql: string, ...values: SqlValue[]): SqlRow | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: SqlValue[]): SqlRow[] {
    return this.#statement(sql).all(...values);
  }

  /** Rows added by an INSERT, changed or removed by anything else; counted as such. */
  run(sql: string, ...values: SqlValue[]): number {
    const changes = Number(this.#statement(sql).run(...values).changes);
    if (sql.startsWith('INSERT')) this.#counts.inserts += changes;
    else this.#counts.updates += changes;
    return changes;
  }

  #statement(sql: string): Statement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}
