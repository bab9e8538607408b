import { type Budget, grantOnceMore, judge, minutesLeft, newBudget } from '@rostra/kernel/budget/budget';
import { newlyBegun, type Spending, spendMore, withUsage } from '@rostra/kernel/budget/spending';
import type { AgentLimits, PriceTable } from '@rostra/protocol/config/budget-config';
import type { BudgetNotice } from '@rostra/protocol/session/budget';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { RunnerClock } from '../discovery/runner-clock.ts';
import type { RunAccount, Use } from '../orchestrator/run-account.ts';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { RunVoice } from '../orchestrator/run-voice.ts';
import { budgetQuestion, ONCE_MORE } from './budget-question.ts';
import { type DayBook, type Leave, MINUTE } from './day-book.ts';

/** Puts a question in the name of a live run and says what became of it; rejects with an ApiError when it cannot. */
export interface BudgetDesk {
  ask(
    run: ActiveRun,
    question: { purpose: 'budget'; request: ReturnType<typeof budgetQuestion> },
  ): Promise<{ readonly status: string; readonly action: string | null }>;
}

export interface RunBudgetParts {
  readonly limits: AgentLimits;
  readonly prices: () => PriceTable;
  readonly clock: RunnerClock;
  readonly voice: Pick<RunVoice, 'tell' | 'fail'>;
  readonly desk: BudgetDesk;
  /** The agent's day, where that is limited. */
  readonly book: DayBook | null;
}

/**
 * The budget of one live run.
 *
 * B1. What is used is judged when it changes, and when time alone has used up minutes.
 * B2. One question is open at a time; while it is, the gate lets none of the run's calls through.
 * B3. A run whose question got no leave ends `budget_exceeded`.
 */
export class RunBudget implements RunAccount {
  readonly #run: ActiveRun;
  readonly #parts: RunBudgetParts;
  readonly #begun: number;
  #budget: Budget;
  #spent: Spending = newlyBegun;
  #callOff: () => void = () => undefined;
  #isAsking = false;

  constructor(run: ActiveRun, parts: RunBudgetParts) {
    this.#run = run;
    this.#parts = parts;
    this.#begun = parts.clock.now();
    this.#budget = newBudget('run', parts.limits.run);
    parts.book?.note(run.run_id, this.#spent);
    run.signal.addEventListener('abort', () => this.#end(), { once: true });
  }

  /** The run waits for leave to go on. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  add({ usage, tool_calls, handovers }: Use, isLast: boolean): void {
    if (usage !== null) this.#spent = withUsage(this.#spent, usage, this.#parts.prices());
    if (tool_calls > 0) this.#spent = spendMore(this.#spent, 'tool_calls', tool_calls);
    if (handovers > 0) this.#spent = spendMore(this.#spent, 'handovers', handovers);
    if (isLast) this.#count();
    else this.judge();
  }

  /** Tells what is nearly used up, asks about what is, and looks again when minutes alone may have changed that. */
  judge(): void {
    if (this.#run.signal.aborted) return;
    this.#count();
    const { budget, notices, exceeded } = judge(this.#budget, this.#spent);
    this.#budget = budget;
    const today = this.#parts.book?.judge();
    for (const notice of [...notices, ...(today?.notices ?? [])]) {
      this.#parts.voice.tell(this.#run.run_id, 'BUDGET_NOTICE', notice);
    }
    const used = exceeded ?? today?.exceeded ?? null;
    if (used === null) this.#lookLater();
    else if (!this.#isAsking) void this.#ask(used);
  }

  /** Minutes as of now. */
  #count(): void {
    const now = this.#parts.clock.now();
    const minutes = Math.max(0, now - this.#begun - this.#run.waited(now)) / MINUTE;
    this.#spent = { ...this.#spent, minutes };
    this.#parts.book?.note(this.#run.run_id, this.#spent);
  }

  #lookLater(): void {
    const { clock, book } = this.#parts;
    const ofRun = minutesLeft(this.#budget, this.#spent);
    const ofDay = book?.minutesLeft() ?? null;
    const next = Math.min(ofRun ?? Infinity, ofDay ?? Infinity);
    this.#callOff();
    if (next === Infinity) return;
    this.#callOff = clock.at(clock.now() + Math.ceil(next * MINUTE), () => this.judge());
  }

  async #ask(used: BudgetNotice): Promise<void> {
    const { book } = this.#parts;
    this.#callOff();
    this.#isAsking = true;
    const putting = () => this.#put(used);
    // Another run of the agent may be asking already: its answer holds for the day, and what it leaves is judged anew.
    const leave = used.period === 'day' && book !== null ? await book.once(putting) : await putting();
    this.#isAsking = false;
    if (this.#run.signal.aborted) return;
    if (leave === 'refused') this.#fail(used);
    else this.judge();
  }

  async #put(used: BudgetNotice): Promise<Leave> {
    const { desk, book } = this.#parts;
    let outcome: Awaited<ReturnType<BudgetDesk['ask']>>;
    try {
      outcome = await desk.ask(this.#run, { purpose: 'budget', request: budgetQuestion(this.#run.agent_id, used) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return this.#run.signal.aborted ? 'gone' : 'refused';
    }
    if (outcome.status !== 'submitted') return this.#run.signal.aborted ? 'gone' : 'refused';
    if (outcome.action !== ONCE_MORE) return 'refused';
    if (used.period === 'day') book?.grantOnceMore(used.limit);
    else this.#budget = grantOnceMore(this.#budget, used.limit, this.#spent);
    return 'granted';
  }

  #fail({ limit, period }: BudgetNotice): void {
    const when = period === 'run' ? 'in one run' : 'in one day';
    const message = `The agent has used up its budget: ${limit} ${when}.`;
    this.#parts.voice.fail(this.#run.run_id, { code: 'budget_exceeded', message, retryable: false });
  }

  #end(): void {
    this.#callOff();
    this.#count();
    this.#parts.book?.end(this.#run.run_id, this.#spent);
  }
}
