import { limits } from '@rostra/protocol/wire/limits';
import type { SessionStore, Unit } from './port.ts';

/** A session with something to commit. */
export interface Committer {
  /** Hands out what happened since the last commit, or null when nothing did. */
  takeUnit(): Unit | null;
  committed(): void;
  fenced(): void;
  failed(error: Error): void;
}

/** Whoever counts commits and times them. */
export interface CommitWatch {
  /** A commit leaves for the store; what is returned is called when it is over. */
  began(units: readonly Unit[]): (error: Error | null) => void;
}

/**
 * Group commit: at most one is in flight, and what arrives meanwhile forms the next, with all that one turn of the event
 * loop brings: the larger a group, the less each unit costs. No timer. A unit is all or nothing; the units of many
 * sessions share one transaction.
 */
export class CommitLoop {
  readonly #store: SessionStore;
  readonly #soon: (task: () => void) => void;
  readonly #watch: CommitWatch | null;
  #waiting = new Set<Committer>();
  #inFlight = false;
  #isDue = false;

  constructor(store: SessionStore, soon: (task: () => void) => void, watch: CommitWatch | null = null) {
    this.#store = store;
    this.#soon = soon;
    this.#watch = watch;
  }

  /** Whether everything that was handed over is committed. */
  get isIdle(): boolean {
    return !this.#inFlight && this.#waiting.size === 0;
  }

  add(committer: Committer): void {
    this.#waiting.add(committer);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#inFlight || this.#isDue || this.#waiting.size === 0) return;
    this.#isDue = true;
    this.#soon(() => {
      this.#isDue = false;
      this.#commit();
    });
  }

  #commit(): void {
    const batch: Committer[] = [];
    const units: Unit[] = [];
    let records = 0;
    let bytes = 0;
    for (const committer of this.#waiting) {
      if (records >= limits.commit_records || bytes >= limits.commit_bytes) break;
      this.#waiting.delete(committer);
      const unit = committer.takeUnit();
      if (unit === null) continue;
      batch.push(committer);
      units.push(unit);
      records += unit.last_seq - unit.expected_seq;
      for (const segment of unit.segments) bytes += segment.body.length;
    }
    if (units.length === 0) return;
    this.#inFlight = true;
    const ended = this.#watch?.began(units);
    this.#store.commit(units, (error, results) => {
      ended?.(error);
      for (const [index, committer] of batch.entries()) {
        if (error !== null) committer.failed(error);
        else if (results[index] === 'committed') committer.committed();
        else committer.fenced();
      }
      // Only now: what the committers are told makes them add again, and none may be taken twice.
      this.#inFlight = false;
      this.#schedule();
    });
  }
}
