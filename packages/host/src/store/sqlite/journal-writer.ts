import { close, constants, fdatasync, openSync, writev } from 'node:fs';
import { dirname } from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { hit } from '../../failpoint.ts';
import { toFileError } from '../artifacts/file-error.ts';
import { refused } from '../refused.ts';
import { syncPath } from './database-copy.ts';
import { DatabaseFile } from './database-file.ts';
import { type JournalNews, journalEntry, journalPath } from './journal-file.ts';

/** One commit on its way into the journal. */
export interface JournalCommit {
  readonly packed: Uint8Array;
  /** Whose units it holds. */
  readonly sessions: readonly string[];
  /** On disk before it is told. */
  readonly flush: boolean;
  readonly done: (error: Error | null) => void;
}

export interface JournalWriterOptions {
  /** Of the database. */
  readonly path: string;
  readonly salt: number;
  /** Commits are in the file, and will be told now: whoever writes their rows hears of them first. */
  readonly landed: (news: JournalNews) => void;
  /** Has the rows of all that landed written, and gives the salt of the next filling. */
  readonly refill: () => Promise<number>;
}

/**
 * The journal as the host writes it: one file to which commits are added, by the system's own threads, so that nobody but
 * the disk is waited for. What arrives while one write is under way forms the next. A file that is full is filled again from
 * its beginning, when everything in it has its rows.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #database: DatabaseFile;
  /** From the first commit on: a host that is never crowded has no journal. */
  #file: { descriptor: number; place: DatabaseFile } | null = null;
  #salt: number;
  #offset = 0;
  #waiting: JournalCommit[] = [];
  /** Number of the write that is under way, or was last. */
  #flight = 0;
  #isFlying = false;
  #isRefilling = false;
  /** The file can be added to; not after a write that failed, until it is filled anew. */
  #isSound = true;
  /** What waits for writes, each for the one of that number. */
  #afterwards: { flight: number; next: () => void }[] = [];

  constructor(options: JournalWriterOptions) {
    const { path, salt } = options;
    this.#options = options;
    this.#salt = salt;
    this.#database = new DatabaseFile(path);
  }

  /** Whether it takes commits. */
  get isOpen(): boolean {
    return this.#isSound && !this.#isRefilling && this.#offset < limits.journal_bytes;
  }

  /** Something is on its way into the file. */
  get isBusy(): boolean {
    return this.#isFlying;
  }

  append(commit: JournalCommit): void {
    this.#waiting.push(commit);
    if (!this.#isFlying) this.#fly();
  }

  /** Calls `next` when all that is on its way now has landed; what comes later is not waited for. */
  whenLanded(next: () => void): void {
    const flight = this.#flight + (this.#waiting.length > 0 ? 1 : 0);
    if (this.#isFlying) this.#afterwards.push({ flight, next });
    else next();
  }

  /** After a write that failed, when the store works again. */
  mend(): void {
    if (!this.#isSound && !this.#isRefilling && !this.#isFlying) this.#refill();
  }

  async close(): Promise<void> {
    await new Promise<void>((landed) => this.whenLanded(landed));
    await new Promise<void>((closed) => this.#leave(closed));
  }

  #leave(left: () => void): void {
    const file = this.#file;
    this.#file = null;
    if (file === null) left();
    else close(file.descriptor, left);
  }

  #open(): number {
    if (this.#file === null) {
      const path = journalPath(this.#options.path);
      const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      // A name that is not on disk yet would be lost with the power, and all that was told from under it.
      syncPath(dirname(path));
      this.#file = { descriptor, place: new DatabaseFile(path) };
    }
    return this.#file.descriptor;
  }

  #fly(): void {
    const commits = this.#waiting;
    this.#waiting = [];
    this.#isFlying = true;
    this.#flight += 1;
    const flush = commits.some((commit) => commit.flush);
    let file: number;
    try {
      file = this.#open();
      if (flush) {
        this.#database.check();
        this.#file?.place.check();
      }
      hit('journal.begin');
    } catch (error) {
      queueMicrotask(() => this.#failed(commits, error));
      return;
    }
    const pieces = commits.flatMap(({ packed }) => journalEntry(this.#salt, packed));
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    writev(file, pieces, this.#offset, (error, written) => {
      if (error !== null) this.#failed(commits, error);
      else if (written < size) this.#failed(commits, shortWrite());
      else if (flush) fdatasync(file, (failure) => this.#over(commits, size, failure));
      else this.#over(commits, size, null);
    });
  }

  #over(commits: readonly JournalCommit[], size: number, error: Error | null): void {
    if (error !== null) {
      this.#failed(commits, error);
      return;
    }
    hit('journal.written');
    this.#offset += size;
    this.#options.landed({
      journaled: commits.map(({ packed }) => packed),
      sessions: commits.flatMap(({ sessions }) => sessions),
      end: this.#offset,
    });
    const flight = this.#flight;
    // The next ones leave before these are told, so that the disk works on meanwhile.
    this.#goOn();
    for (const { done } of commits) done(null);
    this.#landed(flight);
  }

  /** What may be in the file now was never told: nothing is added to it. It may be another one by the time that it is used again. */
  #failed(commits: readonly JournalCommit[], error: unknown): void {
    this.#isSound = false;
    this.#leave(() => undefined);
    const refusal = toFileError(refused(error), 'The journal of the database');
    const all = [...commits, ...this.#waiting];
    this.#waiting = [];
    this.#goOn();
    for (const { done } of all) done(refusal);
    this.#landed(Number.POSITIVE_INFINITY);
  }

  #goOn(): void {
    if (this.#waiting.length > 0) {
      this.#fly();
      return;
    }
    this.#isFlying = false;
    if (this.#isSound && this.#offset >= limits.journal_bytes) this.#refill();
  }

  #landed(last: number): void {
    if (this.#afterwards.length === 0) return;
    const due = this.#afterwards.filter(({ flight }) => flight <= last);
    this.#afterwards = this.#afterwards.filter(({ flight }) => flight > last);
    for (const { next } of due) next();
  }

  #refill(): void {
    this.#isRefilling = true;
    this.#options.refill().then(
      (salt) => {
        this.#salt = salt;
        this.#offset = 0;
        this.#isSound = true;
        this.#isRefilling = false;
      },
      () => {
        // Nothing is lost: commits go into the tables, and the next that succeeds tries again.
        this.#isSound = false;
        this.#isRefilling = false;
      },
    );
  }
}

/** Files are written as a whole unless the disk is full. */
function shortWrite(): Error {
  return Object.assign(new Error('only a part was written'), { code: 'ENOSPC', syscall: 'writev' });
}
