import type { ClaimedSession, StoreStats, Unit, UnitResult } from '../port.ts';
import type { DatabaseFile } from './database-file.ts';
import type { Database, Statement } from './driver.ts';
import { toStoreError } from './store-error.ts';
import { TailReader } from './tail-reader.ts';
import { type Transact, transactOn } from './transaction.ts';
import { UnitWriter } from './unit-writer.ts';

/** `class`: as each unit declares. `flush`: every commit waits for the disk. */
export type StoreDurability = 'class' | 'flush';

/** The one writer of a database: knows nothing of threads. */
export class Writer {
  readonly #db: Database;
  readonly #file: DatabaseFile;
  readonly #durability: StoreDurability;
  readonly #stats: StoreStats = { commits: 0, flushes: 0, inserts: 0, updates: 0 };
  readonly #transact: Transact;
  readonly #units: UnitWriter;
  readonly #tails: TailReader;
  readonly #raise: Statement;
  /** As the connection was opened. */
  #flushing = true;

  constructor(db: Database, file: DatabaseFile, durability: StoreDurability = 'class') {
    this.#db = db;
    this.#file = file;
    this.#durability = durability;
    this.#transact = transactOn(db);
    this.#units = new UnitWriter(db, this.#stats);
    this.#tails = new TailReader(db);
    this.#raise = db.prepare('UPDATE session SET epoch = ? WHERE key = ?');
  }

  /** Null for an unknown session. A log that does not verify keeps its epoch and is not handed over. */
  claim(session_id: string): ClaimedSession | null {
    return this.#written(true, () => {
      const tail = this.#tails.read(session_id);
      if (tail === null) return null;
      const epoch = tail.session.epoch + 1;
      this.#raise.run(epoch, tail.key);
      this.#stats.updates += 1;
      this.#units.heads.set(session_id, { key: tail.key, epoch, seq: tail.session.last_seq, hash: tail.hash });
      return { ...tail.session, epoch };
    });
  }

  commit(units: readonly Unit[]): UnitResult[] {
    if (units.length === 0) return [];
    const flush = units.some((unit) => unit.flush);
    return this.#written(flush, () => units.map((unit) => this.#units.write(unit)));
  }

  stats(): StoreStats {
    return { ...this.#stats };
  }

  close(): void {
    this.#db.close();
  }

  #written<T>(flush: boolean, work: () => T): T {
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
