/** What one attempt of a runner received and might touch, as it was sent: JSON texts. */
export interface DossierEntry {
  run_id: string;
  session_id: string;
  at: number;
  context: string;
  grant: string;
}

/** Kept for whoever wants to understand a run; no part of the log, and nothing depends on it. */
export interface DossierStore {
  /** All of them in one commit. Of a run that is known already the first entry stays. */
  append(entries: DossierEntry[]): Promise<void>;
  get(run_id: string): Promise<DossierEntry | null>;
  /** Removes some that are older than `before`; how many. */
  sweep(before: number): Promise<number>;
}
