import { z } from 'zod';

/** Where in the state of a conversation a runner keeps the summary that it made of what came before. */
export const CHECKPOINT_KEY = 'runner.compaction.checkpoint';

/** What stands for the messages up to a place. There is a new one only when something was left out again (CX-6.6). */
export const CompactionCheckpoint = z.object({
  schema_version: z.literal(1),
  summary: z.string(),
  /** The cursor of the last message that it stands for, or its number. */
  covers_until: z.union([z.string(), z.number().int()]),
  /** What the messages came to that it was made of. */
  tokens_before: z.number().int().nonnegative(),
  /** Seconds since 1970. */
  created_at: z.number().int(),
  conversation_id: z.string().nullable(),
});
export type CompactionCheckpoint = z.infer<typeof CompactionCheckpoint>;
