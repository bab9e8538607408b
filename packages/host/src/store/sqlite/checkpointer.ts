import { limits } from '@rostra/protocol/wire/limits';
import { hit } from '../../failpoint.ts';
import type { DatabaseFile } from './database-file.ts';
import type { Database, Statement } from './driver.ts';
import { sqliteCode } from './store-error.ts';

export interface CheckpointOptions {
  /** Time without a commit after which the log is copied into the database, in milliseconds. */
  idle?: number;
  /** Growth of the log's file, above what it keeps, at which it is copied without waiting for an idle moment. */
  bytes?: number;
}

/** Calls `wake` once after `ms`, unless called off. */
export type Later = (ms: number, wake: () => void) => { refresh(): void; cancel(): void };

/** Moves the write-ahead log into the database file where no commit has to wait for it. */
export class Checkpointer {
  readonly #passive: Statement;
  readonly #truncate: Statement;
  readonly #file: DatabaseFile;
  readonly #bytes: number;
  readonly #idle: number;
  readonly #later: Later;
  #timer: ReturnType<Later> | null = null;
  /** Size of the log at the last checkpoint. The file shrinks only when SQLite starts it over. */
  #done: number;

  constructor(db: Database, file: DatabaseFile, later: Later, options: CheckpointOptions = {}) {
    this.#passive = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#truncate = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#file = file;
    this.#later = later;
    this.#idle = options.idle ?? limits.checkpoint_idle;
    this.#bytes = options.bytes ?? limits.checkpoint_bytes;
    this.#done = file.walBytes();
  }

  /** After each commit. */
  committed(): void {
    const size = this.#file.walBytes();
    this.#done = Math.min(this.#done, size);
    if (size - this.#done >= this.#bytes) {
      this.#checkpoint();
      return;
    }
    if (this.#timer !== null) this.#timer.refresh();
    else this.#timer = this.#later(this.#idle, () => this.#checkpoint());
  }

  /** The last one, with nobody reading any more: leaves an empty log. */
  finish(): void {
    this.#run(this.#truncate);
  }

  /** Copies what no reader still needs and never waits for one. */
  #checkpoint(): void {
    this.#run(this.#passive);
    this.#done = this.#file.walBytes();
  }

  #run(checkpoint: Statement): void {
    this.#timer?.cancel();
    this.#timer = null;
    try {
      hit('checkpoint.begin');
      checkpoint.get();
      hit('checkpoint.done');
    } catch (error) {
      // Nothing is lost: the commits stay in the log, and the next checkpoint tries again.
      if (sqliteCode(error) === null) throw error;
    }
  }
}
