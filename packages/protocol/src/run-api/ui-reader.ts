import { isJsonObject, type Json, type JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { UI_VERSION, UiNode, type UiSchemaRenderer, UiStatus, UiTheme, uiNodeTypes } from './ui-schema.ts';

/** Words of a node that is not known: what a person can make something of. */
function wordsOf(node: JsonObject): string {
  const words = [node.text, node.content, node.label, node.title, node.alt].find((word) => typeof word === 'string');
  return typeof words === 'string' ? words.slice(0, limits.ui_text_chars) : '';
}

/** What stands for a node that is not known. */
export function fallbackOf(value: unknown): Extract<UiNode, { type: 'fallback' }> {
  return { type: 'fallback', text: isJsonObject(value) ? wordsOf(value) : '' };
}

/** The same tree with a `fallback` in the place of every node whose type is not known. */
export function withKnownNodes(value: Json, depth = 0): Json {
  if (!isJsonObject(value) || typeof value.type !== 'string' || !uiNodeTypes.has(value.type)) return fallbackOf(value);
  const { children } = value;
  // What nests deeper is refused, and need not be looked at.
  if (!Array.isArray(children) || depth > limits.ui_depth) return value;
  return { ...value, children: children.map((child) => withKnownNodes(child, depth + 1)) };
}

function readNode(value: unknown, depth: number): UiNode {
  if (!isJsonObject(value) || depth > limits.ui_depth) return fallbackOf(value);
  const { children } = value;
  const known = Array.isArray(children) ? children.map((child) => readNode(child, depth + 1)) : children;
  const parsed = UiNode.safeParse(known === undefined ? value : { ...value, children: known });
  return parsed.success ? parsed.data : fallbackOf(value);
}

/**
 * A card as a renderer reads it: tolerant, so that old history and newer hosts can be shown. A node that is not known,
 * or not as it should be, is a `fallback`. Null for what is no card at all.
 */
export function readUi(value: unknown): UiSchemaRenderer | null {
  if (!isJsonObject(value) || !isJsonObject(value.root)) return null;
  return {
    version: UI_VERSION,
    locale: typeof value.locale === 'string' && value.locale !== '' ? value.locale : 'en',
    status: UiStatus.catch('info').parse(value.status),
    theme: UiTheme.catch('default').parse(value.theme),
    root: readNode(value.root, 1),
  };
}
