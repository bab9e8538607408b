import type { Ledger } from './ledger.ts';
import type { Observation } from './observation.ts';

/** A step together with everything that was known before it. */
export interface Step extends Observation {
  ledger: Ledger;
}

/** What an invariant has to say about one step. */
export interface Say {
  /** Its condition really occurred. `part` names one of several conditions. */
  met(part?: string): void;
  broken(what: string): void;
}

type Check = (step: Step, say: Say) => void;

export interface Invariant {
  readonly id: string;
  /** Conditions beside the main one; each must occur too. */
  readonly parts?: readonly string[];
  /** A step with an effect, seen before the ledger has taken it. */
  readonly check?: Check;
  /** The same step, seen after. */
  readonly settle?: Check;
  /** A step without effect. */
  readonly ignored?: Check;
}
