/**
 * What the specification says about the params of every call, written down once more and without the host's schemas: a
 * rule gives the code that its breach is refused with, or null.
 */

type Code = 'invalid_argument' | 'payload_too_large';
type Rule = (value: unknown) => Code | null;
type Rules = Readonly<Record<string, Rule>>;

const bad: Code = 'invalid_argument';
const PIECE = 1024 * 1024;
const BASE64_CHARS = Math.ceil(PIECE / 3) * 4;

const text =
  (min: number, max: number): Rule =>
  (value) =>
    typeof value === 'string' && value.length >= min && value.length <= max ? null : bad;
const anyText: Rule = (value) => (typeof value === 'string' ? null : bad);
const count =
  (min: number, max = Number.MAX_SAFE_INTEGER): Rule =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max ? null : bad;
const oneOf =
  (...words: string[]): Rule =>
  (value) =>
    typeof value === 'string' && words.includes(value) ? null : bad;
const bool: Rule = (value) => (typeof value === 'boolean' ? null : bad);
const json: Rule = (value) => (value === undefined ? bad : null);
const object: Rule = (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? null : bad);
const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined ? null : rule(value);
const nullish =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined || value === null ? null : rule(value);
const list =
  (rule: Rule, min = 0, max = Number.MAX_SAFE_INTEGER): Rule =>
  (value) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) return bad;
    return value.map(rule).find((code) => code !== null) ?? null;
  };
const shape =
  (rules: Rules): Rule =>
  (value) => {
    if (object(value) !== null) return bad;
    return broken(rules, value as Record<string, unknown>);
  };
/** More than crosses in one call is too large, not wrong. */
const length: Rule = (value) =>
  Number.isSafeInteger(value) && (value as number) > PIECE ? 'payload_too_large' : count(1)(value);
const base64: Rule = (value) => {
  if (typeof value !== 'string') return bad;
  return value.length > BASE64_CHARS ? 'payload_too_large' : null;
};

const id = text(1, 256);
const cursor = nullish(text(0, 256));
const limit = optional(count(1));
const scope = oneOf('conversation', 'actor', 'subject', 'runner', 'binding');
const area = oneOf('plugin', 'workspace', 'binding');
const stateKey = text(1, 128);
const storageKey = text(1, 512);
const upload = { upload_id: text(1, 128), offset: count(0), content_base64: base64 };
const messages = list(shape({ role: oneOf('system', 'user', 'assistant', 'tool'), content: nullish(anyText) }), 1);
const model = { model_id: id, messages, tools: optional(list(object)), extra_args: optional(object) };
const statuses = list(oneOf('queued', 'running', 'interrupted', 'completed', 'failed', 'cancelled'));
const filters = optional(
  shape({
    conversation_id: optional(anyText),
    thread_id: optional(anyText),
    event_types: optional(list(anyText)),
    roles: optional(list(anyText)),
    after: optional(count(Number.MIN_SAFE_INTEGER)),
    before: optional(count(Number.MIN_SAFE_INTEGER)),
  }),
);

export const paramRules: Readonly<Record<string, Rules>> = {
  'models.invoke': model,
  'models.stream': model,
  'models.count_tokens': model,
  'models.rerank': {
    model_id: id,
    query: text(1, 8192),
    documents: list(anyText, 1, 64),
    top_k: optional(count(1, 64)),
  },
  'tools.get_detail': { tool_name: id },
  'tools.call': { tool_name: id, parameters: optional(object) },
  'knowledge.list': {},
  'knowledge.retrieve': {
    kb_id: id,
    query_text: text(1, 1024),
    top_k: optional(count(1, 50)),
    filters: optional(object),
  },
  'history.page': {
    conversation_id: nullish(anyText),
    before_cursor: cursor,
    after_cursor: cursor,
    limit,
    direction: optional(oneOf('backward', 'forward')),
    include_artifacts: optional(bool),
  },
  'history.search': { query: text(1, 1024), filters, top_k: optional(count(1, 50)) },
  'events.get': { event_id: id },
  'events.page': {
    conversation_id: nullish(anyText),
    event_types: optional(list(anyText)),
    before_cursor: cursor,
    limit,
  },
  'artifacts.metadata': { artifact_id: id },
  'artifacts.read_range': { artifact_id: id, offset: optional(count(0)), length: optional(length) },
  'artifacts.open_stream': { artifact_id: id },
  'artifacts.write': upload,
  'state.get': { scope, key: stateKey },
  'state.set': { scope, key: stateKey, value: json },
  'state.delete': { scope, key: stateKey },
  'state.list': { scope, prefix: nullish(text(0, 128)), limit: optional(count(1, 1000)) },
  'storage.get': { area, key: storageKey, offset: optional(count(0)), length: optional(length) },
  'storage.set': { area, key: storageKey, value_base64: optional(base64), upload_id: optional(text(1, 128)) },
  'storage.write': upload,
  'storage.delete': { area, key: storageKey },
  'storage.list': { area, prefix: nullish(text(0, 512)), after: nullish(text(0, 512)) },
  'steering.pull': { mode: optional(oneOf('all', 'one-at-a-time')), limit: optional(count(1, 100)) },
  'prompt.get': {},
  'interactions.request': {
    request: shape({
      kind: oneOf('form', 'confirmation', 'choice'),
      title: text(0, 500),
      body: optional(anyText),
      fields: optional(list(object, 0, 50)),
      actions: optional(list(shape({ id: text(1, 128), label: text(0, 500) }), 0, 20)),
      expires_in: optional(count(1)),
    }),
  },
  'interactions.get': { interaction_id: anyText },
  'interactions.wait': { interaction_id: anyText },
  'platform.request_action': { action: text(1, 128), target: optional(object), payload: optional(object) },
  'runs.get': { target_run_id: id },
  'runs.list': { conversation_id: nullish(anyText), statuses: optional(statuses), before_cursor: cursor, limit },
  'runs.events_page': { target_run_id: id, before_cursor: cursor, after_cursor: cursor, limit },
  'runs.cancel': { target_run_id: id, reason: optional(text(0, 2048)) },
};

function broken(rules: Rules, params: Readonly<Record<string, unknown>>): Code | null {
  for (const [name, rule] of Object.entries(rules)) {
    const code = rule(Object.hasOwn(params, name) ? params[name] : undefined);
    if (code !== null) return code;
  }
  return null;
}

/** The code that these params are refused with, or null. */
export function paramFault(method: string, params: Readonly<Record<string, unknown>>): Code | null {
  const rules = paramRules[method];
  if (rules === undefined) throw new Error(`the model knows no ${method}`);
  return tooDeep(params, 0) || treacherous(params) ? bad : broken(rules, params);
}

const DEPTH = 32;

function tooDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= DEPTH || Object.values(value).some((each) => tooDeep(each, depth + 1));
}

/** A key that an object obeys instead of keeping it. */
function treacherous(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(treacherous);
}
