import { readUi } from '@rostra/protocol/run-api/ui-reader';
import type { UiAction, UiNode, UiSchemaRenderer } from '@rostra/protocol/run-api/ui-schema';
import type { ChatItem } from './chat-state.ts';

type IsOver = (action: UiAction) => boolean;

function mapped(node: UiNode, change: (node: UiNode) => UiNode): UiNode {
  if (!('children' in node)) return change(node);
  return change({ ...node, children: node.children.map((child) => mapped(child, change)) });
}

function withoutActions(card: UiSchemaRenderer, isOver: IsOver): UiSchemaRenderer {
  const over = new Set<string>();
  const forms = mapped(card.root, (node) => {
    if (node.type !== 'form' || !isOver(node.action)) return node;
    over.add(node.id);
    return { ...node, disabled: true };
  });
  const root = mapped(forms, (node) => {
    if (node.type !== 'button') return node;
    const { action } = node;
    return (action.type === 'submit' ? over.has(action.formId) : isOver(action)) ? { ...node, disabled: true } : node;
  });
  return { ...card, root };
}

function inCard(item: ChatItem, isOver: IsOver): ChatItem {
  if (!('ui' in item) || item.ui === null) return item;
  const card = readUi(item.ui);
  return card === null ? item : { ...item, ui: withoutActions(card, isOver) };
}

/** Somebody has gone on: what cards offered to say or do is over. Links lead on, and so do answers to open questions. */
export function gonePast(items: readonly ChatItem[]): readonly ChatItem[] {
  const isOver: IsOver = ({ type }) => type === 'send_message' || type === 'call_tool';
  // What stands further up went past before.
  const last = items.findLastIndex(({ kind }) => kind === 'user');
  return items.map((item, place) => (place < last ? item : inCard(item, isOver)));
}

/** A question is decided: no card of the turn that asked answers it any more. */
export function decided(items: readonly ChatItem[], id: string, turnId: string | undefined): readonly ChatItem[] {
  const isOver: IsOver = (action) => action.type === 'resume' && action.interruptId === id;
  return items.map((item) => ('ui' in item && item.turnId === turnId ? inCard(item, isOver) : item));
}
