import { z } from 'zod';
import { AgentRunResult } from '../runner/run-result.ts';
import { JsonObject } from '../wire/json.ts';
import { method } from './api-method.ts';
import { PageCursor, PageLimit, pageOf } from './page.ts';

export const AgentRunStatus = z.enum(['queued', 'running', 'interrupted', 'completed', 'failed', 'cancelled']);
export type AgentRunStatus = z.infer<typeof AgentRunStatus>;

/** A row of the ledger of runs. `usage` is null where nobody reported any, never 0. */
export const AgentRun = z.object({
  run_id: z.string(),
  turn_id: z.string(),
  session_id: z.string(),
  agent_id: z.string(),
  attempt: z.number().int().min(1),
  status: AgentRunStatus,
  created_at: z.number().int(),
  started_at: z.number().int().nullable().default(null),
  ended_at: z.number().int().nullable().default(null),
  code: z.string().nullable().default(null),
  usage: JsonObject.nullable().default(null),
});
export type AgentRun = z.infer<typeof AgentRun>;

const target_run_id = z.string().min(1).max(256);

/** Runs of the caller's own scope; the target may be over, the caller must be live. */
export const RunsApi = {
  'runs.get': method({ target_run_id }, AgentRun),
  'runs.list': method(
    {
      conversation_id: z.string().nullable().default(null),
      statuses: z.array(AgentRunStatus).default([]),
      before_cursor: PageCursor,
      limit: PageLimit,
    },
    pageOf(AgentRun),
  ),
  'runs.events_page': method(
    { target_run_id, before_cursor: PageCursor, after_cursor: PageCursor, limit: PageLimit },
    pageOf(AgentRunResult),
  ),
  'runs.cancel': method({ target_run_id, reason: z.string().max(2048).optional() }, AgentRun),
};
