import { z } from 'zod';
import { limits } from '../../wire/limits.ts';
import { HistorySnapshotResponse, SearchResponse } from '../history.ts';
import { operation } from '../operation.ts';

const tag = 'History';

/** What was said before. */
export const historyOperations = {
  getHistory: operation({
    id: 'getHistory',
    method: 'GET',
    path: '/api/v1/agent/history',
    scope: 'runs',
    tag,
    summary: 'One day of a conversation, the newest unless told',
    description: 'Without a thread: the caller’s own latest. A caller without any gets nulls and an empty list.',
    query: z.object({
      threadId: z.string().max(128).optional(),
      before: z.string().max(32).optional().describe('YYYY-MM-DD; the newest day with messages before it.'),
    }),
    headers: z.object({
      'X-Timezone': z.string().optional().describe('The time zone of the days, e.g. `Europe/Berlin`; UTC unless told.'),
    }),
    answers: { 200: HistorySnapshotResponse },
    refusals: [404, 422],
  }),
  searchMessages: operation({
    id: 'searchMessages',
    method: 'GET',
    path: '/api/v1/search',
    scope: 'runs',
    tag,
    summary: 'Finds messages of the caller’s own sessions by their words, the best first',
    query: z.object({
      q: z.string().min(1).max(limits.query_chars).describe('Words; nothing else in it has a meaning.'),
      sessionId: z.string().max(128).optional(),
      limit: z.coerce.number().int().min(1).max(100_000).optional().describe('More than 50 count as 50.'),
    }),
    answers: { 200: SearchResponse },
    refusals: [404, 422, 504],
  }),
};
