import { z } from 'zod';
import { limits } from '../../wire/limits.ts';
import { AguiEvent } from '../agui-event.ts';
import { operation } from '../operation.ts';
import { SessionEventMessage, SessionFormat } from '../session-event.ts';
import { SOCKET_PATH } from '../socket-path.ts';
import { TaskResponse } from '../task.ts';

const after = z
  .string()
  .max(64)
  .optional()
  .describe('The id of the last event that the reader has; the header Last-Event-ID is taken before it.');
const headers = z.object({
  'Last-Event-ID': z.string().max(64).optional().describe('The id of the last event that the reader has.'),
});

/** Streams of events, and waiting for their end. */
export const streamOperations = {
  followRun: operation({
    id: 'followRun',
    method: 'GET',
    path: '/api/v1/agent/runs/{taskId}/events',
    scope: 'runs',
    tag: 'Runs',
    summary: 'The AG-UI events of a run, from its start or after an id',
    description:
      'Ends with the run. Whoever is cut off comes back with the id of the last event and misses nothing; 204 tells a reader that has them all.',
    query: z.object({
      after,
      until: z
        .enum(['run_end', 'task_end'])
        .optional()
        .describe(
          '`run_end`: ends at the first RUN_FINISHED or RUN_ERROR, though a person may have to be asked first.',
        ),
    }),
    headers,
    answers: { 200: null, 204: null },
    events: AguiEvent,
    refusals: [404, 409, 422],
  }),
  waitForRun: operation({
    id: 'waitForRun',
    method: 'GET',
    path: '/api/v1/agent/runs/{taskId}/wait',
    scope: 'runs',
    tag: 'Runs',
    summary: 'How a run ended, once it has',
    description:
      '200 when the run has ended; 202 when it still goes on after the time that was to be waited. Whoever waits takes the place of a stream.',
    query: z.object({
      timeout: z.coerce
        .number()
        .min(0)
        .max(limits.run_wait / 1000)
        .default(limits.run_wait / 1000)
        .describe('Seconds to wait at most.'),
    }),
    answers: { 200: TaskResponse, 202: TaskResponse },
    refusals: [404, 422],
  }),
  followSession: operation({
    id: 'followSession',
    method: 'GET',
    path: '/api/v1/sessions/{sessionId}/events',
    scope: 'runs',
    tag: 'Sessions',
    summary: 'All that a session says, over all its runs',
    description:
      'Never ends by itself. Whoever is cut off comes back with the id of the last event and misses nothing. With `format=agui` it is the AG-UI events of all runs, one run after another.',
    query: z.object({
      format: SessionFormat.default('messages').describe('Messages of the session, or AG-UI events.'),
      after,
      from: z.coerce
        .number()
        .int()
        .min(1)
        .max(Number.MAX_SAFE_INTEGER)
        .optional()
        .describe('The first record that is shown: for a reader that has what came before from elsewhere.'),
    }),
    headers,
    answers: { 200: null },
    events: z.union([SessionEventMessage, AguiEvent]),
    refusals: [404, 409, 422],
  }),
  openSocket: operation({
    id: 'openSocket',
    method: 'GET',
    path: SOCKET_PATH,
    scope: 'runs',
    tag: 'Sessions',
    summary: 'A websocket for any number of sessions',
    description:
      'Subscribes to sessions, each with its cursor, and sends messages to them. Without the headers of a websocket it is 426.',
    answers: { 101: null },
    refusals: [426],
  }),
};
