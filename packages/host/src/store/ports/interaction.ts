import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { StoreError } from '../refusal.ts';
import type { PageRequest } from './page.ts';

export type InteractionStatus = 'pending' | 'answered' | 'expired' | 'run_lost' | 'withdrawn' | 'delivery_failed';

/** A question to a person. It is pending until exactly one thing resolves it. */
export interface InteractionRow {
  interaction_id: string;
  workspace_id: string;
  session_id: string;
  turn_id: string | null;
  run_id: string | null;
  /** `approval`, `form`, `choice`, … */
  kind: string;
  request: Json;
  /** Hash of the token that an answer must bring; the token itself is never kept. */
  token_hash: string | null;
  status: InteractionStatus;
  answer: Json;
  answered_by: string | null;
  created_at: number;
  expires_at: number;
  resolved_at: number | null;
}

export type NewInteraction = Omit<InteractionRow, 'status' | 'answer' | 'answered_by' | 'resolved_at'>;
/** `answered`: this answer is the one. Otherwise what the interaction already was, or `unknown`. */
export type AnswerResult = 'answered' | 'too_late' | 'unknown';

export interface InteractionStore {
  insert(interaction: NewInteraction): Promise<void>;
  get(interaction_id: string): Promise<InteractionRow | null>;
  /** Newest first, of one session or of the workspace. */
  listPending(
    filter: { workspace_id: string; session_id?: string },
    page?: PageRequest<string>,
  ): Promise<{ rows: InteractionRow[]; has_more: boolean }>;
  /** Compare and set: of two answers one wins. An answer at or after `expires_at`, by the host's clock, is too late. */
  answer(interaction_id: string, answer: { answer: Json; by: string; at: number }): Promise<AnswerResult>;
  /** Ends it without an answer; whether it was still pending. */
  resolve(
    interaction_id: string,
    status: Exclude<InteractionStatus, 'pending' | 'answered'>,
    at: number,
  ): Promise<boolean>;
  /** Marks what is past its time, some at once; gives what it marked. */
  expire(now: number): Promise<InteractionRow[]>;
}

/** The question as it is stored; refuses one that is too large to be shown to anybody. */
export function encodeRequest({ interaction_id, request }: NewInteraction): string {
  const text = JSON.stringify(request);
  const size = Buffer.byteLength(text);
  if (size <= limits.interaction_bytes) return text;
  throw new StoreError({
    code: 'payload_too_large',
    reason: 'VALUE_TOO_LARGE',
    message: `Interaction ${interaction_id} has ${size} bytes, at most ${limits.interaction_bytes} are kept.`,
    retryable: false,
  });
}
