import { z } from 'zod';
import { limits } from '../../wire/limits.ts';
import { operation, PageQuery, pageOf } from '../operation.ts';
import { TaskResponse } from '../task.ts';

const tag = 'Runs';

/** How runs are. */
export const runStatusOperations = {
  listRuns: operation({
    id: 'listRuns',
    method: 'GET',
    path: '/api/v1/agent/runs',
    scope: 'runs',
    tag,
    summary: 'Runs, the newest first, or the one of a thread that a client named',
    description:
      'With `threadId` and `runId`: the one run that the client named so. Else a page: of a thread, or of all of the caller’s own (an administrator: of the workspace).',
    query: PageQuery.extend({
      threadId: z.string().max(128).optional(),
      runId: z
        .string()
        .max(4 * limits.run_id_chars)
        .optional(),
    }),
    answers: { 200: z.union([TaskResponse, pageOf(TaskResponse)]) },
    refusals: [404, 422],
  }),
  getRun: operation({
    id: 'getRun',
    method: 'GET',
    path: '/api/v1/agent/runs/{taskId}',
    scope: 'runs',
    tag,
    summary: 'How a run is',
    answers: { 200: TaskResponse },
    refusals: [404],
  }),
};
