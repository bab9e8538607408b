import type { MessageOf } from '@rostra/protocol/session/message';
import { dispatchedTurn, isIn } from './context.ts';
import type { Draft } from './draft.ts';
import { switchActive } from './roster.ts';
import { refuseInterrupt, startCancel } from './transactions/cancel.ts';

/** A frontend chooses who answers from now on; the running turn keeps its agent unless the switch is forced (SR-D3). */
export function onSwitchRequest(d: Draft, message: MessageOf<'CONTROL', 'SWITCH_AGENT'>): void {
  const { agent_id, force = false } = message.payload;
  if (d.context.state !== 'OPEN') {
    d.refuse({ reason: 'SESSION_NOT_OPEN', code: 'invalid_argument', message: 'this session is not open' });
    return;
  }
  if (agent_id === undefined || !isIn(d.context, agent_id)) {
    d.refuse({
      reason: 'AGENT_NOT_FOUND',
      code: 'not_found',
      message: 'this agent is not in the session',
      details: { agents: Object.keys(d.context.agents_in_session) },
      hint: 'Choose one of the agents in the session, or invite it first.',
    });
    return;
  }
  const running = dispatchedTurn(d.context);
  if (force && running !== null && !d.context.user_interruptible) {
    refuseInterrupt(d);
    return;
  }
  switchActive(d, agent_id, 'request');
  if (force && running !== null) startCancel(d, running, 'switched', message.sender.id);
}
