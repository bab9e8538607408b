import { withKnownNodes } from '@rostra/protocol/run-api/ui-reader';
import { UI_VERSION, UiNode, type UiSchemaRenderer, UiStatus, UiTheme } from '@rostra/protocol/run-api/ui-schema';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import { cardOf } from './ui-hints.ts';
import { misplaced, overCap } from './ui-tree.ts';

export interface UiOrigin {
  readonly locale: string;
  readonly trace_id: string | null;
  /** The tool whose result it is. */
  readonly tool_id?: string;
}

export type CompiledUi = { readonly ui: UiSchemaRenderer } | { readonly refused: string };

/** Hints are an envelope with its root, a root alone, or simple words for the parts of a card. */
function rootOf(hints: JsonObject): Json {
  if (hints.root !== undefined) return hints.root;
  return typeof hints.type === 'string' ? hints : cardOf(hints);
}

function localeOf({ locale }: JsonObject, otherwise: string): string {
  return typeof locale === 'string' && locale !== '' && locale.length <= limits.locale_chars ? locale : otherwise;
}

function metaOf({ trace_id, tool_id }: UiOrigin): Pick<UiSchemaRenderer, 'meta'> {
  if (trace_id === null && tool_id === undefined) return {};
  return {
    meta: { ...(trace_id !== null && { traceId: trace_id }), ...(tool_id !== undefined && { toolId: tool_id }) },
  };
}

/**
 * The card that `ui_hints` describe, made once where a result is taken (RA-7.7). What is stored and sent is only what
 * the schema knows: a type of node that it does not know becomes a `fallback`, and a tree that is over a cap or has
 * anything wrong in it is refused as a whole; its message then stands as text.
 */
export function compileUi(hints: Json, origin: UiOrigin): CompiledUi {
  const said = typeof hints === 'string' ? { text: hints } : hints;
  if (!isJsonObject(said)) return { refused: 'it is no object' };
  const root = rootOf(said);
  if (root === null) return { refused: 'it has neither a root nor any hint that is known' };
  const cap = overCap(root);
  if (cap !== null) return { refused: cap };
  const parsed = UiNode.safeParse(withKnownNodes(root));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { refused: `root${pathOf(issue?.path ?? [])}: ${issue?.message ?? 'is not valid'}` };
  }
  const fault = misplaced(parsed.data);
  if (fault !== null) return { refused: fault };
  const ui: UiSchemaRenderer = {
    version: UI_VERSION,
    locale: localeOf(said, origin.locale),
    status: UiStatus.catch('info').parse(said.status),
    theme: UiTheme.catch('default').parse(said.theme),
    ...metaOf(origin),
    root: parsed.data,
  };
  const bytes = utf8Length(JSON.stringify(ui));
  return bytes > limits.ui_bytes ? { refused: `it has more than ${limits.ui_bytes} bytes` } : { ui };
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
}
