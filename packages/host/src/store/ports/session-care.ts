/** What is left of a deleted session: enough to say that it is gone, and that its id is taken. */
export interface Tombstone {
  session_id: string;
  deleted_at: number;
  /** e.g. `retention`, `user:owner`. */
  why: string;
}

export interface SessionListing {
  /** Where the next page goes on. */
  cursor: number;
  session_id: string;
  workspace_id: string;
  owner_id: string;
  created_at: number;
  updated_at: number;
  last_seq: number;
}

/** Listing, deleting and ageing of whole sessions. */
export interface SessionCare {
  /** In the order of their creation; `after` is the cursor of the last one of the page before. */
  list(page?: { after?: number; limit?: number }): Promise<SessionListing[]>;
  /**
   * From its answer on the session is gone: its owner is fenced, reads say SESSION_GONE, its id is never given again. Its
   * rows are removed by `purge`. False: there is none of that id, or it is gone already.
   */
  remove(session_id: string, tombstone: { at: number; why: string }): Promise<boolean>;
  tombstone(session_id: string): Promise<Tombstone | null>;
  /** The context that was saved last, and the record that it stands for; null before the first, and of no session. */
  saved(session_id: string): Promise<{ context: string; context_seq: number } | null>;
  /** Removes some rows of deleted sessions; whether there is more to do. */
  purge(): Promise<boolean>;
  /**
   * Looks at some sessions after `cursor` and removes those that were last written before `before`, have no live turn,
   * owe no message and are held by nobody. Gives where to go on; null at the end.
   */
  retire(cursor: number, before: number, at: number): Promise<{ removed: string[]; cursor: number | null }>;
}
