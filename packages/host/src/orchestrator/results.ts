import { isDelta } from '@rostra/kernel/run/delta';
import { withinDepth } from '@rostra/kernel/run/json-depth';
import { type Channel, closeMessage, completeMessage, openMessage } from '@rostra/kernel/run/message-cursor';
import { endRun, moveOn, noteUsage, pauseRun, type Run } from '@rostra/kernel/run/run';
import type { Pieces } from '@rostra/kernel/run/take-deltas';
import { refuseStateEntry } from '@rostra/kernel/state/state-entry';
import { compileUi } from '@rostra/kernel/ui/compile';
import { AgentRunState } from '@rostra/protocol/runner/run-context';
import { RunResultData, type RunResultDataOf, type RunResultType } from '@rostra/protocol/runner/run-result';
import { ControlPayloads } from '@rostra/protocol/session/control';
import type { PayloadOf, SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { ActionOutcome } from '@rostra/protocol/session/output';
import { type Json, JsonObject, jsonObjectOf } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { cancelAck, counted, failurePayload, numbered } from './run-message.ts';

/**
 * Appends the messages that one result becomes to `out`, and to `notes` what whoever wrote the runner should know; null
 * when its data is not what its type says.
 */
type Row = (run: Run, data: unknown, now: number, out: SessionMessage[], notes: string[]) => Run | null;

/** Of a card that does not say its language, for somebody who did not say theirs. */
const DEFAULT_LOCALE = 'en';

interface Schema<D> {
  safeParse(data: unknown): { success: true; data: D } | { success: false };
}

/** The data of a result as its type says, for what is done with it before it is told; null when it is something else. */
export function dataOf(type: RunResultType, data: unknown): JsonObject | null {
  if (!withinDepth(data, limits.json_depth)) return null;
  return JsonObject.safeParse(RunResultData[type].safeParse(data).data).data ?? null;
}

/** A row whose data is read by its schema, which recurses: nesting is bounded first. Any result may tell the usage. */
function row<D extends { usage?: unknown }>(
  schema: Schema<D>,
  act: (run: Run, data: D, now: number, out: SessionMessage[], notes: string[]) => Run | null,
): Row {
  return (run, data, now, out, notes) => {
    const parsed = withinDepth(data, limits.json_depth) ? schema.safeParse(data) : null;
    return parsed?.success ? act(noteUsage(run, usageIn(parsed.data)), parsed.data, now, out, notes) : null;
  };
}

/** An artifact's own fields are not checked here, so that its usage may be anything. */
export function usageIn({ usage }: { usage?: unknown }): JsonObject | null {
  // Most say nothing of it, and for a schema that is a fault, which costs more than all else here.
  return usage === undefined ? null : (JsonObject.safeParse(usage).data ?? null);
}

/** What a run said in one channel, piece by piece, as one message. This is the hot path. */
export function chunk(run: Run, channel: Channel, pieces: Pieces, now: number, out: SessionMessage[]): Run {
  const { run: opened, message_id } = openMessage(run, channel);
  const { first } = pieces;
  const more = pieces.more.length === 0 ? undefined : pieces.more;
  const { chunks: n, next_sequence, last_runner_sequence } = opened;
  const payload = channel === 'text' ? { message_id, n, text: first, more } : { message_id, n, reasoning: first, more };
  out.push(MessageFactory.output('chunk', payload, numbered(opened, now)));
  const count = 1 + pieces.more.length;
  return moveOn(opened, last_runner_sequence, next_sequence + count, n + count);
}

type WholeMessage = RunResultDataOf<'message.completed'>['message'];

/** The card of a result (RA-7.7); one that is refused is left out, and its message stands as text. */
function compiled(run: Run, ui_hints: Json | undefined, notes: string[], tool_id?: string): { ui_schema?: JsonObject } {
  if (ui_hints === undefined || ui_hints === null) return {};
  const { trace_id, locale = DEFAULT_LOCALE } = run.identity;
  const made = compileUi(ui_hints, { locale, trace_id, ...(tool_id !== undefined && { tool_id }) });
  if ('ui' in made) return { ui_schema: JsonObject.parse(made.ui) };
  notes.push(`ui_hints were left out: ${made.refused}`);
  return {};
}

function wholeMessage(run: Run, message: WholeMessage, now: number, out: SessionMessage[], notes: string[]): Run {
  const { run: next, message_id } = completeMessage(run);
  const { role, content, reasoning_content, ui_hints } = message;
  const payload: PayloadOf<'AGENT_OUTPUT', 'message'> = {
    message_id,
    role,
    content,
    ...(reasoning_content !== undefined && { reasoning: reasoning_content }),
    ...compiled(run, ui_hints, notes),
  };
  out.push(MessageFactory.output('message', payload, numbered(next, now)));
  return counted(next);
}

/** `run.completed.message`: a text, or a message like that of `message.completed`; anything else is left out. */
function closingMessage(message: Json | undefined): WholeMessage | null {
  if (message === undefined || message === null) return null;
  if (typeof message === 'string') return { role: 'assistant', content: message };
  const parsed = RunResultData['message.completed'].shape.message.safeParse(message);
  return parsed.success ? parsed.data : null;
}

/** As its effect left it: what the host did about it stands beside what the runner asked for. */
const RequestedAction = RunResultData['action.requested'].extend({ outcome: ActionOutcome.optional() });
type Action = RunResultDataOf<'action.requested'>;

function handoverRequest(run: Run, { target, payload }: Action, now: number, out: SessionMessage[]): Run | null {
  const { reason, summary } = jsonObjectOf(payload);
  const parsed = ControlPayloads.HANDOVER_REQUEST.safeParse({
    target_agent_id: jsonObjectOf(target).agent_id,
    reason: reason ?? '',
    summary: summary ?? '',
  });
  if (!parsed.success) return null;
  out.push(MessageFactory.control('HANDOVER_REQUEST', parsed.data, numbered(run, now)));
  return counted(run);
}

/** What became of the question: put to a person, or said in words where nobody could be shown it. */
function interactionRequested(run: Run, { payload }: Action, now: number, out: SessionMessage[]): Run | null {
  const { fallback_text } = jsonObjectOf(payload);
  if (typeof fallback_text === 'string') {
    return wholeMessage(run, { role: 'assistant', content: fallback_text }, now, out, []);
  }
  const parsed = ControlPayloads.INTERACTION_REQUESTED.safeParse(payload);
  if (!parsed.success) return null;
  out.push(MessageFactory.control('INTERACTION_REQUESTED', parsed.data, numbered(run, now)));
  return counted(pauseRun(run, parsed.data.interaction_id, now));
}

function stateIsSound({ scope, key, value }: RunResultDataOf<'state.updated'>): boolean {
  return Object.hasOwn(AgentRunState.shape, scope) && refuseStateEntry(key, value) === null;
}

function delta(run: Run, data: unknown, now: number, out: SessionMessage[]): Run | null {
  if (!isDelta(data)) return null;
  const { content, reasoning_content } = data.chunk;
  let next = noteUsage(run, data.usage);
  if (reasoning_content) next = chunk(next, 'reasoning', { first: reasoning_content, more: [] }, now, out);
  if (content) next = chunk(next, 'text', { first: content, more: [] }, now, out);
  return next;
}

function runCompleted(
  run: Run,
  data: RunResultDataOf<'run.completed'>,
  now: number,
  out: SessionMessage[],
  notes: string[],
): Run {
  const { message, finish_reason } = data;
  const closing = run.said ? null : closingMessage(message);
  const { run: ended, tell } = endRun(run, 'completed');
  if (tell === 'cancel_ack') {
    const text = typeof closing?.content === 'string' ? closing.content : undefined;
    out.push(cancelAck(run, now, text)); // SR-D32
    return ended;
  }
  const spoken = closing === null ? ended : wholeMessage(ended, closing, now, out, notes);
  const { usage } = run;
  const payload = { ...(usage !== null && { usage }), ...(finish_reason !== undefined && { finish_reason }) };
  out.push(MessageFactory.output('final', payload, numbered(spoken, now)));
  return counted(spoken);
}

function runFailed(run: Run, data: RunResultDataOf<'run.failed'>, now: number, out: SessionMessage[]): Run {
  const { code, message, error, retryable } = data;
  const { run: ended, tell } = endRun(run, 'failed');
  if (tell === 'cancel_ack') {
    out.push(cancelAck(run, now));
    return ended;
  }
  // Errors of many languages may have no words, and the text of one is sent as it is.
  const payload = failurePayload(run, code, message || error || code, retryable);
  out.push(MessageFactory.error('RUN_FAILED', payload, numbered(run, now)));
  return counted(ended);
}

/** Result type → session messages: one of the two translators of the host. Every result type has its row. */
export const resultRows: Readonly<Record<RunResultType, Row>> = {
  'message.delta': delta,

  'message.completed': row(RunResultData['message.completed'], (run, { message }, now, out, notes) =>
    wholeMessage(run, message, now, out, notes),
  ),

  'tool.call.started': row(RunResultData['tool.call.started'], (run, { usage: _, ...call }, now, out) => {
    const parent = run.open?.channel === 'text' ? { message_id: run.open.message_id } : {};
    out.push(MessageFactory.output('tool.call.started', { ...call, ...parent }, numbered(run, now)));
    return counted(closeMessage(run));
  }),

  'tool.call.completed': row(RunResultData['tool.call.completed'], (run, completed, now, out, notes) => {
    const { usage: _, ui_hints, ...call } = completed;
    const card = compiled(run, ui_hints, notes, call.tool_name);
    out.push(MessageFactory.output('tool.call.completed', { ...call, ...card }, numbered(run, now)));
    return counted(closeMessage(run));
  }),

  'artifact.created': row(RunResultData['artifact.created'], (run, { usage: _, ...artifact }, now, out) => {
    out.push(MessageFactory.output('artifact.created', artifact, numbered(run, now)));
    return counted(run);
  }),

  'state.updated': row(RunResultData['state.updated'], (run, { usage: _, ...update }, now, out) => {
    if (!stateIsSound(update)) return null; // RP-6.9
    out.push(MessageFactory.output('state.updated', update, numbered(run, now)));
    return counted(run);
  }),

  'action.requested': row(RequestedAction, (run, { usage: _, ...action }, now, out) => {
    if (action.action === 'session.handover') return handoverRequest(run, action, now, out); // SR-D51
    if (action.action === 'interaction.requested') return interactionRequested(run, action, now, out);
    out.push(MessageFactory.output('action.requested', action, numbered(run, now)));
    return counted(run);
  }),

  'run.completed': row(RunResultData['run.completed'], runCompleted),
  'run.failed': row(RunResultData['run.failed'], runFailed),
};
