import { type Budget, grantOnceMore, judge, minutesLeft, newBudget } from '@rostra/kernel/budget/budget';
import { addSpending, emptyTotal, newlyBegun, type Spending, withUsage } from '@rostra/kernel/budget/spending';
import type { BudgetAmounts, PriceTable } from '@rostra/protocol/config/budget-config';
import type { BudgetLimit, BudgetNotice } from '@rostra/protocol/session/budget';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import type { RunRow, RunStore } from '../store/ports/run.ts';

export const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export function startOfDay(now: number): number {
  return now - (now % DAY);
}

/** What came of a question; `gone`: the run that asked is over, and nothing was decided. */
export type Leave = 'granted' | 'refused' | 'gone';

export interface DayBookOptions {
  readonly agent_id: string;
  readonly day: number;
  readonly runs: Pick<RunStore, 'endedSince'>;
  readonly prices: () => PriceTable;
  /** The ledger could not be read: what the agent used before is not known. */
  readonly report: (error: ApiError) => void;
}

/**
 * What one agent used in one UTC day: the runs that had ended when the book was opened come from the ledger, the others
 * from their accounts. A run counts for the day on which it began.
 */
export class DayBook {
  readonly day: number;
  readonly #options: DayBookOptions;
  #amounts: BudgetAmounts = {};
  #budget: Budget = newBudget('day', {});
  #ended = emptyTotal;
  readonly #live = new Map<string, Spending>();
  /** Runs that ended in this book; what the ledger says of them is not counted again. Only until it is read. */
  #booked: Set<string> | null = new Set();
  #question: Promise<Leave> | null = null;
  #loading: Promise<void> | null;

  constructor(options: DayBookOptions) {
    this.day = options.day;
    this.#options = options;
    this.#loading = this.#load().finally(() => {
      this.#loading = null;
    });
  }

  /** Resolves when the ledger is read; null once it is. */
  get loading(): Promise<void> | null {
    return this.#loading;
  }

  /** How much may be used; another amount than before begins anew, without what people granted. */
  limit(amounts: BudgetAmounts): void {
    if (canonicalJson(amounts) === canonicalJson(this.#amounts)) return;
    this.#amounts = amounts;
    this.#budget = newBudget('day', amounts);
  }

  async #load(): Promise<void> {
    const { runs, agent_id, day, report } = this.#options;
    try {
      let before: number | undefined;
      do {
        const { rows, next } = await runs.endedSince(agent_id, day, before);
        for (const row of rows) this.#take(row);
        before = next ?? undefined;
      } while (before !== undefined);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      report(error);
    }
    this.#booked = null;
  }

  #take(row: RunRow): void {
    const { day, prices } = this.#options;
    if (this.#live.has(row.run_id) || this.#booked?.has(row.run_id) === true || row.created_at >= day + DAY) return;
    this.#ended = addSpending(this.#ended, spentIn(row, prices()));
  }

  note(run_id: string, spending: Spending): void {
    this.#live.set(run_id, spending);
  }

  end(run_id: string, spending: Spending): void {
    this.#live.delete(run_id);
    this.#booked?.add(run_id);
    this.#ended = addSpending(this.#ended, spending);
  }

  judge(): { notices: readonly BudgetNotice[]; exceeded: BudgetNotice | null } {
    const { budget, notices, exceeded } = judge(this.#budget, this.#total());
    this.#budget = budget;
    return { notices, exceeded };
  }

  grantOnceMore(limit: BudgetLimit): void {
    this.#budget = grantOnceMore(this.#budget, limit, this.#total());
  }

  /** Minutes until time alone may make the next decision due, with as many runs at work as there are; null: never. */
  minutesLeft(): number | null {
    const left = minutesLeft(this.#budget, this.#total());
    return left === null ? null : left / Math.max(1, this.#live.size);
  }

  /** One of the agent's runs asks for all of them; `ask` is left alone while another one's question is open. */
  once(ask: () => Promise<Leave>): Promise<Leave> {
    this.#question ??= ask().finally(() => {
      this.#question = null;
    });
    return this.#question;
  }

  #total(): Spending {
    let total = this.#ended;
    for (const spending of this.#live.values()) total = addSpending(total, spending);
    return total.known;
  }
}

/** What the ledger knows of a run that has ended; what nobody reported stays unknown. */
function spentIn(row: RunRow, prices: PriceTable): Spending {
  const { usage, tool_calls, handovers, started_at, ended_at, waited } = row;
  const lasted = started_at === null || ended_at === null ? 0 : ended_at - started_at - (waited ?? 0);
  const counted = { ...newlyBegun, tool_calls, handovers, minutes: Math.max(0, lasted) / MINUTE };
  return usage === null ? counted : withUsage(counted, usage, prices);
}
