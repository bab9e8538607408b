import type { SaidMessage } from '@rostra/kernel/projection/said-message';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';

/** Which messages are meant; what is left out does not matter, null is a missing thread, bot or actor. */
export interface TranscriptFilter {
  thread_id?: string | null;
  bot_id?: string | null;
  actor_id?: string | null;
  event_types?: readonly string[];
  roles?: readonly string[];
  item_types?: readonly string[];
  /** By when they were said, in milliseconds: later than `since`, earlier than `until`. */
  since?: number;
  until?: number;
  /** Also what was taken back by a later message. */
  superseded?: boolean;
}

export interface TranscriptPage {
  /** Rows with `seq < before`. */
  before?: number;
  /** Rows with `seq > after`. */
  after?: number;
  /** From which end the page is taken; the oldest when there is an `after`, else the newest. */
  from?: 'oldest' | 'newest';
  limit?: number;
  where?: TranscriptFilter;
}

/** What a reader is shown of a message, as it stands now. */
export interface ShownMessage
  extends Pick<TranscriptRow, 'seq' | 'item_id' | 'role' | 'created_at' | 'attachments' | 'ui_schema'> {
  /** Its last words; null of one that was taken back. */
  readonly content: string | null;
}

/** Messages with `after < seq < before`. */
export interface ShownPage {
  after: number;
  before: number;
  where?: TranscriptFilter;
}

export interface TranscriptSearch {
  query: string;
  workspace_id: string;
  /** One conversation; without it, all of the workspace. */
  session_id?: string;
  /** Conversations of this user only. */
  owner_id?: string;
  /** What was changed or taken back since is left out. */
  current?: boolean;
  where?: TranscriptFilter;
  limit: number;
}

/** What is read of the transcript; rows are written by `SessionStore.commit`. */
export interface TranscriptStore {
  get(session_id: string, seq: number): Promise<TranscriptRow | null>;
  /**
   * One page in the order of the log, whichever end it was taken from; `has_more` looks further that way. A page ends at
   * `limits.page_bytes`, after one row at least.
   */
  page(session_id: string, page?: TranscriptPage): Promise<{ rows: TranscriptRow[]; has_more: boolean }>;
  /**
   * The first of these messages in the order of the log: as many as `limits.shown_items` and `limits.page_bytes` allow,
   * and one at least where there is any. Much cheaper than a page of whole rows.
   */
  shown(session_id: string, page: ShownPage): Promise<ShownMessage[]>;
  /**
   * Messages that have some of the query's words, the best first by bm25, the newest among equals. `total`: how many of
   * the best matches were compared. Everything that was committed before the call is found.
   */
  search(search: TranscriptSearch): Promise<{ rows: TranscriptRow[]; total: number }>;
  /** How many messages before that record. */
  count(session_id: string, before: number, where?: TranscriptFilter): Promise<number>;
  /** What changed these messages or took them back, in the order of the log. */
  amendments(session_id: string, item_ids: readonly string[]): Promise<TranscriptRow[]>;
  /** Which of these ids name messages that stand, each by its newest. */
  said(session_id: string, ids: readonly string[]): Promise<SaidMessage[]>;
  /** Whether the conversation has a message of that bot or actor. */
  has(session_id: string, where: TranscriptFilter): Promise<boolean>;
}
