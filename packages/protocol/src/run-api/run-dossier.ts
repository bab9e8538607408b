import { z } from 'zod';
import { JsonObject } from '../wire/json.ts';

const of = {
  taskId: z.string(),
  runId: z.string().describe('The attempt of the runner at this task.'),
  attempt: z.number().int().positive(),
};

/** What the runner received. */
export const RunContextAnswer = z.object({
  ...of,
  context: JsonObject.describe(
    'The AgentRunContext as it was sent. `config` is shown to administrators only, and never its secrets.',
  ),
});
export type RunContextAnswer = z.infer<typeof RunContextAnswer>;

/** What the run might touch. */
export const RunGrantAnswer = z.object({ ...of, grant: JsonObject });
export type RunGrantAnswer = z.infer<typeof RunGrantAnswer>;

/** Records of the session’s log that belong to the task, as they stand in it. */
export const RunRecord = JsonObject;
