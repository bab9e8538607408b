import { z } from 'zod';
import { ArtifactRef } from '../session/input.ts';
import { Json, JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { method } from './api-method.ts';
import { PageCursor, PageLimit, pageOf, SearchText, topK } from './page.ts';

const text = z.string().nullable().default(null);

/** One finished message of a conversation, as it is projected from the log (RP-13.2); never a raw payload. */
export const TranscriptItem = z.object({
  item_id: z.string(),
  seq: z.number().int().nonnegative(),
  cursor: z.string(),
  conversation_id: z.string(),
  thread_id: text,
  run_id: text,
  event_id: text,
  role: z.string(),
  item_type: z.string(),
  actor: text,
  content: z.string(),
  content_json: Json.optional(),
  attachments: z.array(ArtifactRef).default([]),
  ui_schema: Json.optional(),
  created_at: z.number().int(),
  metadata: JsonObject.default({}),
});
export type TranscriptItem = z.infer<typeof TranscriptItem>;

const names = z.array(z.string().max(128)).max(limits.page_items);

/** The closed list of what a search can be narrowed by; `after` and `before` are seconds, as `created_at` is. */
export const HistoryFilters = z.strictObject({
  conversation_id: z.string().max(256).optional(),
  thread_id: z.string().max(256).optional(),
  event_types: names.optional(),
  roles: names.optional(),
  after: z.number().int().optional(),
  before: z.number().int().optional(),
});
export type HistoryFilters = z.infer<typeof HistoryFilters>;

/**
 * RP-7.14 to RP-7.16. The conversation is the run's own unless it names another one that it may read. The items of a page
 * stand in the order in which they were said; `next_cursor` leads on in the direction that was asked for, as
 * `before_cursor` when that is backward and as `after_cursor` when it is forward, `prev_cursor` leads back as the other.
 * A search reaches as far as the run's grant of history, unless its filters name one conversation.
 */
export const HistoryApi = {
  'history.page': method(
    {
      conversation_id: z.string().max(256).nullable().default(null),
      before_cursor: PageCursor,
      after_cursor: PageCursor,
      limit: PageLimit,
      direction: z.enum(['backward', 'forward']).default('backward'),
      include_artifacts: z.boolean().default(false),
    },
    pageOf(TranscriptItem),
  ),
  'history.search': method(
    { query: SearchText, filters: HistoryFilters.prefault({}), top_k: topK(10) },
    z.object({ items: z.array(TranscriptItem), total_count: z.number().int().nonnegative() }),
  ),
};
