import { handoverInvariants } from './handovers.ts';
import type { Invariant, Say, Step } from './invariant.ts';
import { Ledger } from './ledger.ts';
import { lifecycleInvariants } from './lifecycle.ts';
import { membershipInvariants } from './membership.ts';
import { messageInvariants } from './messages.ts';
import { hasEffect, type Observation } from './observation.ts';
import { outputInvariants } from './outputs.ts';
import { questionInvariants } from './questions.ts';
import { speakingInvariants } from './speaking.ts';
import { transactionInvariants } from './transactions.ts';
import { turnDeadlineInvariants } from './turn-deadlines.ts';
import { turnInvariants } from './turns.ts';

/** The invariants that are checked after every step. */
export const stepInvariants: readonly Invariant[] = [
  ...speakingInvariants,
  ...turnInvariants,
  ...turnDeadlineInvariants,
  ...questionInvariants,
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

/** A time in which the process did nothing, between its steps. */
interface Standstill {
  ms: number;
}

function isStandstill(seen: Observation | Standstill): seen is Standstill {
  return 'ms' in seen;
}

type Occasion = 'check' | 'settle' | 'ignored';

/** What the invariants of one occasion have to say: most have something to say on one of them only. */
interface Judge {
  readonly judge: NonNullable<Invariant['check']>;
  readonly say: Say;
}

/** Whom the invariants tell; one schedule runs at a time. */
let verdictNow = new Verdict();

const voices = stepInvariants.map((invariant) => {
  const { id, parts = [] } = invariant;
  const names = new Map(parts.map((part) => [part, `${id}.${part}`]));
  const say: Say = {
    met: (part) => verdictNow.met(part === undefined ? id : (names.get(part) ?? `${id}.${part}`)),
    broken: (what) => verdictNow.broken(id, what),
  };
  return { invariant, say };
});

function bench(occasion: Occasion): readonly Judge[] {
  return voices.flatMap(({ invariant, say }) => {
    const judge = invariant[occasion];
    return judge === undefined ? [] : { judge, say };
  });
}

const checks = bench('check');
const settlements = bench('settle');
const ignorances = bench('ignored');

/**
 * Watches one session from beside its driver. Steps are judged when they are committed: what was never committed never
 * happened. A power cut takes committed steps back, and with them what the oracle knew of them.
 */
export class Oracle {
  ledger = new Ledger();
  readonly #verdict: Verdict;
  /** Steps that are not committed, by the process that made them: two may believe that the session is theirs. */
  readonly #pending = new Map<string, (Observation | Standstill)[]>();
  #history: Observation[] = [];

  constructor(verdict: Verdict) {
    this.#verdict = verdict;
  }

  observe(host: string, seen: Observation): void {
    const pending = this.#pending.get(host);
    if (pending === undefined) this.#pending.set(host, [seen]);
    else pending.push(seen);
  }

  /** The process stood still after the steps that it made so far. */
  stoodStill(host: string, ms: number): void {
    const pending = this.#pending.get(host) ?? [];
    if (pending.length === 0) this.ledger.stoodStill(ms);
    else pending.push({ ms });
  }

  /** Steps of which nothing was committed. */
  ahead(host: string): number {
    let count = 0;
    for (const seen of this.#pending.get(host) ?? []) if (!isStandstill(seen) && hasEffect(seen)) count += 1;
    return count;
  }

  /** Everything up to this record is in the log now, written by this process. */
  committed(host: string, last_seq: number): void {
    const pending = this.#pending.get(host) ?? [];
    let count = 0;
    for (const seen of pending) {
      // What had no effect has no place of its own: it follows the step before it.
      if (!isStandstill(seen) && (hasEffect(seen) ? seen.seq > last_seq : seen.seq > last_seq + 1)) break;
      count += 1;
    }
    if (count === 0) return;
    this.#pending.set(host, pending.slice(count));
    for (let index = 0; index < count; index += 1) {
      const seen = pending[index];
      if (seen === undefined) continue;
      if (isStandstill(seen)) this.ledger.stoodStill(seen.ms);
      else this.#judge(seen);
    }
  }

  /** What this process did not commit is forgotten. */
  dropped(host: string): void {
    this.#pending.delete(host);
  }

  /** The log ends here now; what came after it is undone. */
  cut(last_seq: number): void {
    this.#pending.clear();
    if ((this.ledger.last?.seq ?? 0) <= last_seq) return;
    this.#history = this.#history.filter((seen) => seen.seq <= last_seq);
    this.ledger = new Ledger();
    for (const seen of this.#history) this.ledger.take(seen);
  }

  #judge(seen: Observation): void {
    verdictNow = this.#verdict;
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
      for (const { judge, say } of ignorances) judge(step, say);
      return;
    }
    for (const { judge, say } of checks) judge(step, say);
    this.ledger.take(seen);
    this.#history.push(seen);
    for (const { judge, say } of settlements) judge(step, say);
  }
}
