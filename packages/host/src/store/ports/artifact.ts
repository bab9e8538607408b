import type { JsonObject } from '@rostra/protocol/wire/json';
import type { PageRequest } from './page.ts';

/**
 * What is known of an artifact beside its bytes (RP-13.3). Rows of equal content share one file. Who may read it stands
 * in its ids (CX-4.11): one with a `session_id` is read in that conversation, bot and thread, and goes with it; one with
 * no session but an `agent_id` by every run of that agent; one that has neither by its own run only. What a user
 * uploaded has a `user_id`, and no run reads it before a message has named it.
 */
export interface ArtifactRow {
  artifact_id: string;
  workspace_id: string;
  session_id: string | null;
  bot_id: string | null;
  thread_id: string | null;
  run_id: string | null;
  agent_id: string | null;
  user_id: string | null;
  name: string;
  mime_type: string;
  size_bytes: number;
  sha256: string;
  created_at: number;
  /** From then on it is not found any more, and the next sweep removes it. */
  expires_at: number | null;
  metadata: JsonObject;
}

/** The bytes, at once or in pieces as they arrive. */
export type ArtifactContent = Uint8Array | AsyncIterable<Uint8Array>;
export type NewArtifact = Omit<ArtifactRow, 'size_bytes' | 'sha256' | 'user_id'> & { user_id?: string };

/** A message of a session names an upload: `copy_id` names it there if it is another session's already. */
export interface UploadClaim {
  artifact_id: string;
  session_id: string;
  copy_id: string;
  now: number;
}

/** What the sender says about its bytes; anything else that arrives is refused. */
export interface ArtifactClaim {
  size_bytes?: number;
  sha256?: string;
}

export interface ArtifactStore {
  /** The file is complete and on disk before the row exists; when anything fails there is no row. */
  create(artifact: NewArtifact, content: ArtifactContent, claim?: ArtifactClaim): Promise<ArtifactRow>;
  /** Null for one that is unknown, or expired at `now`. */
  get(artifact_id: string, now: number): Promise<ArtifactRow | null>;
  /** A piece of the bytes, shorter at their end; at most `limits.piece_bytes`. Null as `get`. */
  read(artifact_id: string, range: { offset: number; length: number }, now: number): Promise<Uint8Array | null>;
  /** Artifacts of a session, newest first; `before` is the artifact_id where the page before ended. */
  page(
    session_id: string,
    now: number,
    page?: PageRequest<string>,
  ): Promise<{ rows: ArtifactRow[]; has_more: boolean }>;
  delete(artifact_id: string): Promise<boolean>;
  /**
   * Makes an upload a file of a session, with which it lives from then on: itself, or a copy beside that of the session
   * that had it first. Claimed again it is the same. Null for one that is unknown or expired, and for what is no upload.
   */
  claim(claim: UploadClaim): Promise<ArtifactRow | null>;
  /** Bytes of a user's uploads that no message has named yet. */
  unclaimed(workspace_id: string, user_id: string): Promise<number>;
  /**
   * Removes some rows that have expired or were made before `made_before`, then some files that no row names; small
   * enough to be repeated while the host works.
   */
  sweep(now: number, made_before?: number): Promise<{ expired: number; orphans: number; more: boolean }>;
}
