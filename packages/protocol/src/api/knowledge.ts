import { z } from 'zod';
import { JsonObject } from '../wire/json.ts';
import { method } from './api-method.ts';
import { SearchText, topK } from './page.ts';

export const KnowledgeEntry = z.object({
  entry_id: z.string(),
  content: z.string(),
  score: z.number().nullable().default(null),
  source: z.string().nullable().default(null),
  metadata: JsonObject.default({}),
});
export type KnowledgeEntry = z.infer<typeof KnowledgeEntry>;

/** RP-7.13. */
export const KnowledgeApi = {
  'knowledge.list': method(
    {},
    z.object({ knowledge_bases: z.array(z.object({ kb_id: z.string(), name: z.string(), description: z.string() })) }),
  ),
  'knowledge.retrieve': method(
    {
      kb_id: z.string().min(1).max(256),
      query_text: SearchText,
      top_k: topK(5),
      filters: JsonObject.default({}),
    },
    z.object({ results: z.array(KnowledgeEntry) }),
  ),
};
