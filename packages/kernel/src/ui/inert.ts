import type { UiAction, UiNode, UiSchemaRenderer } from '@rostra/protocol/run-api/ui-schema';
import { mapNodes } from './ui-tree.ts';

/** Where a card stands: the questions that still wait, and whether anything was said after it. */
export interface CardPlace {
  readonly open: ReadonlySet<string>;
  readonly isLast?: boolean;
}

function isLive(action: UiAction, { open, isLast = false }: CardPlace): boolean {
  if (action.type === 'open_url') return true;
  if (action.type === 'send_message') return isLast;
  return action.type === 'resume' && open.has(action.interruptId);
}

function liveForms(node: UiNode, place: CardPlace, forms = new Set<string>()): Set<string> {
  if (node.type === 'form' && isLive(node.action, place)) forms.add(node.id);
  if ('children' in node) for (const child of node.children) liveForms(child, place, forms);
  return forms;
}

/**
 * A card of the past: what it could do then is not done again by a click today. Links still lead somewhere, a question
 * that is still open can still be answered, and so can what was said last.
 */
export function inert(ui: UiSchemaRenderer, place: CardPlace): UiSchemaRenderer {
  const forms = liveForms(ui.root, place);
  const root = mapNodes(ui.root, (node) => {
    if (node.type === 'form') return forms.has(node.id) ? node : { ...node, disabled: true };
    if (node.type !== 'button') return node;
    const { action } = node;
    const can = action.type === 'submit' ? forms.has(action.formId) : isLive(action, place);
    return can ? node : { ...node, disabled: true };
  });
  return { ...ui, root };
}
