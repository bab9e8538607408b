import { UiStatus } from '@rostra/protocol/run-api/ui-schema';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';

function textOf(value: Json | undefined): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** `{ label: value, … }`, or items as the node itself has them. */
function kv(value: Json): Json {
  if (Array.isArray(value)) return { type: 'kv', items: value };
  const items = isJsonObject(value)
    ? Object.entries(value).map(([label, each]) => ({ label, value: textOf(each) ?? JSON.stringify(each) }))
    : value;
  return { type: 'kv', items };
}

/** Texts, or nodes. */
function list(value: Json): Json {
  const children = Array.isArray(value)
    ? value.map((each) => (isJsonObject(each) ? each : { type: 'text', content: textOf(each) ?? '', role: 'body' }))
    : value;
  return { type: 'list', children };
}

/** Each is a button as the node itself has it. */
function actions(value: Json): Json {
  const children = Array.isArray(value)
    ? value.map((each) => (isJsonObject(each) ? { type: 'button', ...each } : each))
    : value;
  return { type: 'stack', direction: 'horizontal', wrap: true, gap: 'small', appearance: 'plain', children };
}

function ofType(type: string): (value: Json) => Json {
  return (value) => (isJsonObject(value) ? { type, ...value } : { type });
}

const said =
  (role: string) =>
  (value: Json): Json => ({ type: 'text', content: value, role });

/** What simple hints may say, in the order in which it stands on the card. */
const simple: Readonly<Record<string, (value: Json) => Json>> = {
  title: said('title'),
  subtitle: said('subtitle'),
  image: ofType('image'),
  text: said('body'),
  markdown: (content) => ({ type: 'text', content, role: 'body', format: 'markdown' }),
  progress: (value) => (typeof value === 'number' ? { type: 'progress', value } : ofType('progress')(value)),
  kv,
  list,
  table: ofType('table'),
  code: (value) => (typeof value === 'string' ? { type: 'code', content: value } : ofType('code')(value)),
  link: ofType('link'),
  form: ofType('form'),
  actions,
};

/** A badge where a status is told with a word for it, `{status: 'success', badge: 'DONE'}`. */
function badge(hints: JsonObject): Json[] {
  const label = textOf(hints.badge);
  if (label === null) return [];
  return [{ type: 'badge', label, status: UiStatus.catch('info').parse(hints.status) }];
}

/** A card from simple hints; null when none of them is known. */
export function cardOf(hints: JsonObject): Json {
  const known = Object.entries(simple).flatMap(([name, node]): [string, Json][] => {
    const value = hints[name];
    return value === undefined || value === null ? [] : [[name, node(value)]];
  });
  const heads = known.filter(([name]) => name === 'title' || name === 'subtitle').map(([, node]) => node);
  const rest = known.filter(([name]) => name !== 'title' && name !== 'subtitle').map(([, node]) => node);
  const children = [...heads, ...badge(hints), ...rest];
  return children.length === 0 ? null : { type: 'stack', appearance: 'card', children };
}
