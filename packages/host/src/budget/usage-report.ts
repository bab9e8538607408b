import { costOf, tokenCount } from '@rostra/kernel/budget/usage-count';
import type { PriceTable } from '@rostra/protocol/config/budget-config';
import type { UsageDimension, UsageReport, UsageRow } from '@rostra/protocol/run-api/usage';
import type { LedgerSpan, RunRow, RunStore } from '../store/ports/run.ts';

const empty: UsageRow = {
  runs: 0,
  failedRuns: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  unknownTokens: 0,
  toolCalls: 0,
  cost: null,
  unknownCost: 0,
  seconds: 0,
};

/** What runs used, summed up from the ledger whenever somebody asks: nothing is counted twice, nothing is kept. */
export class LedgerUsage {
  readonly #runs: Pick<RunStore, 'ledger'>;
  readonly #prices: () => PriceTable;

  constructor(runs: Pick<RunStore, 'ledger'>, prices: () => PriceTable) {
    this.#runs = runs;
    this.#prices = prices;
  }

  async report(span: LedgerSpan, by: readonly UsageDimension[]): Promise<UsageReport> {
    const prices = this.#prices();
    const groups = new Map<string, UsageRow>();
    let total = empty;
    let before: number | undefined;
    do {
      const { rows, next } = await this.#runs.ledger(span, before);
      for (const run of rows) {
        const names = namesOf(run, by);
        const key = JSON.stringify(names);
        groups.set(key, added(groups.get(key) ?? { ...names, ...empty }, run, prices));
        total = added(total, run, prices);
      }
      before = next ?? undefined;
    } while (before !== undefined);
    const items = by.length === 0 ? [] : [...groups.values()].sort(compare);
    return { from: new Date(span.since).toISOString(), to: new Date(span.until).toISOString(), items, total };
  }
}

function namesOf({ agent_id, usage, created_at }: RunRow, by: readonly UsageDimension[]) {
  return {
    ...(by.includes('day') && { day: new Date(created_at).toISOString().slice(0, 10) }),
    ...(by.includes('agent') && { agentId: agent_id }),
    ...(by.includes('model') && { model: usage === null ? null : tokenCount(usage).model }),
  };
}

/** What nobody reported is counted as unknown, not as nothing. */
function added(sum: UsageRow, run: RunRow, prices: PriceTable): UsageRow {
  const count = run.usage === null ? null : tokenCount(run.usage);
  const cost = count === null ? null : costOf(count, prices);
  const { started_at, ended_at, waited } = run;
  const lasted = started_at === null || ended_at === null ? 0 : ended_at - started_at - (waited ?? 0);
  const total = count?.total ?? null;
  return {
    ...sum,
    runs: sum.runs + 1,
    failedRuns: sum.failedRuns + (run.status === 'failed' ? 1 : 0),
    inputTokens: sum.inputTokens + (count?.fresh ?? 0) + (count?.cached ?? 0),
    outputTokens: sum.outputTokens + (count?.written ?? 0),
    totalTokens: sum.totalTokens + (total ?? 0),
    unknownTokens: sum.unknownTokens + (total === null ? 1 : 0),
    toolCalls: sum.toolCalls + (run.tool_calls ?? 0),
    cost: cost === null ? sum.cost : (sum.cost ?? 0) + cost,
    unknownCost: sum.unknownCost + (cost === null ? 1 : 0),
    seconds: sum.seconds + Math.max(0, lasted) / 1000,
  };
}

/** Days in order, then by name. */
function compare(a: UsageRow, b: UsageRow): number {
  const text = ({ day = '', agentId = '', model }: UsageRow) => JSON.stringify([day, agentId, model ?? '']);
  return text(a) < text(b) ? -1 : 1;
}
