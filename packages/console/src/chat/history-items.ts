import type { TranscriptEntry } from '@rostra/protocol/run-api/history';
import type { InteractionItem } from '@rostra/protocol/run-api/interaction';
import type { Json } from '@rostra/protocol/wire/json';
import type { ChatItem } from './chat-state.ts';

/** What was said before this page was opened. */
export function historyItem(item: TranscriptEntry): ChatItem {
  const { id, seq, role, taskId, content, attachments, status, isEdited, agentId, toolName } = item;
  const at = Date.parse(item.timestamp);
  const ui = item.uiSchema;
  if (role === 'user') {
    const attached = attachments.map(({ filename: name, mimeType, url }) => ({ name, mimeType, url }));
    return { kind: 'user', id: taskId ?? id, turnId: taskId ?? id, seq, text: content, attached, at };
  }
  if (role === 'tool') {
    const given = status === 'failed' ? { result: null, error: content } : { result: content, error: null };
    return {
      kind: 'tool',
      id,
      turnId: taskId,
      name: toolName ?? 'tool',
      parameters: null,
      ...given,
      isOpen: false,
      ui,
      at,
    };
  }
  return {
    kind: 'agent',
    id,
    turnId: taskId,
    agentId: agentId ?? 'agent',
    text: content,
    reasoning: '',
    isOpen: false,
    isWhole: true,
    fate: status,
    isEdited,
    ui,
    at,
  };
}

/** A question that waits although the turn in which it was asked is over. */
export function waitingItem(item: InteractionItem): ChatItem {
  const { id, purpose, agentId, request } = item;
  const until = Date.parse(item.expiresAt);
  const at = Date.parse(item.createdAt);
  if (purpose !== 'handover') {
    const open = { outcome: null, answer: null };
    return {
      kind: 'question',
      id,
      turnId: item.taskId,
      agentId,
      purpose,
      form: item.kind,
      request,
      until,
      ...open,
      at,
    };
  }
  const asked = typeof request === 'object' && request !== null && !Array.isArray(request) ? request : {};
  const word = (value: Json | undefined) => (typeof value === 'string' ? value : '');
  return {
    kind: 'handover',
    id,
    from: agentId,
    to: word(asked.target_agent_id),
    reason: word(asked.reason),
    summary: word(asked.summary),
    until,
    outcome: null,
    at,
  };
}
