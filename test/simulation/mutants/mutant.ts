import type { Patch } from '../../mutation/patched-bundle.ts';

/** A bug by hand: one place of the source, and what stands there instead. */
export interface Mutant extends Patch {
  /** Invariants that it breaks; any of them, or another one, may be the first to notice. */
  readonly breaks: readonly string[];
  readonly note: string;
}
