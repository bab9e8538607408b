import { z } from 'zod';
import { Json } from '../wire/json.ts';
import { UiSchemaRenderer } from './ui-schema.ts';

const common = {
  id: z.string(),
  /** Counts the messages of the thread from 1. */
  seq: z.number().int().positive(),
  content: z.string(),
  timestamp: z.string().describe('ISO-8601'),
};
const uiSchema = UiSchemaRenderer.nullable();

/** One message of a day (RA-6.6 to RA-6.10). */
export const HistoryMessage = z.discriminatedUnion('role', [
  z.object({ ...common, role: z.literal('user'), url: z.string().nullable() }),
  z.object({ ...common, role: z.literal('assistant'), uiSchema }),
  z.object({ ...common, role: z.literal('tool'), uiSchema }),
]);
export type HistoryMessage = z.infer<typeof HistoryMessage>;

/** `GET /api/v1/agent/history` (RA-6.4). */
export const HistorySnapshotResponse = z.object({
  scope: z.literal('history_day'),
  threadId: z.string().nullable(),
  day: z.string().nullable().describe('YYYY-MM-DD'),
  hasMore: z.boolean(),
  messages: z.array(HistoryMessage),
});
export type HistorySnapshotResponse = z.infer<typeof HistorySnapshotResponse>;

/** One message of a session with all that is known of it. */
export const TranscriptEntry = z.object({
  id: z.string(),
  /** The record of the log that finished it. */
  seq: z.number().int(),
  role: z.string(),
  type: z.string().describe('`message` or `tool_result`'),
  agentId: z.string().nullable(),
  userId: z.string().nullable(),
  taskId: z.string().nullable(),
  runId: z.string().nullable(),
  content: z.string(),
  /** The whole content where it is more than text. */
  parts: Json,
  attachments: z.array(
    z.object({
      id: z.string(),
      filename: z.string(),
      mimeType: z.string(),
      size: z.number().int(),
      url: z.string().nullable(),
    }),
  ),
  uiSchema: UiSchemaRenderer.nullable(),
  toolName: z.string().nullable().describe('Of a result: the tool that gave it.'),
  /** How it came to its end. */
  status: z.enum(['complete', 'cancelled', 'failed']),
  isEdited: z.boolean(),
  timestamp: z.string().describe('ISO-8601'),
});
export type TranscriptEntry = z.infer<typeof TranscriptEntry>;

/** Messages in their order. */
export const TranscriptEntryPage = z.object({
  items: z.array(TranscriptEntry),
  /** Goes back as `before`; null where nothing is earlier. */
  before: z.string().nullable(),
  /** Goes back as `after`, now or later; null of an empty session. */
  after: z.string().nullable(),
  /** Whether there is more in the direction that was asked for. */
  hasMore: z.boolean(),
});
export type TranscriptEntryPage = z.infer<typeof TranscriptEntryPage>;

/** One message that was found, the best first. */
export const SearchItem = z.object({
  sessionId: z.string(),
  title: z.string().nullable(),
  messageId: z.string(),
  seq: z.number().int(),
  role: z.string(),
  agentId: z.string().nullable(),
  /** Around the first word that was found. */
  snippet: z.string(),
  timestamp: z.string().describe('ISO-8601'),
});
export type SearchItem = z.infer<typeof SearchItem>;

export const SearchResponse = z.object({ items: z.array(SearchItem) });
export type SearchResponse = z.infer<typeof SearchResponse>;
