import { isLoggedClientTool } from '@rostra/protocol/session/client-call';
import type { MessageOf, SubtypeOf } from '@rostra/protocol/session/message';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
import { type AguiPen, present } from './agui-pen.ts';

export type OutputMessage = {
  [S in SubtypeOf<'AGENT_OUTPUT'>]: MessageOf<'AGENT_OUTPUT', S>;
}[SubtypeOf<'AGENT_OUTPUT'>];

/** The text of a message's content: a string, or the text parts of a list. */
function textOf(content: Json): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function pointer(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The card of a message, beside it: activities are not echoed to the host, so that history does not grow by them. */
function card(pen: AguiPen, messageId: string, ui_schema: JsonObject | undefined): void {
  if (ui_schema === undefined) return;
  pen.write({ type: 'ACTIVITY_SNAPSHOT', messageId: `ui:${messageId}`, activityType: 'ui-schema', content: ui_schema });
}

function started(pen: AguiPen, { payload }: MessageOf<'AGENT_OUTPUT', 'message.started'>): void {
  const { message_id, channel, agent_id } = payload;
  pen.open(message_id, channel, agent_id);
  pen.set(channel === 'text' ? { streamed: message_id } : { reasoned: true });
}

function chunk(pen: AguiPen, { payload }: MessageOf<'AGENT_OUTPUT', 'chunk'>): void {
  const { message_id, text, reasoning, more = [] } = payload;
  if (reasoning !== undefined) {
    pen.open(message_id, 'reasoning', null);
    pen.content(reasoning);
    if (text === undefined) for (const piece of more) pen.content(piece);
    if (!pen.view.reasoned) pen.set({ reasoned: true });
  }
  if (text !== undefined) {
    pen.open(message_id, 'text', pen.view.agentId);
    pen.content(text);
    for (const piece of more) pen.content(piece);
    if (pen.view.streamed !== message_id) pen.set({ streamed: message_id });
  }
}

function message(pen: AguiPen, { payload }: MessageOf<'AGENT_OUTPUT', 'message'>): void {
  const { message_id, content, reasoning = '', ui_schema } = payload;
  pen.close();
  if (!pen.view.reasoned) pen.message(`${message_id}.reasoning`, 'reasoning', reasoning);
  if (pen.view.streamed !== message_id) pen.message(message_id, 'text', textOf(content));
  card(pen, message_id, ui_schema);
  pen.set({ reasoned: false });
}

function toolStarted(pen: AguiPen, { payload }: MessageOf<'AGENT_OUTPUT', 'tool.call.started'>): void {
  const { tool_call_id: toolCallId, tool_name: toolCallName, message_id } = payload;
  // A client is told of its own tools by the question for their results: told twice, it would run them twice.
  if (isLoggedClientTool(toolCallName)) return;
  pen.close();
  pen.write({
    type: 'TOOL_CALL_START',
    toolCallId,
    toolCallName,
    ...(message_id === undefined ? {} : { parentMessageId: message_id }),
  });
  pen.write({ type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(payload.parameters ?? {}) });
  pen.write({ type: 'TOOL_CALL_END', toolCallId });
}

function toolCompleted(pen: AguiPen, { payload }: MessageOf<'AGENT_OUTPUT', 'tool.call.completed'>): void {
  const { tool_call_id: toolCallId, tool_name, result, error, ui_schema } = payload;
  if (isLoggedClientTool(tool_name)) return;
  // Runners number their calls per run; the id of the message must be unique in the thread.
  const messageId = `${pen.view.taskId}.${toolCallId}`;
  pen.write({
    type: 'TOOL_CALL_RESULT',
    messageId,
    toolCallId,
    content: error ?? asText(result),
    role: 'tool',
    ...(error === undefined ? {} : { metadata: { isError: true } }),
  });
  card(pen, messageId, ui_schema);
}

function artifact(pen: AguiPen, { payload, seq }: MessageOf<'AGENT_OUTPUT', 'artifact.created'>): void {
  const id = typeof payload.artifact_id === 'string' ? payload.artifact_id : `${pen.view.taskId}.${seq}`;
  pen.write({ type: 'ACTIVITY_SNAPSHOT', messageId: `artifact:${id}`, activityType: 'artifact', content: payload });
}

/** What a runner keeps for itself: its checkpoints, and where it stands with a harness. */
const ownKey = /^(?:runner|external)\./;

function state(pen: AguiPen, { payload }: MessageOf<'AGENT_OUTPUT', 'state.updated'>): void {
  if (ownKey.test(payload.key)) return;
  // One flat member: a patch cannot add below a parent that the client's state does not have.
  const path = pointer(`${payload.scope}.${payload.key}`);
  pen.write({ type: 'STATE_DELTA', delta: [{ op: 'add', path, value: payload.value }] });
}

function action(pen: AguiPen, { payload }: MessageOf<'AGENT_OUTPUT', 'action.requested'>): void {
  const { action, target, payload: value, outcome } = payload;
  pen.custom('action.requested', present({ action, target, payload: value, outcome }));
}

/** What an agent said and did, as AG-UI events. */
export function writeOutput(pen: AguiPen, record: OutputMessage): void {
  switch (record.subtype) {
    case 'message.started':
      started(pen, record);
      break;
    case 'chunk':
      chunk(pen, record);
      break;
    case 'message.ended':
      if (pen.view.open?.id === record.payload.message_id) pen.close();
      break;
    case 'message':
      message(pen, record);
      break;
    case 'tool.call.started':
      toolStarted(pen, record);
      break;
    case 'tool.call.completed':
      toolCompleted(pen, record);
      break;
    case 'artifact.created':
      artifact(pen, record);
      break;
    case 'state.updated':
      state(pen, record);
      break;
    case 'action.requested':
      action(pen, record);
      break;
    case 'message.edited':
      pen.custom(record.subtype, { messageId: record.payload.message_id, content: record.payload.content });
      break;
    case 'message.deleted':
      pen.custom(record.subtype, { messageId: record.payload.message_id });
      break;
    case 'final':
      // TURN_COMPLETED follows and ends the run.
      break;
    default:
      // The compiler sees that no row is missing; a log may still hold what a newer host wrote.
      record satisfies never;
  }
}
