import { handoverInvariants } from './handovers.ts';
import type { Invariant, Say, Step } from './invariant.ts';
import { Ledger } from './ledger.ts';
import { lifecycleInvariants } from './lifecycle.ts';
import { membershipInvariants } from './membership.ts';
import { messageInvariants } from './messages.ts';
import { hasEffect, type Observation } from './observation.ts';
import { outputInvariants } from './outputs.ts';
import { speakingInvariants } from './speaking.ts';
import { transactionInvariants } from './transactions.ts';
import { turnDeadlineInvariants } from './turn-deadlines.ts';
import { turnInvariants } from './turns.ts';

/** The invariants that are checked after every step. */
export const stepInvariants: readonly Invariant[] = [
  ...speakingInvariants,
  ...turnInvariants,
  ...turnDeadlineInvariants,
  ...membershipInvariants,
  ...transactionInvariants,
  ...handoverInvariants,
  ...outputInvariants,
  ...messageInvariants,
  ...lifecycleInvariants,
];

export interface Violation {
  invariant: string;
  what: string;
}

/** Counts how often each condition occurred, and keeps what broke. */
export class Verdict {
  readonly premises = new Map<string, number>();
  readonly violations: Violation[] = [];

  met(id: string): void {
    this.premises.set(id, (this.premises.get(id) ?? 0) + 1);
  }

  broken(invariant: string, what: string): void {
    if (this.violations.length < 20) this.violations.push({ invariant, what });
  }
}

type Judgement = (step: Step) => void;

/** One list of checks for each occasion: most invariants have something to say on one of them only. */
class Bench {
  readonly check: Judgement[] = [];
  readonly settle: Judgement[] = [];
  readonly ignored: Judgement[] = [];

  constructor(verdict: Verdict) {
    for (const { id, check, settle, ignored } of stepInvariants) {
      const say: Say = {
        met: (part) => verdict.met(part === undefined ? id : `${id}.${part}`),
        broken: (what) => verdict.broken(id, what),
      };
      if (check !== undefined) this.check.push((step) => check(step, say));
      if (settle !== undefined) this.settle.push((step) => settle(step, say));
      if (ignored !== undefined) this.ignored.push((step) => ignored(step, say));
    }
  }
}

/**
 * Watches one session from beside its driver. Steps are judged when they are committed: what was never committed never
 * happened. A power cut takes committed steps back, and with them what the oracle knew of them.
 */
export class Oracle {
  ledger = new Ledger();
  readonly #bench: Bench;
  #pending: Observation[] = [];
  #history: Observation[] = [];

  constructor(verdict: Verdict) {
    this.#bench = new Bench(verdict);
  }

  observe(seen: Observation): void {
    this.#pending.push(seen);
  }

  /** Steps of which nothing was committed. */
  get ahead(): number {
    return this.#pending.filter(hasEffect).length;
  }

  /** Everything up to this record is in the log now. */
  committed(last_seq: number): void {
    let count = 0;
    for (const seen of this.#pending) {
      // What had no effect has no place of its own: it follows the step before it.
      if (hasEffect(seen) ? seen.seq > last_seq : seen.seq > last_seq + 1) break;
      count += 1;
    }
    for (const seen of this.#pending.splice(0, count)) this.#judge(seen);
  }

  /** What was not committed is forgotten. */
  dropped(): void {
    this.#pending = [];
  }

  /** The log ends here now; what came after it is undone. */
  cut(last_seq: number): void {
    this.#pending = [];
    if ((this.ledger.last?.seq ?? 0) <= last_seq) return;
    this.#history = this.#history.filter((seen) => seen.seq <= last_seq);
    this.ledger = new Ledger();
    for (const seen of this.#history) this.ledger.take(seen);
  }

  #judge(seen: Observation): void {
    const step: Step = {
      before: seen.before,
      message: seen.message,
      after: seen.after,
      publish: seen.publish,
      at: seen.at,
      seq: seen.seq,
      ledger: this.ledger,
    };
    if (!hasEffect(seen)) {
      for (const judge of this.#bench.ignored) judge(step);
      return;
    }
    for (const judge of this.#bench.check) judge(step);
    this.ledger.take(seen);
    this.#history.push(seen);
    for (const judge of this.#bench.settle) judge(step);
  }
}
