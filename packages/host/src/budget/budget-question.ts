import type { InteractionRequest } from '@rostra/protocol/api/interactions';
import type { BudgetLimit, BudgetNotice } from '@rostra/protocol/session/budget';

export const ONCE_MORE = 'once_more';
export const STOP = 'stop';

const units: Record<BudgetLimit, string> = {
  tokens: 'tokens',
  cost: 'of cost',
  tool_calls: 'tool calls',
  minutes: 'minutes',
  handovers: 'handovers',
};

function amount(used: number): string {
  return String(Math.round(used * 10_000) / 10_000);
}

/** What a person is asked when an agent has used up what it may use. */
export function budgetQuestion(agent_id: string, { limit, period, used, of }: BudgetNotice): InteractionRequest {
  const title = `${agent_id} has used up its budget.`;
  const when = period === 'run' ? 'in this run' : 'today';
  const body = `It has used ${amount(used)} of ${amount(of)} ${units[limit]} ${when}.`;
  return {
    kind: 'choice',
    title,
    body,
    fields: [],
    actions: [
      { id: ONCE_MORE, label: 'Once more' },
      { id: STOP, label: 'Stop' },
    ],
    fallback_text: `${title} ${body} May it go on with the same amount again?`,
  };
}
