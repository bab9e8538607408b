import { z } from 'zod';

export const UsageDimension = z.enum(['agent', 'model', 'day']);
export type UsageDimension = z.infer<typeof UsageDimension>;

const count = z.number().int().nonnegative();

/** What the runs of one group used. A dimension that was not asked for is absent. */
export const UsageRow = z.object({
  agentId: z.string().optional(),
  model: z.string().nullable().optional().describe('Null: the runner named none.'),
  day: z.iso.date().optional().describe('The UTC day on which the runs began.'),
  runs: count,
  failedRuns: count,
  inputTokens: count,
  outputTokens: count,
  totalTokens: count,
  unknownTokens: count.describe('Runs whose runner did not say what they used: they are in none of the sums.'),
  toolCalls: count,
  cost: z.number().nonnegative().nullable().describe('By `prices`, as far as known; null when nothing is known.'),
  unknownCost: count.describe('Runs whose cost is not known: no price, or no count.'),
  seconds: z.number().nonnegative().describe('At work, without the time that people were waited for.'),
});
export type UsageRow = z.infer<typeof UsageRow>;

export const UsageReport = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  items: z.array(UsageRow),
  total: UsageRow,
});
export type UsageReport = z.infer<typeof UsageReport>;
