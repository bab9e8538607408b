import type { Json } from '@rostra/protocol/wire/json';
import type { PageRequest } from './page.ts';

/** One act: a proxied call, a refusal, an act of an administrator. */
export interface AuditEntry {
  at: number;
  workspace_id: string;
  /** Who acted, e.g. `user:owner`, `runner:demo`. */
  actor: string;
  session_id: string | null;
  run_id: string | null;
  runner_id: string | null;
  action: string;
  resource: string | null;
  scope: string | null;
  result: string;
  details: Json;
}

export interface AuditRow extends AuditEntry {
  /** Rises with every row. */
  id: number;
}

export interface AuditFilter {
  workspace_id: string;
  session_id?: string;
  run_id?: string;
  actor?: string;
  action?: string;
  result?: string;
  /** At or after this time, and before the other. */
  since?: number;
  until?: number;
}

/** Rows that are only ever added, until retention takes them. */
export interface AuditStore {
  /** All of them in one commit, in this order. */
  append(entries: AuditEntry[]): Promise<void>;
  /** Newest first. */
  page(filter: AuditFilter, page?: PageRequest<number>): Promise<{ rows: AuditRow[]; has_more: boolean }>;
  /** Removes some rows older than `before`; how many. */
  sweep(before: number): Promise<number>;
}
