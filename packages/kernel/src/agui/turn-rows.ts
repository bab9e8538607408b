import type { MessageOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { type AguiPen, present } from './agui-pen.ts';

export type TurnMessage = { [S in SubtypeOf<'EVENT'>]: MessageOf<'EVENT', S> }[SubtypeOf<'EVENT'>];

function accepted(pen: AguiPen, { payload }: MessageOf<'EVENT', 'TURN_ACCEPTED'>): void {
  pen.set({ runId: payload.client_run_id ?? pen.view.taskId, agentId: payload.agent_id });
}

function dispatched(pen: AguiPen, { payload, trace_id }: MessageOf<'EVENT', 'TURN_DISPATCHED'>): void {
  if (pen.view.phase !== 'waiting') return;
  const { agent_id: agentId, run_id: runId, client_run_id } = payload;
  pen.set({ runId: client_run_id ?? pen.view.taskId, agentId });
  pen.start(present({ taskId: pen.view.taskId, agentId, runId, traceId: trace_id }));
}

function canceled(pen: AguiPen, { payload }: MessageOf<'EVENT', 'CANCELED'>): void {
  const message = payload.reason === '' ? 'The run was cancelled.' : `The run was cancelled: ${payload.reason}`;
  pen.fail('cancelled', message, { taskId: pen.view.taskId, retryable: false });
}

function completed(pen: AguiPen, { payload }: MessageOf<'EVENT', 'TURN_COMPLETED'>): void {
  pen.finish(present({ taskId: pen.view.taskId, steeredInto: payload.steered_into, usage: payload.usage }));
}

function failed(pen: AguiPen, { payload }: MessageOf<'EVENT', 'TURN_FAILED'>): void {
  pen.fail(payload.code, payload.message, { taskId: pen.view.taskId, retryable: payload.retryable });
}

function noticed(pen: AguiPen, { payload }: MessageOf<'EVENT', 'BUDGET_NOTICE'>): void {
  const { agent_id: agentId, limit, period, used, of } = payload;
  pen.custom('budget.notice', { agentId, limit, period, used, of });
}

function opened(pen: AguiPen, { payload }: MessageOf<'EVENT', 'INTERACTION_OPENED'>): void {
  const { interaction_id: interactionId, until, request } = payload;
  pen.custom('interaction.opened', present({ interactionId, until, request }));
}

function resolved(pen: AguiPen, { payload }: MessageOf<'EVENT', 'INTERACTION_RESOLVED'>): void {
  pen.custom('interaction.resolved', { interactionId: payload.interaction_id, outcome: payload.outcome });
}

/** The life of the turn. Rosters and sessions have no place in a task's view: they are told on the session's own. */
export function writeTurn(pen: AguiPen, record: TurnMessage): void {
  switch (record.subtype) {
    case 'TURN_ACCEPTED':
      accepted(pen, record);
      break;
    case 'TURN_DISPATCHED':
      dispatched(pen, record);
      break;
    case 'AGENT_STARTED':
      pen.custom('agent.started', { agentId: record.payload.agent_id, runId: record.payload.run_id });
      break;
    case 'TURN_COMPLETED':
      completed(pen, record);
      break;
    case 'TURN_FAILED':
      failed(pen, record);
      break;
    case 'CANCELED':
      canceled(pen, record);
      break;
    case 'BUDGET_NOTICE':
      noticed(pen, record);
      break;
    case 'INTERACTION_OPENED':
      opened(pen, record);
      break;
    case 'INTERACTION_RESOLVED':
      resolved(pen, record);
      break;
    case 'ACTIVE_AGENT_CHANGED':
    case 'ADDING_AGENT':
    case 'AGENT_ADDED':
    case 'AGENT_REMOVED':
    case 'AGENT_REMOVED_LOCAL':
    case 'AGENT_REMOVING':
    case 'CANCEL_SENT':
    case 'NO_ACTIVE_SPEAKING':
    case 'SESSION_CLOSED':
    case 'SESSION_OPENED':
    case 'STREAM_STOPPED':
    case 'TURN_RESUMED':
      break;
    default:
      // The compiler sees that no row is missing; a log may still hold what a newer host wrote.
      record satisfies never;
  }
}

/** The few controls that a session publishes to frontends. */
export function writeControl(pen: AguiPen, record: Extract<SessionMessage, { event: 'CONTROL' }>): void {
  if (record.subtype === 'SWITCH_AGENT') {
    const { from, to, reason } = record.payload;
    pen.custom('agent.switched', present({ from, to, reason }));
    pen.write({ type: 'STATE_DELTA', delta: [{ op: 'add', path: '/activeAgentId', value: to ?? null }] });
  } else if (record.subtype === 'HANDOVER_UI_PROMPT') {
    const { from_agent_id: from, target_agent_id: to, reason, summary, until } = record.payload;
    pen.custom('handover.requested', present({ txId: record.tx_id, from, to, reason, summary, until }));
  } else if (record.subtype === 'HANDOVER_RESOLVED') {
    const { from_agent_id: from, target_agent_id: to, outcome } = record.payload;
    pen.custom('handover.resolved', present({ txId: record.tx_id, from, to, outcome }));
  }
}
