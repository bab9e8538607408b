import type { UiAction, UiNode, UiSchemaRenderer } from '@rostra/protocol/run-api/ui-schema';
import { mapNodes } from './ui-tree.ts';

function isLive(action: UiAction, open: ReadonlySet<string>): boolean {
  if (action.type === 'open_url') return true;
  return action.type === 'resume' && open.has(action.interruptId);
}

function liveForms(node: UiNode, open: ReadonlySet<string>, forms = new Set<string>()): Set<string> {
  if (node.type === 'form' && isLive(node.action, open)) forms.add(node.id);
  if ('children' in node) for (const child of node.children) liveForms(child, open, forms);
  return forms;
}

/**
 * A card of the past: what it could do then is not done again by a click today. Links still lead somewhere, and a
 * question that is still open can still be answered.
 */
export function inert(ui: UiSchemaRenderer, openInterruptIds: ReadonlySet<string>): UiSchemaRenderer {
  const forms = liveForms(ui.root, openInterruptIds);
  const root = mapNodes(ui.root, (node) => {
    if (node.type === 'form') return forms.has(node.id) ? node : { ...node, disabled: true };
    if (node.type !== 'button') return node;
    const { action } = node;
    const can = action.type === 'submit' ? forms.has(action.formId) : isLive(action, openInterruptIds);
    return can ? node : { ...node, disabled: true };
  });
  return { ...ui, root };
}
