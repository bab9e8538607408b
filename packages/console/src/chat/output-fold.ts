import type { SessionMessage } from '@rostra/protocol/session/message';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import { addItem, changeItem } from './chat-items.ts';
import type { ChatState, SaidItem } from './chat-state.ts';

type Output = Extract<SessionMessage, { event: 'AGENT_OUTPUT' }>;

function textOf(content: Json): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}

function said(chat: ChatState, id: string): SaidItem | null {
  const item = chat.items.findLast((each) => each.kind === 'agent' && each.id === id);
  return item?.kind === 'agent' ? item : null;
}

/** Frontends hear everything from the session: whose words they are is known by the turn. */
function agentOf({ turns, activeAgentId }: ChatState, { turn_id }: Output): string {
  return turns.find(({ id }) => id === turn_id)?.agentId ?? activeAgentId ?? '';
}

function begun({ turn_id, ts: at }: Output, id: string, agentId: string): SaidItem {
  const text = { text: '', reasoning: '', ui: null };
  const turnId = turn_id ?? null;
  return { kind: 'agent', id, turnId, agentId, ...text, isOpen: true, fate: 'complete', isEdited: false, at };
}

function chunk(chat: ChatState, message: Extract<Output, { subtype: 'chunk' }>): ChatState {
  const { message_id, text, reasoning, more = [] } = message.payload;
  const item = said(chat, message_id) ?? begun(message, message_id, agentOf(chat, message));
  const rest = more.join('');
  const next =
    text === undefined
      ? { ...item, reasoning: item.reasoning + (reasoning ?? '') + rest }
      : { ...item, text: item.text + text + rest, reasoning: item.reasoning + (reasoning ?? '') };
  return addItem(chat, { ...next, isOpen: true });
}

function tool(chat: ChatState, message: Extract<Output, { subtype: 'tool.call.started' }>): ChatState {
  const { tool_call_id, tool_name: name, parameters = null } = message.payload;
  const id = toolId(message.turn_id, tool_call_id);
  const open = { result: undefined, error: null, isOpen: true, ui: null };
  return addItem(chat, {
    kind: 'tool',
    id,
    turnId: message.turn_id ?? null,
    name,
    parameters,
    ...open,
    at: message.ts,
  });
}

function toolId(turnId: string | undefined, callId: string): string {
  return `${turnId ?? ''}.${callId}`;
}

function toolDone(chat: ChatState, message: Extract<Output, { subtype: 'tool.call.completed' }>): ChatState {
  const { payload, turn_id, ts: at } = message;
  const { tool_call_id, tool_name: name, result, error = null } = payload;
  const id = toolId(turn_id, tool_call_id);
  const done = { result: result ?? null, error, isOpen: false, ui: uiOf(payload) };
  const known = chat.items.some((item) => item.kind === 'tool' && item.id === id);
  if (known) return changeItem(chat, 'tool', id, (item) => ({ ...item, ...done }));
  return addItem(chat, { kind: 'tool', id, turnId: turn_id ?? null, name, parameters: null, ...done, at });
}

function uiOf(payload: object): unknown {
  const { ui_schema = null }: { ui_schema?: unknown } = payload;
  return ui_schema;
}

function file(chat: ChatState, { payload, turn_id, id, ts: at }: Extract<Output, { subtype: 'artifact.created' }>) {
  const name = typeof payload.name === 'string' ? payload.name : 'file';
  const mimeType = typeof payload.mime_type === 'string' ? payload.mime_type : 'application/octet-stream';
  const size = typeof payload.size_bytes === 'number' ? payload.size_bytes : 0;
  const own = typeof payload.artifact_id === 'string' ? payload.artifact_id : id;
  return addItem(chat, { kind: 'file', id: own, turnId: turn_id ?? null, name, mimeType, size, at });
}

/** What an agent said or did. */
export function foldOutput(chat: ChatState, message: Output): ChatState {
  switch (message.subtype) {
    case 'message.started': {
      const { message_id, agent_id } = message.payload;
      const item = said(chat, message_id);
      return addItem(chat, item === null ? begun(message, message_id, agent_id) : { ...item, isOpen: true });
    }
    case 'chunk':
      return chunk(chat, message);
    case 'message.ended':
      return changeItem(chat, 'agent', message.payload.message_id, (item) => ({ ...item, isOpen: false }));
    case 'message': {
      const { message_id, content, reasoning } = message.payload;
      const item = said(chat, message_id) ?? begun(message, message_id, agentOf(chat, message));
      const whole = { text: textOf(content), reasoning: reasoning ?? item.reasoning, ui: uiOf(message.payload) };
      return addItem(chat, { ...item, ...whole, isOpen: false });
    }
    case 'tool.call.started':
      return tool(chat, message);
    case 'tool.call.completed':
      return toolDone(chat, message);
    case 'artifact.created':
      return file(chat, message);
    case 'message.edited': {
      const { message_id, content } = message.payload;
      return changeItem(chat, 'agent', message_id, (item) => ({ ...item, text: content, isEdited: true }));
    }
    case 'message.deleted': {
      const { message_id } = message.payload;
      return { ...chat, items: chat.items.filter((item) => item.kind !== 'agent' || item.id !== message_id) };
    }
    default:
      return chat;
  }
}
