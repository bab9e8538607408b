import type { PriceTable } from '@rostra/protocol/config/budget-config';
import type { BudgetLimit } from '@rostra/protocol/session/budget';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { costOf, tokenCount } from './usage-count.ts';

/** What was used, by what it is limited by; null is unknown. */
export type Spending = Readonly<Record<BudgetLimit, number | null>>;

export const nothingSpent: Spending = { tokens: 0, cost: 0, tool_calls: 0, minutes: 0, handovers: 0 };
/** A run that has just begun: what it uses of models is unknown until its runner says so. */
export const newlyBegun: Spending = { ...nothingSpent, tokens: null, cost: null };

/** What a runner reports is a running total: the newest holds. */
export function withUsage(spending: Spending, usage: JsonObject, prices: PriceTable): Spending {
  const count = tokenCount(usage);
  return { ...spending, tokens: count.total, cost: costOf(count, prices) };
}

export function spendMore(spending: Spending, limit: BudgetLimit, amount: number): Spending {
  return { ...spending, [limit]: (spending[limit] ?? 0) + amount };
}

/** What several runs used together, as far as it is known, and of how many of them it is not. */
export interface TotalSpending {
  readonly known: Readonly<Record<BudgetLimit, number>>;
  readonly unknown: Readonly<Record<BudgetLimit, number>>;
}

const none = { tokens: 0, cost: 0, tool_calls: 0, minutes: 0, handovers: 0 };
export const emptyTotal: TotalSpending = { known: none, unknown: none };

const kinds = ['tokens', 'cost', 'tool_calls', 'minutes', 'handovers'] as const satisfies readonly BudgetLimit[];

export function addSpending({ known, unknown }: TotalSpending, spending: Spending): TotalSpending {
  const sum = { ...known };
  const missing = { ...unknown };
  for (const kind of kinds) {
    const spent = spending[kind];
    if (spent === null) missing[kind] += 1;
    else sum[kind] += spent;
  }
  return { known: sum, unknown: missing };
}
