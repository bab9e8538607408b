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
 * Group commit: two groups at most are under way, so that neither the store nor this thread waits for the other; the
 * second one leaves when a crowd waits for it. What arrives meanwhile forms the next, with all that one turn of the event
 * loop brings. Groups are bounded: of one large group everybody waits for the last. No timer. A unit is all or nothing;
 * the units of many sessions share one transaction, and a session has one unit under way.
 */
export class CommitLoop {
  readonly #store: SessionStore;
  readonly #soon: (task: () => void) => void;
  readonly #watch: CommitWatch | null;
  readonly #waiting = new Set<Committer>();
  /** Those with a unit under way, and whether they have more by now. */
  readonly #busy = new Map<Committer, boolean>();
  #groups = 0;
  #isDue = false;

  constructor(store: SessionStore, soon: (task: () => void) => void, watch: CommitWatch | null = null) {
    this.#store = store;
    this.#soon = soon;
    this.#watch = watch;
  }

  /** Whether everything that was handed over is committed. */
  get isIdle(): boolean {
    return this.#groups === 0 && this.#waiting.size === 0;
  }

  add(committer: Committer): void {
    if (this.#busy.has(committer)) {
      this.#busy.set(committer, true);
      return;
    }
    this.#waiting.add(committer);
    this.#schedule();
  }

  get #mayLeave(): boolean {
    if (this.#groups === 0) return this.#waiting.size > 0;
    return this.#groups < limits.commits_under_way && this.#waiting.size >= limits.commit_follows;
  }

  #schedule(): void {
    if (this.#isDue || !this.#mayLeave) return;
    this.#isDue = true;
    this.#soon(() => {
      this.#isDue = false;
      while (this.#mayLeave) this.#commit();
    });
  }

  #commit(): void {
    const group: Committer[] = [];
    const units: Unit[] = [];
    let records = 0;
    let bytes = 0;
    for (const committer of this.#waiting) {
      if (units.length >= limits.commit_units) break;
      if (records >= limits.commit_records || bytes >= limits.commit_bytes) break;
      this.#waiting.delete(committer);
      const unit = committer.takeUnit();
      if (unit === null) continue;
      group.push(committer);
      units.push(unit);
      this.#busy.set(committer, false);
      records += unit.last_seq - unit.expected_seq;
      for (const segment of unit.segments) bytes += segment.body.length;
    }
    if (units.length === 0) return;
    this.#groups += 1;
    const ended = this.#watch?.began(units);
    this.#store.commit(units, (error, results) => {
      ended?.(error);
      this.#groups -= 1;
      // A crowd leaves before this one is told, so that the store works on meanwhile.
      while (this.#waiting.size >= limits.commit_follows && this.#mayLeave) this.#commit();
      for (const [index, committer] of group.entries()) {
        // Only now: none may be taken twice.
        if (this.#busy.get(committer) === true) this.#waiting.add(committer);
        this.#busy.delete(committer);
        if (error !== null) committer.failed(error);
        else if (results[index] === 'committed') committer.committed();
        else committer.fenced();
      }
      this.#schedule();
    });
  }
}
