import { z } from 'zod';
import { CapabilityReason } from '../wire/reason.ts';

/** Why a model or a server cannot be used now, in one sentence. */
export const CapabilityProblem = z.object({
  reason: CapabilityReason,
  message: z.string(),
  hint: z.string().nullable().describe('What a person can do about it.'),
});
export type CapabilityProblem = z.infer<typeof CapabilityProblem>;
