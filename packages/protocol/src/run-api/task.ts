import { z } from 'zod';

/** The answer to an accepted run (RA-3). */
export const TaskAcceptedResponse = z.object({
  taskId: z.string(),
  threadId: z.string(),
  runId: z.string(),
  created: z.string(),
});
export type TaskAcceptedResponse = z.infer<typeof TaskAcceptedResponse>;

export const TaskStatus = z.enum(['queued', 'running', 'interrupted', 'completed', 'failed', 'cancelled']);
export type TaskStatus = z.infer<typeof TaskStatus>;

const time = z.string().describe('ISO-8601');

/** What models used, as far as the runner said so; null is unknown. */
export const RunUsage = z.object({
  model: z.string().nullable(),
  /** Read at the full price, read from a cache, written. */
  inputTokens: z.number().nullable(),
  cachedTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  totalTokens: z.number().nullable(),
});
export type RunUsage = z.infer<typeof RunUsage>;

/** One run of a runner at the task: a task whose agent allows it has several when the host was restarted. */
export const TaskAttempt = z.object({
  runId: z.string(),
  attempt: z.number().int(),
  agentId: z.string(),
  status: TaskStatus,
  created: time,
  started: time.nullable(),
  ended: time.nullable(),
  code: z.string().nullable(),
  usage: RunUsage.nullable(),
  /** By the prices of the configuration; null where a price or a count is unknown. */
  cost: z.number().nullable(),
  toolCalls: z.number().int().nullable(),
  /** Milliseconds that it waited for people. */
  waited: z.number().nullable(),
});
export type TaskAttempt = z.infer<typeof TaskAttempt>;

/** `GET /api/v1/agent/runs/{taskId}` (RA-9.6). */
export const TaskResponse = z.object({
  taskId: z.string(),
  threadId: z.string(),
  /** The client's own name for it. */
  runId: z.string().nullable(),
  agentId: z.string(),
  status: TaskStatus,
  created: time,
  /** When its first run began; null while it is queued. */
  started: time.nullable(),
  /** When its first words came; known while it lives. */
  firstOutput: time.nullable(),
  ended: time.nullable(),
  attempts: z.array(TaskAttempt),
  /** Of all attempts together; null when none of them told. */
  usage: RunUsage.nullable(),
  cost: z.number().nullable(),
  error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).nullable(),
});
export type TaskResponse = z.infer<typeof TaskResponse>;
