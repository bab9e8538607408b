import { callsIn } from '@rostra/protocol/session/client-call';
import type { MessageOf } from '@rostra/protocol/session/message';
import { type AguiPen, present } from './agui-pen.ts';
import { interruptOf } from './interrupt.ts';

type Opened = MessageOf<'EVENT', 'INTERACTION_OPENED'>;

/** A question to a person ends the AG-UI run as an interrupt; calls of the client's own tools end it as they are. */
export function asked(pen: AguiPen, record: Opened): void {
  const { interaction_id: id, purpose, request, until: expires_at } = record.payload;
  if (purpose !== 'client_tool') {
    pen.ask({ id, interrupt: interruptOf({ ...record.payload, expires_at }), calls: [] });
    return;
  }
  const calls = callsIn(request);
  const { open } = pen.view;
  const parent = open?.channel === 'text' ? { parentMessageId: open.id } : {};
  pen.close();
  for (const { tool_call_id: toolCallId, name: toolCallName, parameters } of calls) {
    pen.write({ type: 'TOOL_CALL_START', toolCallId, toolCallName, ...parent });
    pen.write({ type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(parameters) });
    pen.write({ type: 'TOOL_CALL_END', toolCallId });
  }
  pen.ask({ id, interrupt: null, calls: calls.map(({ tool_call_id }) => tool_call_id) });
}

/**
 * The last answer, or that none will come, begins the next AG-UI run. Those before it wait for that: a client that answers
 * several questions at once reads on to the end of one run.
 */
export function answered(pen: AguiPen, { payload }: MessageOf<'EVENT', 'INTERACTION_RESOLVED'>): void {
  const { interaction_id: interactionId, outcome, client_run_id = null } = payload;
  const left = pen.view.asked.filter(({ id }) => id !== interactionId);
  if (left.length === pen.view.asked.length) return;
  pen.set({ asked: left });
  // With its run the task ends, or another attempt goes on in its own time.
  if (outcome === 'run_ended' || outcome === 'run_lost') return;
  if (left.length === 0) pen.reopen(client_run_id);
  pen.note({ type: 'CUSTOM', name: 'interaction.resolved', value: { interactionId, outcome } });
}

/** Told while the turn that asks for it goes on; the end of the turn then says that it is still to be answered. */
export function handoverRequested(pen: AguiPen, record: MessageOf<'CONTROL', 'HANDOVER_UI_PROMPT'>): void {
  const { from_agent_id: from, target_agent_id: to, reason, summary, until } = record.payload;
  const value = present({ txId: record.tx_id, from, to, reason, summary, until });
  pen.note({ type: 'CUSTOM', name: 'handover.requested', value });
  if (record.tx_id === undefined) return;
  const handover = interruptOf({
    interaction_id: record.tx_id,
    purpose: 'handover',
    kind: 'confirmation',
    agent_id: from,
    request: { from_agent_id: from, target_agent_id: to, reason, summary },
    expires_at: until,
  });
  pen.set({ handover });
}

export function handoverResolved(pen: AguiPen, record: MessageOf<'CONTROL', 'HANDOVER_RESOLVED'>): void {
  const { from_agent_id: from, target_agent_id: to, outcome } = record.payload;
  if (pen.view.handover?.id !== record.tx_id) return;
  const value = present({ txId: record.tx_id, from, to, outcome });
  pen.note({ type: 'CUSTOM', name: 'handover.resolved', value });
  pen.set({ handover: null });
}
