import { z } from 'zod';
import { TranscriptEntryPage } from '../history.ts';
import { operation, PageQuery, pageOf } from '../operation.ts';
import {
  FrontendMessage,
  MessageAccepted,
  NewSession,
  SessionChange,
  SessionItem,
  SessionSnapshot,
} from '../session-api.ts';

const tag = 'Sessions';
const cursor = z.string().max(512);

/** Conversations as wholes. */
export const sessionOperations = {
  listSessions: operation({
    id: 'listSessions',
    method: 'GET',
    path: '/api/v1/sessions',
    scope: 'runs',
    tag,
    summary: 'Sessions, the one with the newest message first',
    description: 'The caller’s own; an administrator sees those of the workspace.',
    query: PageQuery,
    answers: { 200: pageOf(SessionItem) },
    refusals: [422],
  }),
  createSession: operation({
    id: 'createSession',
    method: 'POST',
    path: '/api/v1/sessions',
    scope: 'runs',
    tag,
    summary: 'Creates and opens a session',
    description: 'A run on a thread that does not exist yet creates its session too; this is for choosing the roster.',
    body: NewSession,
    answers: { 201: SessionSnapshot },
    refusals: [404, 409, 413, 415, 422],
  }),
  getSession: operation({
    id: 'getSession',
    method: 'GET',
    path: '/api/v1/sessions/{sessionId}',
    scope: 'runs',
    tag,
    summary: 'Who is in a session, who is active, what is under way',
    query: z.object({
      asOf: z.coerce
        .number()
        .int()
        .min(0)
        .max(Number.MAX_SAFE_INTEGER)
        .optional()
        .describe('A record of the log: how things stood after it.'),
    }),
    answers: { 200: SessionSnapshot },
    refusals: [404, 422],
  }),
  renameSession: operation({
    id: 'renameSession',
    method: 'PATCH',
    path: '/api/v1/sessions/{sessionId}',
    scope: 'runs',
    tag,
    summary: 'Gives a session another title',
    body: SessionChange,
    answers: { 200: SessionItem },
    refusals: [404, 409, 413, 415, 422],
  }),
  deleteSession: operation({
    id: 'deleteSession',
    method: 'DELETE',
    path: '/api/v1/sessions/{sessionId}',
    scope: 'runs',
    tag,
    summary: 'Deletes a session and everything in it',
    description:
      'A run that is under way is ended. What stays is that it was there, when it was deleted and the last hash of its log; its id is never given again: reading it is 404, writing to it 409.',
    answers: { 204: null },
    refusals: [404],
  }),
  sendMessage: operation({
    id: 'sendMessage',
    method: 'POST',
    path: '/api/v1/sessions/{sessionId}/messages',
    scope: 'runs',
    tag,
    summary: 'Hands a message to a session',
    description:
      'Answers with what the session decided, after that is committed. The same id again is the same message. Who sends it is known from the key: a message that says so itself is refused.',
    body: FrontendMessage,
    answers: { 202: MessageAccepted },
    refusals: [404, 409, 413, 415, 422],
  }),
  readTranscript: operation({
    id: 'readTranscript',
    method: 'GET',
    path: '/api/v1/sessions/{sessionId}/transcript',
    scope: 'runs',
    tag,
    summary: 'What was said in a session, page by page',
    description: 'The newest messages unless told; `before` goes back from there, `after` forward.',
    query: z.object({
      before: cursor.optional().describe('`before` of a page: what is earlier.'),
      after: cursor.optional().describe('`after` of a page: what is later.'),
      limit: PageQuery.shape.limit,
    }),
    answers: { 200: TranscriptEntryPage },
    refusals: [404, 422],
  }),
};
