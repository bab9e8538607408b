import { limits } from '@rostra/protocol/wire/limits';
import { hit } from '../../failpoint.ts';
import type { ClaimedSession, StoreStats, Unit, UnitResult } from '../port.ts';
import { sessionGone, sessionHeld } from '../refusal.ts';
import type { DatabaseFile } from './database-file.ts';
import type { Database, Statement } from './driver.ts';
import { Journal } from './journal.ts';
import { LeaseTable } from './lease-table.ts';
import { Statements } from './statements.ts';
import { toStoreError } from './store-error.ts';
import { CareTable } from './tables/care-table.ts';
import { TailReader } from './tail-reader.ts';
import { type Transact, transactOn } from './transaction.ts';
import { UnitWriter } from './unit-writer.ts';

/** `class`: as each unit declares. `flush`: every commit waits for the disk. */
export type StoreDurability = 'class' | 'flush';

/** In `meta` while a writer has the database open: found by the next one, it was not closed in order. */
const openMark = 'open';

/** The one writer of a database: knows nothing of threads. */
export class Writer {
  /** For the tables that are written beside the log; only inside `write`. */
  readonly sql: Statements;
  readonly sessions: CareTable;
  readonly #db: Database;
  readonly #file: DatabaseFile;
  readonly #durability: StoreDurability;
  readonly #now: () => number;
  /** Units of one commit that make a crowd. */
  readonly #crowd: number;
  readonly #stats: StoreStats = { commits: 0, flushes: 0, inserts: 0, updates: 0 };
  readonly #transact: Transact;
  readonly #units: UnitWriter;
  readonly #journal: Journal;
  readonly #leases: LeaseTable;
  readonly #tails: TailReader;
  readonly #raise: Statement;
  /** As the connection was opened. */
  #flushing = true;

  constructor(
    db: Database,
    file: DatabaseFile,
    durability: StoreDurability = 'class',
    now: () => number = Date.now,
    crowd: number = limits.journal_crowd,
  ) {
    this.#db = db;
    this.#file = file;
    this.#durability = durability;
    this.#now = now;
    this.#crowd = crowd;
    this.#transact = transactOn(db);
    this.sql = new Statements(db, this.#stats);
    this.#leases = new LeaseTable(this.sql, now);
    this.#units = new UnitWriter(db, this.#stats, this.sql, this.#leases);
    this.#journal = new Journal(db, this.sql, this.#units.heads);
    this.sessions = new CareTable(this.sql, now, (session_id) => this.#units.heads.delete(session_id));
    this.#tails = new TailReader(db);
    this.#raise = db.prepare('UPDATE session SET epoch = ? WHERE key = ?');
  }

  /** Units that are committed and in no table yet. */
  get waiting(): number {
    return this.#journal.units.length;
  }

  /** Whether whoever wrote here before ended without closing. `sole`: no other process can hold a lease. */
  begin({ sole }: { sole: boolean }): { unclean: boolean } {
    this.recover();
    const unclean = this.write(true, () => {
      if (sole) this.#leases.clear();
      else this.#leases.sweep();
      const mark = this.sql.get('SELECT 1 FROM meta WHERE key = ?', openMark);
      this.sql.run(
        'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        openMark,
        new Date(this.#now()).toISOString(),
      );
      return mark !== undefined;
    });
    return { unclean };
  }

  /** Brings into the tables what a host that was killed had committed. */
  recover(): void {
    this.#journal.restore();
    this.settle();
  }

  /** The counterpart of `begin`. */
  end(): void {
    this.settle();
    this.write(true, () => this.sql.run('DELETE FROM meta WHERE key = ?', openMark));
  }

  /** Null for an unknown session. A log that does not verify keeps its epoch and is not handed over. */
  claim(session_id: string, holder: string): ClaimedSession | null {
    if (this.#journal.sessions.has(session_id)) this.settle();
    return this.write(true, () => {
      const tail = this.#tails.read(session_id);
      if (tail === null) {
        if (this.sessions.tombstone(session_id) !== null) throw sessionGone(session_id);
        return null;
      }
      if (this.#leases.isHeldByOther(tail.key, holder)) throw sessionHeld(session_id);
      const epoch = tail.session.epoch + 1;
      this.#raise.run(epoch, tail.key);
      this.#stats.updates += 1;
      this.#leases.hold(tail.key, holder);
      hit('claim.raised');
      this.#units.heads.set(session_id, { key: tail.key, epoch, seq: tail.session.last_seq, hash: tail.hash });
      return { ...tail.session, epoch };
    });
  }

  renew(holder: string): 'renewed' | 'lapsed' {
    return this.write(false, () => this.#leases.renew(holder));
  }

  release(session_id: string, holder: string): void {
    if (this.#journal.sessions.has(session_id)) this.settle();
    this.write(false, () => this.#leases.release(session_id, holder));
  }

  /**
   * `packed`: the same units as they may be put into the journal, by whoever knows that nobody else writes here. It is used
   * in a crowd, and as long as something waits in it.
   */
  commit(units: readonly Unit[], packed: Uint8Array | null = null): UnitResult[] {
    if (units.length === 0) return [];
    const flush = units.some((unit) => unit.flush);
    hit('commit.begin');
    const before = this.waiting;
    const journaled = packed !== null && this.#mayWait(units) ? packed : null;
    if (journaled === null) this.settle();
    let results: UnitResult[];
    try {
      results = this.write(flush, () => {
        const written =
          journaled === null ? units.map((unit) => this.#units.write(unit)) : this.#note(units, journaled);
        hit('commit.written');
        return written;
      });
    } catch (error) {
      if (journaled !== null) this.#journal.keepOnly(before);
      throw error;
    }
    hit('commit.done');
    return results;
  }

  /** Writes the rows of all that waits. Whoever reads a table that units are written to calls it before. */
  settle(): void {
    if (this.waiting === 0) return;
    // Not waited for: until these rows are on disk, those of the journal are.
    this.write(false, () => {
      this.#units.writeWaiting(this.#journal);
      this.#journal.remove();
      hit('journal.settled');
    });
    this.#journal.keepOnly(0);
  }

  stats(): StoreStats {
    return { ...this.#stats };
  }

  close(): void {
    this.#db.close();
  }

  /** One transaction: all of `work` or nothing of it, on disk before this returns when `flush` says so. */
  write<T>(flush: boolean, work: () => T): T {
    const before = this.stats();
    try {
      this.#wait(flush || this.#durability === 'flush');
      const result = this.#transact(work);
      if (this.#stats.inserts + this.#stats.updates > before.inserts + before.updates) {
        this.#stats.commits += 1;
        if (this.#flushing) this.#stats.flushes += 1;
      }
      return result;
    } catch (error) {
      Object.assign(this.#stats, before);
      this.#units.heads.clear();
      throw toStoreError(error);
    }
  }

  #mayWait(units: readonly Unit[]): boolean {
    if (this.waiting === 0 ? units.length < this.#crowd : this.waiting >= limits.journal_units) return false;
    return this.#journal.take(units);
  }

  #note(units: readonly Unit[], packed: Uint8Array): UnitResult[] {
    this.#journal.write(packed);
    return units.map(() => 'committed');
  }

  /**
   * Sets the class of the next commit. Executed and never prepared: SQLite applies this pragma when it is prepared, and
   * the class would go silently wrong.
   */
  #wait(flush: boolean): void {
    if (flush) this.#file.check();
    if (flush === this.#flushing) return;
    this.#db.exec(`PRAGMA synchronous = ${flush ? 'FULL' : 'NORMAL'}`);
    this.#flushing = flush;
  }
}
