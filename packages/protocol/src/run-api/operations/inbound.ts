import { z } from 'zod';
import { limits } from '../../wire/limits.ts';
import { EventAccepted, EventSubmission } from '../event-submission.ts';
import { operation } from '../operation.ts';

const tag = 'Events';

/** Where events come in that are no messages of a chat. */
export const inboundOperations = {
  submitEvent: operation({
    id: 'submitEvent',
    method: 'POST',
    path: '/api/v1/events',
    scope: 'events',
    tag,
    summary: 'Takes an event of a platform',
    description: 'It becomes a turn of the agent that is bound to it (docs/events.md).',
    body: EventSubmission,
    bytes: limits.event_body_bytes,
    answers: { 202: EventAccepted },
    refusals: [404, 409, 413, 415, 422],
  }),
  deliverHook: operation({
    id: 'deliverHook',
    method: 'POST',
    path: '/api/v1/hooks/{hookId}',
    scope: null,
    tag,
    summary: 'Takes a signed delivery of another system',
    headers: z.object({
      'x-rostra-signature': z
        .string()
        .describe('`t=<seconds since 1970>,v1=<hex of HMAC-SHA256 over t, a dot and the body>`'),
    }),
    takes: 'application/octet-stream',
    bytes: limits.webhook_body_bytes,
    answers: { 202: EventAccepted.pick({ event_id: true, task_id: true }) },
    refusals: [404, 409, 413, 415, 422],
  }),
};
