import type { SessionMessage } from '@rostra/protocol/session/message';
import { ownAddress } from '../ui-schema/own-address.ts';
import { addItem, changeItem, placeItem } from './chat-items.ts';
import type { ChatInput, ChatItem, ChatState, ChatTurn, SaidItem } from './chat-state.ts';
import { foldOutput } from './output-fold.ts';
import { decided, gonePast } from './past-card.ts';

function notice(
  chat: ChatState,
  { id, ts }: SessionMessage,
  text: string,
  tone: 'quiet' | 'warning' | 'error' = 'quiet',
  hint: string | null = null,
): ChatState {
  return addItem(chat, { kind: 'notice', id, tone, text, hint, at: ts });
}

function setTurn(chat: ChatState, turn: ChatTurn): ChatState {
  const place = chat.turns.findIndex(({ id }) => id === turn.id);
  return { ...chat, turns: place < 0 ? [...chat.turns, turn] : chat.turns.with(place, turn) };
}

/** Who waits for an answer says nothing meanwhile; the next words open the message again. */
function paused(items: readonly ChatItem[], turnId: string): readonly ChatItem[] {
  return items.map((item) =>
    item.kind === 'agent' && item.turnId === turnId && item.isOpen ? { ...item, isOpen: false } : item,
  );
}

/** The turn is over: whatever of it was open is closed with it. */
function endTurn(chat: ChatState, turnId: string, fate: SaidItem['fate']): ChatState {
  // The session ends a message before the turn that it is cut off with: then nothing came after it.
  const last = chat.items.findLastIndex((item) => 'turnId' in item && item.turnId === turnId);
  const items = chat.items.map((item, place): ChatItem => {
    if (!('turnId' in item) || item.turnId !== turnId) return item;
    if (item.kind === 'agent' && (item.isOpen || (place === last && !item.isWhole)))
      return { ...item, isOpen: false, fate };
    if (item.kind === 'tool' && item.isOpen) return { ...item, isOpen: false };
    return item;
  });
  return { ...chat, items, turns: chat.turns.filter(({ id }) => id !== turnId) };
}

/** Said in place of what stood there from a record on, or after all of it. */
function said(chat: ChatState, { item, inPlaceFrom }: ChatInput): ChatState {
  const place = chat.items.findIndex((each) => each.kind === 'user' && each.seq >= inPlaceFrom);
  const items = place < 0 ? chat.items : chat.items.slice(0, place);
  return addItem({ ...chat, items: gonePast(items) }, item);
}

function accepted(chat: ChatState, message: Extract<SessionMessage, { subtype: 'TURN_ACCEPTED' }>): ChatState {
  const { turn_id: id = message.id, payload } = message;
  const { agent_id: agentId, state, client_run_id: clientRunId } = payload;
  const { [id]: input, ...inputs } = chat.inputs;
  const next = input === undefined ? chat : said({ ...chat, inputs }, input);
  return setTurn(next, { id, agentId, clientRunId, state: state === 'dispatched' ? 'running' : 'queued' });
}

function userInput(chat: ChatState, message: Extract<SessionMessage, { event: 'USER_INPUT' }>): ChatState {
  const { id, turn_id: turnId = id, payload, ts: at, seq = 0 } = message;
  const { input, event, branch } = payload;
  // What an event of another system brought is nobody's words.
  if (event !== undefined && event.event_type !== 'message.received') return chat;
  const attached = input.contents.flatMap((part) => {
    if (part.type === 'text') return [];
    const name = part.artifact?.name ?? 'attachment';
    const url = part.artifact === undefined ? null : ownAddress(part.artifact.artifact_id);
    return [{ name, mimeType: part.artifact?.mime_type ?? 'image/*', url }];
  });
  const item = { kind: 'user' as const, id: turnId, turnId, seq, text: input.text ?? '', attached, at };
  const inPlaceFrom = branch?.from_seq ?? Number.POSITIVE_INFINITY;
  return { ...chat, inputs: { ...chat.inputs, [turnId]: { item, inPlaceFrom } } };
}

function turnEvent(chat: ChatState, message: Extract<SessionMessage, { event: 'EVENT' }>): ChatState {
  const turnId = message.turn_id ?? '';
  switch (message.subtype) {
    case 'TURN_ACCEPTED':
      return accepted(chat, message);
    case 'TURN_DISPATCHED': {
      const { agent_id: agentId, client_run_id: clientRunId } = message.payload;
      return setTurn(chat, { id: turnId, agentId, clientRunId, state: 'running' });
    }
    case 'TURN_RESUMED':
      return notice(chat, message, `${message.payload.agent_id} goes on after a restart`);
    case 'CANCEL_SENT': {
      const turn = chat.turns.find(({ id }) => id === turnId);
      return turn === undefined ? chat : setTurn(chat, { ...turn, state: 'stopping' });
    }
    case 'TURN_COMPLETED':
      return endTurn(chat, turnId, 'complete');
    case 'CANCELED':
      return notice(endTurn(chat, turnId, 'cancelled'), message, 'Stopped');
    case 'TURN_FAILED': {
      const { message: text, retryable } = message.payload;
      const hint = retryable ? 'Send it again in a moment.' : null;
      return notice(endTurn(chat, turnId, 'failed'), message, text, 'error', hint);
    }
    case 'BUDGET_NOTICE':
      return notice(chat, message, `${message.payload.agent_id} has used most of its budget`, 'warning');
    default:
      return rosterEvent(chat, message);
  }
}

function rosterEvent(chat: ChatState, message: Extract<SessionMessage, { event: 'EVENT' }>): ChatState {
  switch (message.subtype) {
    case 'SESSION_OPENED': {
      const { agents, active_agent_id: activeAgentId } = message.payload;
      return { ...chat, isOpen: true, activeAgentId, agents: agents.map(({ agent_id }) => agent_id) };
    }
    case 'SESSION_CLOSED':
      return notice({ ...chat, isOpen: false }, message, 'This session was closed');
    case 'ACTIVE_AGENT_CHANGED':
      return { ...chat, activeAgentId: message.payload.to };
    case 'AGENT_ADDED': {
      const { agent, existing } = message.payload;
      const { agent_id } = agent;
      if (existing) return chat;
      const agents = chat.agents.includes(agent_id) ? chat.agents : [...chat.agents, agent_id];
      return notice({ ...chat, agents }, message, `${agent_id} joined`);
    }
    case 'AGENT_REMOVED': {
      const { agent_id } = message.payload;
      const agents = chat.agents.filter((id) => id !== agent_id);
      return notice({ ...chat, agents }, message, `${agent_id} left`);
    }
    case 'INTERACTION_OPENED': {
      const { interaction_id: id, purpose, kind: form, agent_id: agentId, until, request } = message.payload;
      const turnId = message.turn_id ?? null;
      const question = { kind: 'question' as const, id, turnId, agentId, purpose, form, request, until };
      const items = turnId === null ? chat.items : paused(chat.items, turnId);
      return placeItem({ ...chat, items }, { ...question, outcome: null, answer: null, at: message.ts });
    }
    case 'INTERACTION_RESOLVED': {
      const { interaction_id, outcome, answer } = message.payload;
      const next = { ...chat, items: decided(chat.items, interaction_id, message.turn_id) };
      return changeItem(next, 'question', interaction_id, (item) => ({ ...item, outcome, answer }));
    }
    default:
      return chat;
  }
}

function control(chat: ChatState, message: Extract<SessionMessage, { event: 'CONTROL' }>): ChatState {
  const id = message.tx_id ?? message.id;
  if (message.subtype === 'HANDOVER_UI_PROMPT') {
    const { from_agent_id: from, target_agent_id: to, reason, summary, until } = message.payload;
    return placeItem(chat, { kind: 'handover', id, from, to, reason, summary, until, outcome: null, at: message.ts });
  }
  if (message.subtype === 'HANDOVER_RESOLVED') {
    const { outcome } = message.payload;
    const next = { ...chat, items: decided(chat.items, id, message.turn_id) };
    return changeItem(next, 'handover', id, (item) => ({ ...item, outcome }));
  }
  if (message.subtype === 'SWITCH_AGENT' && message.payload.to !== undefined) {
    const { from = null, to, reason } = message.payload;
    const next = { ...chat, activeAgentId: to };
    if (from === null || to === null || reason === 'open') return next;
    return notice(next, message, `${to} takes over from ${from}`);
  }
  return chat;
}

/** One message of the session, as the chat shows it. Messages it does not know change nothing. */
export function foldMessage(chat: ChatState, message: SessionMessage): ChatState {
  switch (message.event) {
    case 'USER_INPUT':
      return userInput(chat, message);
    case 'AGENT_OUTPUT':
      return foldOutput(chat, message);
    case 'EVENT':
      return turnEvent(chat, message);
    case 'CONTROL':
      return control(chat, message);
    case 'ERROR':
      return message.turn_id === undefined ? failure(chat, message) : chat;
    default:
      return chat;
  }
}

/** Whoever was refused was told by the answer; what concerns nobody's call stands in the chat. */
function failure(chat: ChatState, message: Extract<SessionMessage, { event: 'ERROR' }>): ChatState {
  if (message.subtype === 'REFUSED') return chat;
  return notice(chat, message, message.payload.message, 'error');
}
