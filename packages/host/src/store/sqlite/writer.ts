import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { limits } from '@rostra/protocol/wire/limits';
import { hit } from '../../failpoint.ts';
import type { ClaimedSession, StoreStats, Unit, UnitResult } from '../port.ts';
import type { DossierEntry } from '../ports/dossier.ts';
import { sessionGone, sessionHeld } from '../refusal.ts';
import type { DatabaseFile } from './database-file.ts';
import type { Database, Statement } from './driver.ts';
import { type JournalMark, type JournalNews, journalBytes, journalEntries, journalPath } from './journal-file.ts';
import { readMark, writeMark } from './journal-mark.ts';
import { LeaseTable } from './lease-table.ts';
import { setMeta } from './meta-value.ts';
import { unpackUnits } from './packed-units.ts';
import { Statements } from './statements.ts';
import { toStoreError } from './store-error.ts';
import { CareTable } from './tables/care-table.ts';
import { DossierTable } from './tables/dossier-table.ts';
import { TailReader } from './tail-reader.ts';
import { type Transact, transactOn } from './transaction.ts';
import { UnitWriter } from './unit-writer.ts';
import { WaitingUnits } from './waiting-units.ts';

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
  /** Hears which units have their rows now. */
  readonly #settled: (units: readonly Unit[]) => void;
  readonly #stats: StoreStats = { commits: 0, flushes: 0, inserts: 0, updates: 0 };
  readonly #transact: Transact;
  readonly #units: UnitWriter;
  /** Commits in the journal, as they are there: what they hold is not looked at before its rows are written. */
  #waiting: Uint8Array[] = [];
  #waitingUnits = 0;
  readonly #waitingSessions = new Set<string>();
  /** What runs received whose rows may be among them. */
  #waitingDossiers: DossierEntry[] = [];
  readonly #dossiers: DossierTable;
  readonly #leases: LeaseTable;
  readonly #tails: TailReader;
  readonly #raise: Statement;
  /** What the next transaction that writes rows of the journal says of it. */
  #journal = newFilling();
  /** As the connection was opened. */
  #flushing = true;

  constructor(
    db: Database,
    file: DatabaseFile,
    durability: StoreDurability = 'class',
    now: () => number = Date.now,
    settled: (units: readonly Unit[]) => void = () => undefined,
  ) {
    this.#db = db;
    this.#file = file;
    this.#durability = durability;
    this.#now = now;
    this.#settled = settled;
    this.#transact = transactOn(db);
    this.sql = new Statements(db, this.#stats);
    this.#dossiers = new DossierTable(this.sql);
    this.#leases = new LeaseTable(this.sql, now);
    this.#units = new UnitWriter(db, this.#stats, this.sql, this.#leases);
    this.sessions = new CareTable(this.sql, now, (session_id) => this.#units.heads.delete(session_id));
    this.#tails = new TailReader(db);
    this.#raise = db.prepare('UPDATE session SET epoch = ? WHERE key = ?');
  }

  /** Units that are committed and in no table yet. */
  get waiting(): number {
    return this.#waitingUnits;
  }

  /**
   * Whether whoever wrote here before ended without closing, and the salt of a journal that may be filled from now on.
   * `sole`: no other process can hold a lease.
   */
  begin({ sole }: { sole: boolean }): { unclean: boolean; salt: number } {
    const mark = readMark(this.#db);
    if (mark !== null) this.recover(journalBytes(journalPath(this.#file.path), mark), mark.salt);
    const journal = this.#journal;
    const unclean = this.write(true, () => {
      if (sole) this.#leases.clear();
      else this.#leases.sweep();
      writeMark(this.sql, journal);
      const open = this.sql.get('SELECT 1 FROM meta WHERE key = ?', openMark);
      setMeta(this.sql, openMark, new Date(this.#now()).toISOString());
      return open !== undefined;
    });
    return { unclean, salt: journal.salt };
  }

  /** Brings into the tables what a host that was killed had committed: the journal behind the mark. */
  recover(bytes: Buffer, salt: number): void {
    const units = new WaitingUnits();
    for (const packed of journalEntries(bytes, salt)) {
      for (const unit of unpackUnits(packed)) if (this.#follows(unit, units)) units.add(unit);
    }
    if (units.units.length > 0) this.#settle(units);
  }

  /** Commits that are in the journal. Their rows are written later. */
  wait({ journaled, sessions, end }: JournalNews): void {
    this.#waiting.push(...journaled);
    this.#waitingUnits += sessions.length;
    for (const session_id of sessions) this.#waitingSessions.add(session_id);
    this.#journal = { salt: this.#journal.salt, offset: end };
  }

  /** With the rows of their runs, when those wait; nobody sees either before. Else at once. */
  keepDossiers(entries: DossierEntry[]): void {
    if (this.waiting > 0 && this.#waitingDossiers.length < limits.dossier_queue) this.#waitingDossiers.push(...entries);
    else {
      this.settle();
      this.write(false, () => this.#dossiers.append(entries));
    }
  }

  /** Everything in the journal is in the tables and on disk: it may be filled again, with this salt. */
  refill(): number {
    this.settle();
    const journal = newFilling();
    this.write(true, () => writeMark(this.sql, journal));
    this.#journal = journal;
    return journal.salt;
  }

  /** The counterpart of `begin`. */
  end(): void {
    this.settle();
    this.write(true, () => this.sql.run('DELETE FROM meta WHERE key = ?', openMark));
    rmSync(journalPath(this.#file.path), { force: true });
  }

  /** Null for an unknown session. A log that does not verify keeps its epoch and is not handed over. */
  claim(session_id: string, holder: string): ClaimedSession | null {
    if (this.#waitingSessions.has(session_id)) this.settle();
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
    if (this.#waitingSessions.has(session_id)) this.settle();
    this.write(false, () => this.#leases.release(session_id, holder));
  }

  commit(units: readonly Unit[]): UnitResult[] {
    if (units.length === 0) return [];
    hit('commit.begin');
    this.settle();
    const flush = units.some((unit) => unit.flush);
    const results = this.write(flush, () => {
      const written = units.map((unit) => this.#units.write(unit));
      hit('commit.written');
      return written;
    });
    hit('commit.done');
    return results;
  }

  /** Writes the rows of all that waits. Whoever reads a table that units are written to calls it before. */
  settle(): void {
    if (this.waiting === 0) return;
    const units = new WaitingUnits();
    for (const packed of this.#waiting) for (const unit of unpackUnits(packed)) units.add(unit);
    this.#settle(units);
    this.#waiting = [];
    this.#waitingUnits = 0;
    this.#waitingSessions.clear();
    this.#waitingDossiers = [];
    this.#settled(units.units);
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

  #settle(units: WaitingUnits): void {
    // Not waited for: until these rows are on disk, the journal is.
    this.write(false, () => {
      this.#units.writeWaiting(units);
      this.#dossiers.append(this.#waitingDossiers);
      writeMark(this.sql, this.#journal);
      hit('journal.settled');
    });
  }

  /** Whether the log stands where the unit begins. One that was refused, or is in the tables, does not follow. */
  #follows({ session_id, epoch, expected_seq, created }: Unit, before: WaitingUnits): boolean {
    const waiting = before.sessions.get(session_id);
    if (waiting !== undefined) return waiting.epoch === epoch && waiting.last_seq === expected_seq;
    const head = this.#units.heads.read(session_id);
    if (head === null) return created !== null && this.sessions.tombstone(session_id) === null;
    return created === null && head.epoch === epoch && head.seq === expected_seq;
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

function newFilling(): JournalMark {
  return { salt: randomInt(1, 0xffff_ffff), offset: 0 };
}
