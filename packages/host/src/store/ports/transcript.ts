import type { Json, JsonObject } from '@rostra/protocol/wire/json';

/** How a message names an artifact. */
export interface AttachedArtifact {
  artifact_id: string;
  name: string;
  mime_type: string;
  size_bytes: number;
  sha256: string;
}

/**
 * One finished message of a session (RP-13.2). Its conversation is the session, its cursor the `seq`; both are put in by
 * whoever hands the item out.
 */
export interface TranscriptRow {
  session_id: string;
  /** The record that finished the message; with the session, the key. */
  seq: number;
  item_id: string;
  thread_id: string | null;
  turn_id: string | null;
  run_id: string | null;
  /** Id of the session message that brought it. */
  event_id: string | null;
  role: string;
  item_type: string;
  actor: JsonObject | null;
  /** The text, for reading and searching. */
  content: string;
  /** The whole content where it is more than text. */
  content_json: Json;
  attachments: AttachedArtifact[];
  ui_schema: Json;
  created_at: number;
  metadata: JsonObject;
}

export interface TranscriptPage {
  /** Rows with `seq < before`; without it and without `after`, the newest. */
  before?: number;
  /** Rows with `seq > after`, the oldest of them first chosen. */
  after?: number;
  limit?: number;
}

/** What is read of the transcript; rows are written by `SessionStore.commit`. */
export interface TranscriptStore {
  get(session_id: string, seq: number): Promise<TranscriptRow | null>;
  /** One page in the order of the log, whichever end it was taken from; `has_more` looks further that way. */
  page(session_id: string, page?: TranscriptPage): Promise<{ rows: TranscriptRow[]; has_more: boolean }>;
}
