import type { MessageOf } from '@rostra/protocol/session/message';
import type { Draft } from './draft.ts';
import { admit } from './output-order.ts';

/** The host says in the name of a run that its budget is nearly used up: a fact for the log and for whoever watches. */
export function onBudgetNotice(d: Draft, message: MessageOf<'CONTROL', 'BUDGET_NOTICE'>): void {
  const turn = admit(d, message);
  if (turn === null || turn.cancel !== null || turn.run_id === null) return;
  const { target_agent_id: agent_id, run_id } = turn;
  d.event('BUDGET_NOTICE', { agent_id, run_id, ...message.payload }, { turn });
}
