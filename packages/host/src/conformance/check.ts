import type { Bench } from './bench.ts';

/** One promise of the protocol, and how to see whether a runner keeps it. */
export interface Check {
  readonly promise: string;
  /** The clause of docs/spec that asks for it. */
  readonly clause: string;
  /** Throws a BrokenPromise, or NotShown where the runner gave no occasion. */
  try(bench: Bench): Promise<void>;
}
