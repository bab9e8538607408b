import { z } from 'zod';
import { limits } from '../../wire/limits.ts';
import { operation } from '../operation.ts';
import { TaskResponse } from '../task.ts';

/** What became of one call of a client's tool. */
export const ToolResultBody = z.strictObject({
  toolCallId: z.string().min(1).max(256),
  content: z.string(),
  error: z.string().optional().describe('Present when the call failed.'),
});
export type ToolResultBody = z.infer<typeof ToolResultBody>;

export const toolResultOperations = {
  sendToolResults: operation({
    id: 'sendToolResults',
    method: 'POST',
    path: '/api/v1/agent/runs/{taskId}/tool-results',
    scope: 'runs',
    tag: 'Runs',
    summary: 'Results of the client’s own tools that a run waits for',
    description: 'All that it waits for at once. 409 when it waits for none.',
    body: z.strictObject({ results: z.array(ToolResultBody).min(1).max(limits.interaction_fields) }),
    answers: { 202: TaskResponse },
    refusals: [404, 409, 413, 415, 422],
  }),
};
