import type { MessageOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { type AguiPen, present } from './agui-pen.ts';
import { answered, asked, handoverRequested, handoverResolved } from './asked-rows.ts';

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
      asked(pen, record);
      break;
    case 'INTERACTION_RESOLVED':
      answered(pen, record);
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

/** Opening and closing are told on the session's own stream. */
const unseen: readonly (string | undefined)[] = ['open', 'close'];

function switched(pen: AguiPen, { payload }: MessageOf<'CONTROL', 'SWITCH_AGENT'>): void {
  const { from, to, reason } = payload;
  if (unseen.includes(reason)) return;
  pen.note({ type: 'CUSTOM', name: 'agent.switched', value: present({ from, to, reason }) });
  pen.note({ type: 'STATE_DELTA', delta: [{ op: 'add', path: '/activeAgentId', value: to ?? null }] });
}

/** The few controls that a session publishes to frontends. */
export function writeControl(pen: AguiPen, record: Extract<SessionMessage, { event: 'CONTROL' }>): void {
  if (record.subtype === 'SWITCH_AGENT') switched(pen, record);
  else if (record.subtype === 'HANDOVER_UI_PROMPT') handoverRequested(pen, record);
  else if (record.subtype === 'HANDOVER_RESOLVED') handoverResolved(pen, record);
}
