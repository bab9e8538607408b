import { z } from 'zod';
import { Json } from '../wire/json.ts';

/** One act: a proxied call, a refusal, an act of an administrator. */
export const AuditItem = z.object({
  id: z.number().int(),
  at: z.iso.datetime(),
  actor: z.string().describe('`user:owner`, `runner:demo`, `host`.'),
  action: z.string(),
  result: z.string().describe('`ok`, or the code of the refusal.'),
  resource: z.string().nullable(),
  scope: z.string().nullable(),
  sessionId: z.string().nullable(),
  runId: z.string().nullable(),
  runnerId: z.string().nullable(),
  details: Json,
});
export type AuditItem = z.infer<typeof AuditItem>;
