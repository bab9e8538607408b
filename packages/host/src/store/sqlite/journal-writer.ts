import { close, closeSync, constants, fdatasync, openSync, writev } from 'node:fs';
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
  /** Adds to the file. */
  readonly write?: typeof writev;
  /** Brings on disk what was written. */
  readonly sync?: typeof fdatasync;
}

/** Commits that go into the file with one write, on a way of its own to the disk. */
interface Flight {
  readonly number: number;
  /** Nothing any more when it was refused. */
  commits: readonly JournalCommit[];
  /** How far the file reaches with it. */
  readonly end: number;
  /** On disk before it is back. */
  readonly flush: boolean;
  isBack: boolean;
}

interface OpenFile {
  /**
   * One for each flight in the air: the system tells a descriptor once of a page that could not be written, and whoever
   * shared it would hear nothing.
   */
  readonly descriptors: readonly number[];
  readonly place: DatabaseFile;
}

/**
 * The journal as the host writes it: one file to which commits are added, by the system's own threads, so that nobody but
 * the disk is waited for. A write may leave while another is on its way; what arrives when no more may forms the next.
 * They are told in the order of the file, whichever is back first: what is told has nothing before it that could be
 * missing. What must be on disk does not leave while something is on its way that need not be: the disk would be asked to
 * keep what was not written yet. A file that is full is filled again from its beginning, when everything in it has its rows.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #database: DatabaseFile;
  readonly #write: typeof writev;
  readonly #sync: typeof fdatasync;
  /** From the first commit on: a host that is never crowded has no journal. */
  #file: OpenFile | null = null;
  #salt: number;
  /** How far it reaches with all that left. */
  #offset = 0;
  #waiting: JournalCommit[] = [];
  /** In the air, in the order of the file. */
  #flights: Flight[] = [];
  /** Number of the flight that left last. */
  #last = 0;
  #isRefilling = false;
  /** The file can be added to; not after a write that failed, until it is filled anew. */
  #isSound = true;
  /** What waits for flights, each for the one of that number. */
  #afterwards: { flight: number; next: () => void }[] = [];

  constructor(options: JournalWriterOptions) {
    const { path, salt, write = writev, sync = fdatasync } = options;
    this.#options = options;
    this.#write = write;
    this.#sync = sync;
    this.#salt = salt;
    this.#database = new DatabaseFile(path);
  }

  /** Whether it takes commits. */
  get isOpen(): boolean {
    return this.#isSound && !this.#isRefilling && this.#offset < limits.journal_bytes;
  }

  /** Something is on its way into the file. */
  get isBusy(): boolean {
    return this.#flights.length > 0;
  }

  append(commit: JournalCommit): void {
    this.#waiting.push(commit);
    this.#takeOff();
  }

  /** Calls `next` when all that is on its way now has landed; what comes later is not waited for. */
  whenLanded(next: () => void): void {
    const flight = this.#last + (this.#waiting.length > 0 ? 1 : 0);
    if (this.isBusy) this.#afterwards.push({ flight, next });
    else next();
  }

  /** After a write that failed, when the store works again. */
  mend(): void {
    if (!this.#isSound && !this.#isRefilling && !this.isBusy) this.#refill();
  }

  async close(): Promise<void> {
    await new Promise<void>((landed) => this.whenLanded(landed));
    await this.#leave();
  }

  async #leave(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    const closed = file?.descriptors.map((descriptor) => new Promise((done) => close(descriptor, done)));
    await Promise.all(closed ?? []);
  }

  #open(): OpenFile {
    if (this.#file === null) {
      const path = journalPath(this.#options.path);
      const descriptors: number[] = [];
      try {
        while (descriptors.length < limits.journal_flights) {
          descriptors.push(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600));
        }
        // A name that is not on disk yet would be lost with the power, and all that was told from under it.
        syncPath(dirname(path));
        this.#file = { descriptors, place: new DatabaseFile(path) };
      } catch (error) {
        // It is tried again and again: a host that has no more of them would never get one back.
        for (const descriptor of descriptors) closeSync(descriptor);
        throw error;
      }
    }
    return this.#file;
  }

  #takeOff(): void {
    if (this.#waiting.length === 0 || this.#flights.length >= limits.journal_flights) return;
    const flush = this.#waiting.some((commit) => commit.flush);
    if (flush && this.#flights.some((flight) => !flight.flush && !flight.isBack)) return;
    const commits = this.#waiting;
    this.#waiting = [];
    const pieces = commits.flatMap(({ packed }) => journalEntry(this.#salt, packed));
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    const begin = this.#offset;
    this.#offset += size;
    this.#last += 1;
    const flight = { number: this.#last, commits, end: this.#offset, flush, isBack: false };
    this.#flights.push(flight);
    let descriptor: number;
    try {
      const { descriptors, place } = this.#open();
      if (flush) {
        this.#database.check();
        place.check();
      }
      descriptor = ownOf(flight, descriptors);
      hit('journal.begin');
    } catch (error) {
      queueMicrotask(() => this.#back(flight, error));
      return;
    }
    this.#write(descriptor, pieces, begin, (error, written) => {
      if (error !== null) this.#back(flight, error);
      else if (written < size) this.#back(flight, shortWrite());
      else if (flush) this.#sync(descriptor, (failure) => this.#back(flight, failure));
      else this.#back(flight, null);
    });
  }

  #back(flight: Flight, error: unknown): void {
    flight.isBack = true;
    const failed = error === null ? [] : this.#giveUp(flight);
    if (error === null) hit('journal.written');
    const landed = this.#land();
    // The next ones leave before these are told, so that the disk works on meanwhile.
    this.#takeOff();
    for (const { done } of landed) done(null);
    if (failed.length > 0) {
      const refusal = toFileError(refused(error), 'The journal of the database');
      for (const { done } of failed) done(refusal);
    }
    this.#goOn();
  }

  /**
   * Takes back the commits of a flight that failed and of all behind it. What of them may be in the file was never told, and
   * nothing is added to it: it may be another one by the time that it is used again.
   */
  #giveUp(flight: Flight): JournalCommit[] {
    this.#isSound = false;
    const behind = this.#flights.slice(this.#flights.indexOf(flight));
    const failed = [...behind.flatMap(({ commits }) => commits), ...this.#waiting];
    for (const each of behind) each.commits = [];
    this.#waiting = [];
    return failed;
  }

  /** Takes out of the air what is back and has nothing before it that is not. */
  #land(): JournalCommit[] {
    const first = this.#flights.findIndex(({ isBack }) => !isBack);
    const flights = this.#flights.splice(0, first < 0 ? this.#flights.length : first);
    const commits = flights.flatMap((flight) => flight.commits);
    const end = flights.findLast((flight) => flight.commits.length > 0)?.end;
    if (end !== undefined) {
      this.#options.landed({
        journaled: commits.map(({ packed }) => packed),
        sessions: commits.flatMap(({ sessions }) => sessions),
        end,
      });
    }
    return commits;
  }

  /** What has waited for flights that are over; and what can only be done when none is in the air. */
  #goOn(): void {
    const next = this.#flights[0]?.number ?? Number.POSITIVE_INFINITY;
    if (this.#afterwards.length > 0) {
      const due = this.#afterwards.filter(({ flight }) => flight < next);
      this.#afterwards = this.#afterwards.filter(({ flight }) => flight >= next);
      for (const each of due) each.next();
    }
    if (this.isBusy) return;
    if (!this.#isSound) void this.#leave();
    else if (this.#offset >= limits.journal_bytes && !this.#isRefilling) this.#refill();
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

/** Flights land in order: no other in the air has the same. */
function ownOf({ number }: Flight, descriptors: readonly number[]): number {
  const own = descriptors[number % descriptors.length];
  if (own === undefined) throw new Error('the journal is not open');
  return own;
}

/** Files are written as a whole unless the disk is full. */
function shortWrite(): Error {
  return Object.assign(new Error('only a part was written'), { code: 'ENOSPC', syscall: 'writev' });
}
