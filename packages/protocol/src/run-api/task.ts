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

/** `GET /api/v1/agent/runs/{taskId}`. */
export const TaskResponse = z.object({
  taskId: z.string(),
  threadId: z.string(),
  runId: z.string().nullable(),
  agentId: z.string(),
  status: TaskStatus,
  created: z.string(),
  ended: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).nullable(),
});
export type TaskResponse = z.infer<typeof TaskResponse>;
