import { z } from 'zod';
import { JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';

/** What agents and grants call a knowledge base: `handbook`. */
const baseId = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, 'has 1 to 64 of a-z, 0-9 and -');

const name = z.string().trim().min(1).max(limits.base_name_chars);
const description = z.string().trim().max(limits.base_description_chars);
const time = z.string().describe('ISO-8601.');

export const KnowledgeBaseItem = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  embeddingModel: z
    .string()
    .nullable()
    .describe('The model whose vectors its documents are found by; null: they are found by words alone.'),
  documents: z.number().int(),
  chunks: z.number().int().describe('Pieces of documents that can be found.'),
  createdAt: time,
  updatedAt: time,
});
export type KnowledgeBaseItem = z.infer<typeof KnowledgeBaseItem>;

/** `POST /api/v1/knowledge` */
export const NewKnowledgeBase = z.strictObject({
  id: baseId,
  name: name.optional().describe('For people; the id unless told.'),
  description: description.default('').describe('What agents are told of it.'),
});
export type NewKnowledgeBase = z.infer<typeof NewKnowledgeBase>;

/** `PATCH /api/v1/knowledge/{kbId}` */
export const KnowledgeBasePatch = z.strictObject({ name: name.optional(), description: description.optional() });
export type KnowledgeBasePatch = z.infer<typeof KnowledgeBasePatch>;

export const KnowledgeDocument = z.object({
  id: z.string(),
  knowledgeBaseId: z.string(),
  name: z.string(),
  mimeType: z.string().describe('What the bytes are, not what was said of them.'),
  size: z.number().int().nonnegative(),
  sha256: z.string(),
  metadata: JsonObject.describe('What searches can be narrowed by.'),
  status: z
    .enum(['waiting', 'indexing', 'ready', 'failed'])
    .describe('A document that was ready before is found as it was until it is ready again.'),
  problem: z
    .object({ reason: z.string(), message: z.string(), hint: z.string().nullable() })
    .nullable()
    .describe('Why it failed.'),
  done: z.number().int().describe('Of the pass that is under way: chunks that are indexed.'),
  total: z.number().int().describe('And all of them; 0 while the document is being read.'),
  chunks: z.number().int().describe('Pieces of it that can be found.'),
  createdAt: time,
  updatedAt: time,
});
export type KnowledgeDocument = z.infer<typeof KnowledgeDocument>;

/** `POST /api/v1/knowledge/{kbId}/search` */
export const KnowledgeSearch = z.strictObject({
  query: z.string().min(1).max(limits.query_chars),
  topK: z.number().int().min(1).max(limits.search_top_k).default(5),
  filters: JsonObject.default({}).describe(
    'Values that the metadata of documents must have; `document_id` and `document_name` are understood, too.',
  ),
});
export type KnowledgeSearch = z.infer<typeof KnowledgeSearch>;

export const KnowledgeMatch = z.object({
  id: z.string(),
  content: z.string(),
  score: z.number(),
  source: z.string().describe('The document, and the page or heading.'),
  metadata: JsonObject,
});
export type KnowledgeMatch = z.infer<typeof KnowledgeMatch>;
