import type { BudgetAmounts } from '@rostra/protocol/config/budget-config';
import { BudgetLimit, type BudgetNotice, type BudgetPeriod } from '@rostra/protocol/session/budget';
import type { Spending } from './spending.ts';

/** One limit as it stands: it grows when a person grants the same amount again. */
interface Bound {
  readonly limit: BudgetLimit;
  readonly amount: number;
  readonly of: number;
  /** The notice of this amount was given. */
  readonly noticed: boolean;
}

/** What one run, or one agent in one day, may use. Plain data, replaced and never changed in place. */
export interface Budget {
  readonly period: BudgetPeriod;
  readonly bounds: readonly Bound[];
}

export interface Judgement {
  readonly budget: Budget;
  /** Notices that are due now, each for the first time. */
  readonly notices: readonly BudgetNotice[];
  /** The first limit that is used up; null while all hold. */
  readonly exceeded: BudgetNotice | null;
}

/** How much of an amount is left when its notice is given. */
const REST = 0.2;

export function newBudget(period: BudgetPeriod, amounts: BudgetAmounts): Budget {
  const bounds = BudgetLimit.options.flatMap((limit): Bound[] => {
    const amount = amounts[limit];
    return amount === undefined ? [] : [{ limit, amount, of: amount, noticed: false }];
  });
  return { period, bounds };
}

/** Decides after a change of what was used. What is unknown exceeds nothing. */
export function judge(budget: Budget, used: Spending): Judgement {
  const { period } = budget;
  const notices: BudgetNotice[] = [];
  let exceeded: BudgetNotice | null = null;
  const bounds = budget.bounds.map((bound) => {
    const { limit, of } = bound;
    const spent = used[limit];
    if (spent === null || spent < noticeAt(bound)) return bound;
    const notice = { limit, period, used: spent, of };
    if (spent >= of) exceeded ??= notice;
    if (bound.noticed) return bound;
    // Who is asked need not be told as well.
    if (spent < of) notices.push(notice);
    return { ...bound, noticed: true };
  });
  return { budget: { period, bounds }, notices, exceeded };
}

/** A person lets it go on: the same amount again, from what is used now. */
export function grantOnceMore(budget: Budget, limit: BudgetLimit, used: Spending): Budget {
  const bounds = budget.bounds.map((bound) => {
    if (bound.limit !== limit) return bound;
    return { ...bound, of: Math.max(bound.of, used[limit] ?? 0) + bound.amount, noticed: false };
  });
  return { ...budget, bounds };
}

/** How many minutes more make the next decision about minutes due; null when none is. */
export function minutesLeft({ bounds }: Budget, used: Spending): number | null {
  const bound = bounds.find(({ limit }) => limit === 'minutes');
  if (bound === undefined) return null;
  const spent = used.minutes ?? 0;
  if (spent >= bound.of) return null;
  return (bound.noticed ? bound.of : noticeAt(bound)) - spent;
}

function noticeAt({ of, amount }: Bound): number {
  return of - amount * REST;
}
