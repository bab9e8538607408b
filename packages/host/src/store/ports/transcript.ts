import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';

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
