import { z } from 'zod';

/** What an agent may use: tokens and their cost, calls of tools, minutes at work, handovers. */
export const BudgetLimit = z.enum(['tokens', 'cost', 'tool_calls', 'minutes', 'handovers']);
export type BudgetLimit = z.infer<typeof BudgetLimit>;

/** For how long a limit holds: one run, or all runs of one UTC day. */
export const BudgetPeriod = z.enum(['run', 'day']);
export type BudgetPeriod = z.infer<typeof BudgetPeriod>;

export const BudgetNotice = z.object({
  limit: BudgetLimit,
  period: BudgetPeriod,
  used: z.number().nonnegative(),
  of: z.number().nonnegative(),
});
export type BudgetNotice = z.infer<typeof BudgetNotice>;
