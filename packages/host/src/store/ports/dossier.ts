/** What one attempt of a runner received and might touch, as it was sent: JSON texts. */
export interface DossierEntry {
  run_id: string;
  context: string;
  grant: string;
  /** What stands in neither of them because many runs were told the same; null: nothing was left out. */
  terms: DossierTerms | null;
}

/** Kept once for all runs that were told so. */
export interface DossierTerms {
  /** Follows from the text. */
  id: string;
  text: string;
}

/** Kept with the run for whoever wants to understand it; no part of the log, and nothing depends on it. */
export interface DossierStore {
  /** All of them in one commit. Of a run that has one already the first stays; of no run nothing is kept. */
  append(entries: DossierEntry[]): Promise<void>;
  get(run_id: string): Promise<DossierEntry | null>;
  /** Forgets some of runs that were begun before `before`; how many. */
  sweep(before: number): Promise<number>;
}
