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

/** What was said of one message: in parts, where something else of its turn came between. */
function partsOf({ items }: ChatState, id: string): SaidItem[] {
  return items.filter(
    (item): item is SaidItem => item.kind === 'agent' && (item.id === id || item.id.startsWith(`${id}#`)),
  );
}

/** Whether something of its turn stands below it: what is said next was said after that. */
function isFollowed({ items }: ChatState, part: SaidItem): boolean {
  return items.slice(items.indexOf(part) + 1).some((item) => {
    if (item.kind === 'handover') return true;
    // Two messages that are told at once are no reason to tear both to pieces.
    return item.kind !== 'agent' && item.kind !== 'notice' && item.turnId !== null && item.turnId === part.turnId;
  });
}

/** The part of a message that its next words belong to. */
function nextPart(chat: ChatState, message: Output, id: string): SaidItem {
  const parts = partsOf(chat, id);
  const last = parts.at(-1);
  if (last === undefined) return begun(message, id, agentOf(chat, message));
  return isFollowed(chat, last) ? begun(message, `${id}#${parts.length + 1}`, last.agentId) : last;
}

/** Puts a part where it stood, or below everything: then those before it have their ends. */
function addPart(chat: ChatState, id: string, part: SaidItem): ChatState {
  const isNew = chat.items.every((item) => item.kind !== 'agent' || item.id !== part.id);
  return addItem(isNew ? closed(chat, id) : chat, part);
}

function closed(chat: ChatState, id: string): ChatState {
  return partsOf(chat, id)
    .filter(({ isOpen }) => isOpen)
    .reduce((next, part) => addItem(next, { ...part, isOpen: false }), chat);
}

/** What `whole` has beyond what was told of it; null when it is another story. */
function restOf(whole: string, told: readonly string[]): string | null {
  const before = told.join('');
  return whole.startsWith(before) ? whole.slice(before.length) : null;
}

/** Another story than was told stands in one piece, where the last part stood. */
function retold(chat: ChatState, id: string, change: Partial<SaidItem>): ChatState {
  const parts = partsOf(chat, id);
  const last = parts.pop();
  if (last === undefined) return chat;
  const items = chat.items.filter((item) => parts.every((part) => part !== item));
  return addItem({ ...chat, items }, { ...last, ...change });
}

/** Frontends hear everything from the session: whose words they are is known by the turn. */
function agentOf({ turns, activeAgentId }: ChatState, { turn_id }: Output): string {
  return turns.find(({ id }) => id === turn_id)?.agentId ?? activeAgentId ?? '';
}

function begun({ turn_id, ts: at }: Output, id: string, agentId: string): SaidItem {
  const text = { text: '', reasoning: '', ui: null };
  const turnId = turn_id ?? null;
  return {
    kind: 'agent',
    id,
    turnId,
    agentId,
    ...text,
    isOpen: true,
    isWhole: false,
    fate: 'complete',
    isEdited: false,
    at,
  };
}

function chunk(chat: ChatState, message: Extract<Output, { subtype: 'chunk' }>): ChatState {
  const { message_id, text, reasoning, more = [] } = message.payload;
  const item = nextPart(chat, message, message_id);
  const rest = more.join('');
  const next =
    text === undefined
      ? { ...item, reasoning: item.reasoning + (reasoning ?? '') + rest }
      : { ...item, text: item.text + text + rest, reasoning: item.reasoning + (reasoning ?? '') };
  return addPart(chat, message_id, { ...next, isOpen: true });
}

/** A message in one piece: all of it, or what its chunks left out. */
function whole(chat: ChatState, message: Extract<Output, { subtype: 'message' }>): ChatState {
  const { payload } = message;
  const { message_id: id, content, reasoning } = payload;
  const parts = partsOf(chat, id);
  const end = { ui: uiOf(payload), isOpen: false, isWhole: true };
  const told = parts.map((part) => part.reasoning);
  const text = restOf(
    textOf(content),
    parts.map((part) => part.text),
  );
  const thought = reasoning === undefined ? '' : restOf(reasoning, told);
  if (text === null || thought === null) {
    return retold(chat, id, { ...end, text: textOf(content), reasoning: reasoning ?? told.join('') });
  }
  const last = text === '' && thought === '' ? parts.at(-1) : undefined;
  const item = last ?? nextPart(chat, message, id);
  return addPart(chat, id, { ...item, ...end, text: item.text + text, reasoning: item.reasoning + thought });
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
      if (partsOf(chat, message_id).length === 0) return addItem(chat, begun(message, message_id, agent_id));
      const item = nextPart(chat, message, message_id);
      // Below what came between, it begins with its next words.
      return changeItem(chat, 'agent', item.id, (part) => ({ ...part, isOpen: true }));
    }
    case 'chunk':
      return chunk(chat, message);
    case 'message.ended':
      return closed(chat, message.payload.message_id);
    case 'message':
      return whole(chat, message);
    case 'tool.call.started':
      return tool(chat, message);
    case 'tool.call.completed':
      return toolDone(chat, message);
    case 'artifact.created':
      return file(chat, message);
    case 'message.edited': {
      const { message_id, content } = message.payload;
      return retold(chat, message_id, { text: content, isEdited: true });
    }
    case 'message.deleted': {
      const { message_id } = message.payload;
      const parts = partsOf(chat, message_id);
      return { ...chat, items: chat.items.filter((item) => parts.every((part) => part !== item)) };
    }
    default:
      return chat;
  }
}
