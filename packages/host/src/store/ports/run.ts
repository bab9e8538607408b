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
  /** Which bot and thread of the conversation it belongs to. */
  bot_id: string | null;
  thread_id: string | null;
  /** The log's records between which everything stands that it said; null until it has ended. */
  first_seq: number | null;
  last_seq: number | null;
  /** Calls of tools that it told of, handovers that it asked for, milliseconds that it waited for people. */
  tool_calls: number | null;
  handovers: number | null;
  waited: number | null;
}

/** `statuses` and `place` leave out the runs of other states, bots and threads. */
export interface RunPage extends PageRequest<string> {
  statuses?: readonly RunStatus[];
  place?: { bot_id: string | null; thread_id: string | null };
}

export interface LedgerSpan {
  workspace_id: string;
  /** Begun at or after this time, and before the other. */
  since: number;
  until: number;
}

/** What is read of the ledger; a run row is written by `SessionStore.commit`. */
export interface RunStore {
  get(run_id: string): Promise<RunRow | null>;
  /** Attempts at one turn, the first one first. */
  ofTurn(turn_id: string): Promise<RunRow[]>;
  /** The same for several turns; those of one turn stand together. */
  ofTurns(turn_ids: readonly string[]): Promise<RunRow[]>;
  /** Runs of a session, newest first; `before` is the run_id where the page before ended. */
  page(session_id: string, page?: RunPage): Promise<{ rows: RunRow[]; has_more: boolean }>;
  /**
   * Runs of one agent that were begun at or after `since` and have ended, from all sessions, newest first. `next` is
   * what the following call gives as `before`; null at the end. A step looks at a bounded number of rows, so that one may
   * give none and yet not be the last.
   */
  endedSince(agent_id: string, since: number, before?: number): Promise<{ rows: RunRow[]; next: number | null }>;
  /** Runs of all agents of a workspace that were begun within the span, ended or not, in steps like `endedSince`. */
  ledger(span: LedgerSpan, before?: number): Promise<{ rows: RunRow[]; next: number | null }>;
}
