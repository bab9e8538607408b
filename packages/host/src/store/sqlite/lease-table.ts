import { limits } from '@rostra/protocol/wire/limits';
import type { Statements } from './statements.ts';

/**
 * Who holds which session. The time stands once per process and not with every session, so that one row prolongs them
 * all.
 */
export class LeaseTable {
  readonly #sql: Statements;
  readonly #now: () => number;

  constructor(sql: Statements, now: () => number) {
    this.#sql = sql;
    this.#now = now;
  }

  /** Whether someone other than `holder` holds the session now. */
  isHeldByOther(session: number, holder: string): boolean {
    const row = this.#sql.get(
      `SELECT 1 FROM lease JOIN holder ON holder.id = lease.holder
        WHERE session = ? AND holder.id <> ? AND until > ?`,
      session,
      holder,
      this.#now(),
    );
    return row !== undefined;
  }

  hold(session: number, holder: string): void {
    this.#sql.run(
      'INSERT INTO lease (session, holder) VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET holder = excluded.holder',
      session,
      holder,
    );
    const now = this.#now();
    // A process that was silent too long begins again, and hears of it when it renews.
    this.#sql.run(
      `INSERT INTO holder (id, until) VALUES (?1, ?2)
        ON CONFLICT (id) DO UPDATE SET until = excluded.until, lapsed = 1 WHERE until <= ?3`,
      holder,
      now + limits.lease,
      now,
    );
  }

  renew(holder: string): 'renewed' | 'lapsed' {
    const now = this.#now();
    const row = this.#sql.get('SELECT until, lapsed FROM holder WHERE id = ?', holder);
    // One that holds nothing yet has nothing to lose.
    const lapsed = row !== undefined && ((row.until as number) <= now || row.lapsed === 1);
    this.#sql.run(
      `INSERT INTO holder (id, until) VALUES (?, ?)
        ON CONFLICT (id) DO UPDATE SET until = excluded.until, lapsed = 0`,
      holder,
      now + limits.lease,
    );
    return lapsed ? 'lapsed' : 'renewed';
  }

  release(session_id: string, holder: string): void {
    this.#sql.run(
      'DELETE FROM lease WHERE session = (SELECT key FROM session WHERE id = ?) AND holder = ?',
      session_id,
      holder,
    );
  }

  /** For whoever knows that no other process can be there: what earlier ones held is free. */
  clear(): void {
    this.#sql.run('DELETE FROM lease');
    this.#sql.run('DELETE FROM holder');
  }

  /** Processes that ended long ago and hold nothing; once per start is often enough. */
  sweep(): void {
    this.#sql.run(
      'DELETE FROM holder WHERE until < ? AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.holder = holder.id)',
      this.#now() - limits.lease,
    );
  }
}
