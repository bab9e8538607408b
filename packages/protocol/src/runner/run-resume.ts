import { z } from 'zod';
import { Json } from '../wire/json.ts';

/** What the next attempt of a turn finds in `ctx.metadata.resume`: the same message goes on behind what was said. */
export const RunResume = z.object({
  attempt: z.number().int().min(2),
  said: z.string(),
  interaction_answer: Json.optional(),
});
export type RunResume = z.infer<typeof RunResume>;
