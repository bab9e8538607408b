import type { TurnRow } from '../port.ts';
import type { PageRequest } from './page.ts';

/** What is left of a deleted session: enough to say that it is gone, and that its id is taken. */
export interface Tombstone {
  session_id: string;
  deleted_at: number;
  /** e.g. `retention`, `user:owner`. */
  why: string;
  /** Whose it was, and how its log ended; null of those that an earlier host deleted. */
  workspace_id: string | null;
  owner_id: string | null;
  last_seq: number | null;
  hash: string | null;
}

/** One session as a list shows it. Texts are cut, one character beyond what is shown: who shows them can tell. */
export interface SessionCard {
  session_id: string;
  workspace_id: string;
  owner_id: string;
  /** Null unless it was renamed. */
  title: string | null;
  first_message: string | null;
  /** As it was when the session came to rest last. */
  active_agent_id: string | null;
  last_message: { role: string; content: string; created_at: number } | null;
  turns: number;
  live_turns: number;
  open_interactions: number;
  created_at: number;
  /** When it was given something to do last, or created. */
  active_at: number;
  /** Together with `active_at` its place in the list. */
  key: number;
}

/** Whose sessions; without an owner, all of the workspace. */
export interface SessionOwner {
  workspace_id: string;
  owner_id?: string;
}

export type ListPlace = Pick<SessionCard, 'active_at' | 'key'>;

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
  /** The last used first; `before` is the place of the last one of the page before. */
  browse(
    whose: SessionOwner,
    page?: { before?: ListPlace; limit?: number },
  ): Promise<{ rows: SessionCard[]; has_more: boolean }>;
  /** Those of these sessions that exist, in no order. */
  cards(session_ids: readonly string[]): Promise<SessionCard[]>;
  /** Some sessions of a workspace that are not closed and whose active agent is this one, as they came to rest last. */
  activeWith(workspace_id: string, agent_id: string): Promise<string[]>;
  /** Null takes the title away. False: there is no such session. */
  rename(session_id: string, title: string | null): Promise<boolean>;
  /** Turns of one session, or of all of an owner, the newest first; `before` is the last one of the page before. */
  turns(
    whose: SessionOwner & { session_id?: string },
    page?: PageRequest<string>,
  ): Promise<{ rows: TurnRow[]; has_more: boolean }>;
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
