import { z } from 'zod';
import { operation } from '../operation.ts';
import { TaskResponse } from '../task.ts';

const tag = 'Runs';

/** What is done to a run by its name. */
export const runControlOperations = {
  cancelRun: operation({
    id: 'cancelRun',
    method: 'POST',
    path: '/api/v1/agent/runs/{taskId}/cancel',
    scope: 'runs',
    tag,
    summary: 'Stops a run',
    description: 'As often as one likes: 202 while it stops, 200 when it has ended.',
    query: z.object({ wait: z.enum(['0', '1']).optional().describe('`1`: answers when the run has ended.') }),
    answers: { 200: TaskResponse, 202: TaskResponse },
    refusals: [404, 409, 422],
  }),
};
