import { z } from 'zod';
import { AgentEventEnvelope } from '../runner/run-context.ts';
import { limits } from '../wire/limits.ts';
import { method } from './api-method.ts';
import { PageCursor, PageLimit, pageOf } from './page.ts';

/** RP-7.17, newest first. A large payload stays behind `event.raw_ref` (RP-7.18). */
export const EventsApi = {
  'events.get': method({ event_id: z.string().min(1).max(256) }, AgentEventEnvelope),
  'events.page': method(
    {
      conversation_id: z.string().max(256).nullable().default(null),
      event_types: z.array(z.string().max(128)).max(limits.page_items).default([]),
      before_cursor: PageCursor,
      limit: PageLimit,
    },
    pageOf(AgentEventEnvelope),
  ),
};
