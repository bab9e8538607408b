import type { UiAction, UiNode } from '@rostra/protocol/run-api/ui-schema';
import { uiFields } from '@rostra/protocol/run-api/ui-schema';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';

/** What a tree is too large for; null when it fits. Looks before anything that recurses does. */
export function overCap(root: Json): string | null {
  let nodes = 0;
  let level: Json[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    nodes += level.length;
    if (depth > limits.ui_depth) return `it nests deeper than ${limits.ui_depth} levels`;
    if (nodes > limits.ui_nodes) return `it has more than ${limits.ui_nodes} nodes`;
    level = level.flatMap((node) => {
      const children = isJsonObject(node) ? node.children : undefined;
      return Array.isArray(children) ? children : [];
    });
  }
  return null;
}

export function childrenOf(node: UiNode): readonly UiNode[] {
  return 'children' in node ? node.children : [];
}

function actionOf(node: UiNode): UiAction | null {
  return node.type === 'button' ? node.action : null;
}

interface Found {
  readonly forms: Set<string>;
  readonly submits: Set<string>;
}

function walk(node: UiNode, inForm: boolean, found: Found): string | null {
  if (uiFields.has(node.type) && !inForm) return `a node ${node.type} stands outside of any form`;
  if (node.type === 'form') {
    if (inForm) return 'a form stands in a form';
    if (found.forms.has(node.id)) return 'two forms have the same id';
    found.forms.add(node.id);
  }
  const action = actionOf(node);
  if (action?.type === 'submit') found.submits.add(action.formId);
  for (const child of childrenOf(node)) {
    const fault = walk(child, inForm || node.type === 'form', found);
    if (fault !== null) return fault;
  }
  return null;
}

/** What the types cannot say of a tree: where fields stand, and which forms there are. Null when all is well. */
export function misplaced(root: UiNode): string | null {
  const found: Found = { forms: new Set(), submits: new Set() };
  const fault = walk(root, false, found);
  if (fault !== null) return fault;
  const lost = [...found.submits].some((id) => !found.forms.has(id));
  return lost ? 'an action submits a form that is not there' : null;
}

/** The same tree with every node as `change` gives it, from the leaves up. */
export function mapNodes(node: UiNode, change: (node: UiNode) => UiNode): UiNode {
  if (!('children' in node)) return change(node);
  return change({ ...node, children: node.children.map((child) => mapNodes(child, change)) });
}
