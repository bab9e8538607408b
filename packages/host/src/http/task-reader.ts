import { costOf, type TokenCount, tokenCount } from '@rostra/kernel/budget/usage-count';
import type { PriceTable } from '@rostra/protocol/config/budget-config';
import type { RunUsage, TaskAttempt, TaskResponse } from '@rostra/protocol/run-api/task';
import type { TurnRow } from '../store/port.ts';
import type { RunRow, RunStore } from '../store/ports/run.ts';
import { taskResponse } from './task-response.ts';

export interface TaskSources {
  readonly runs: Pick<RunStore, 'ofTurns'>;
  readonly prices: () => PriceTable;
  /** When the first words of a live turn came; null when that is not known. */
  readonly firstOutput: (turn: TurnRow) => number | null;
}

/** Tells how tasks are, with the runs at them and what these cost (RA-9.6). */
export class TaskReader {
  readonly #sources: TaskSources;

  constructor(sources: TaskSources) {
    this.#sources = sources;
  }

  async describe(turn: TurnRow): Promise<TaskResponse> {
    return this.#told(turn, await this.#sources.runs.ofTurns([turn.turn_id]));
  }

  async describeAll(turns: readonly TurnRow[]): Promise<TaskResponse[]> {
    const runs = await this.#sources.runs.ofTurns(turns.map(({ turn_id }) => turn_id));
    return turns.map((turn) =>
      this.#told(
        turn,
        runs.filter(({ turn_id }) => turn_id === turn.turn_id),
      ),
    );
  }

  #told(turn: TurnRow, runs: readonly RunRow[]): TaskResponse {
    const prices = this.#sources.prices();
    const attempts = runs.map((run) => attemptOf(run, prices));
    const told = attempts.filter(({ usage }) => usage !== null);
    const first = this.#sources.firstOutput(turn);
    return taskResponse(turn, {
      started: attempts.find(({ started }) => started !== null)?.started ?? null,
      firstOutput: first === null ? null : timeText(first),
      attempts,
      usage: told.reduce<RunUsage | null>((sum, { usage }) => added(sum, usage), null),
      cost: told.length === 0 ? null : told.reduce<number | null>((sum, { cost }) => plus(sum, cost), 0),
    });
  }
}

function attemptOf(run: RunRow, prices: PriceTable): TaskAttempt {
  const { usage, started_at, ended_at } = run;
  const count = usage === null ? null : tokenCount(usage);
  return {
    runId: run.run_id,
    attempt: run.attempt,
    agentId: run.agent_id,
    status: run.status,
    created: timeText(run.created_at),
    started: started_at === null ? null : timeText(started_at),
    ended: ended_at === null ? null : timeText(ended_at),
    code: run.code,
    usage: count === null ? null : usageOf(count),
    cost: count === null ? null : costOf(count, prices),
    toolCalls: run.tool_calls,
    waited: run.waited,
  };
}

function usageOf({ model, fresh, cached, written, total }: TokenCount): RunUsage {
  return { model, inputTokens: fresh, cachedTokens: cached, outputTokens: written, totalTokens: total };
}

/** What is unknown of one is unknown of both. */
function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function added(sum: RunUsage | null, next: RunUsage | null): RunUsage | null {
  if (sum === null || next === null) return sum ?? next;
  return {
    model: sum.model === next.model ? sum.model : null,
    inputTokens: plus(sum.inputTokens, next.inputTokens),
    cachedTokens: plus(sum.cachedTokens, next.cachedTokens),
    outputTokens: plus(sum.outputTokens, next.outputTokens),
    totalTokens: plus(sum.totalTokens, next.totalTokens),
  };
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}
