import type { JsonObject } from '@rostra/protocol/wire/json';
import type { PageRequest } from './page.ts';

/** `completed`, `failed` and `cancelled` are terminal: a row that has one of them never changes again. */
export type RunStatus = 'queued' | 'running' | 'interrupted' | 'completed' | 'failed' | 'cancelled';

export function isTerminal(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** One attempt of one runner at one turn, as the ledger keeps it. Written with the session's units. */
export interface RunRow {
  run_id: string;
  turn_id: string;
  session_id: string;
  agent_id: string;
  attempt: number;
  status: RunStatus;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  code: string | null;
  /** Null when the runner reported none: unknown is not zero. */
  usage: JsonObject | null;
}

/** What is read of the ledger; a run row is written by `SessionStore.commit`. */
export interface RunStore {
  get(run_id: string): Promise<RunRow | null>;
  /** Attempts at one turn, the first one first. */
  ofTurn(turn_id: string): Promise<RunRow[]>;
  /** Runs of a session, newest first; `before` is the run_id where the page before ended. */
  page(session_id: string, page?: PageRequest<string>): Promise<{ rows: RunRow[]; has_more: boolean }>;
  /** Runs of all sessions that have no terminal status. */
  listOpen(limit: number): Promise<RunRow[]>;
}
