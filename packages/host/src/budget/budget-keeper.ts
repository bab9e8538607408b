import type { AgentLimits, PriceTable } from '@rostra/protocol/config/budget-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { RunnerClock } from '../discovery/runner-clock.ts';
import type { RunAccount, RunAccounts } from '../orchestrator/run-account.ts';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { RunVoice } from '../orchestrator/run-voice.ts';
import type { RunStore } from '../store/ports/run.ts';
import { DayBook, startOfDay } from './day-book.ts';
import { type BudgetDesk, RunBudget } from './run-budget.ts';

export interface BudgetOptions {
  readonly clock: RunnerClock;
  readonly runs: Pick<RunStore, 'endedSince'>;
  readonly prices: () => PriceTable;
  readonly voice: Pick<RunVoice, 'tell' | 'fail'>;
  readonly desk: BudgetDesk;
  /** The ledger could not be read: what an agent used earlier in the day is not known. */
  readonly report: (error: ApiError) => void;
}

/** What agents with limits may use. Runs of agents without any cost nothing here. */
export class BudgetKeeper implements RunAccounts {
  readonly #options: BudgetOptions;
  readonly #budgets = new WeakMap<ActiveRun, RunBudget>();
  /** Of today, by agent. */
  readonly #books = new Map<string, DayBook>();

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  open(run: ActiveRun): RunAccount | null {
    const { limits } = run.charter.binding;
    if (limits === undefined) return null;
    const { prices, clock, voice, desk } = this.#options;
    const book = isLimited(limits.day) ? this.#book(run.agent_id, limits) : null;
    const budget = new RunBudget(run, { limits, prices, clock, voice, desk, book });
    this.#budgets.set(run, budget);
    const loading = book?.loading ?? null;
    if (loading === null) budget.judge();
    else void loading.then(() => budget.judge());
    return budget;
  }

  /** At the gate: a run that waits for leave to go on may ask for nothing meanwhile. */
  enter(run: ActiveRun): void {
    if (this.#budgets.get(run)?.isAsking !== true) return;
    throw new ApiError('rate_limited', 'The agent has used up its budget; a person is asked whether it may go on.', {
      retryable: true,
      details: { reason: 'budget_exceeded', hint: 'Answer the question about its budget, or raise its limits.' },
    });
  }

  #book(agent_id: string, { day: amounts }: AgentLimits): DayBook {
    const { clock, runs, prices, report } = this.#options;
    const day = startOfDay(clock.now());
    let book = this.#books.get(agent_id);
    if (book?.day !== day) {
      book = new DayBook({ agent_id, day, runs, prices, report });
      this.#books.set(agent_id, book);
    }
    book.limit(amounts);
    return book;
  }
}

function isLimited(amounts: AgentLimits['day']): boolean {
  return Object.values(amounts).some((amount) => amount !== undefined);
}
