/** A bug by hand: one place of the source, and what stands there instead. */
export interface Mutant {
  readonly id: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Invariants that it breaks; any of them, or another one, may be the first to notice. */
  readonly breaks: readonly string[];
  readonly note: string;
}
