import { z } from 'zod';
import { AgentInput } from '../session/input.ts';
import { limits } from '../wire/limits.ts';
import { method } from './api-method.ts';

/** What came while the run was at work, in its order; what is not pulled becomes a turn of its own. */
export const SteeringApi = {
  'steering.pull': method(
    {
      mode: z.enum(['all', 'one-at-a-time']).default('all'),
      limit: z.number().int().min(1).max(limits.steering).optional(),
    },
    z.object({
      items: z.array(
        z.object({ turn_id: z.string(), event_id: z.string(), input: AgentInput, received_at: z.number() }),
      ),
    }),
  ),
};
