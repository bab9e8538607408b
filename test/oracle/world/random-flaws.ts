import type { ApiMethodName } from '@rostra/protocol/api/api-methods';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import type { Prng } from '../../simulation/world/prng.ts';

const DEEP = 40;
const LARGE = 300 * 1024;

function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const wrongCounts: readonly Json[] = [0, -1, 1.5, '5', null, 1e300, [1]];
const wrongTexts: readonly Json[] = ['', 7, null, {}, 'x'.repeat(600)];

/** One thing that is wrong, by the name of the param that has it. */
const flaws: Readonly<Record<string, readonly Json[]>> = {
  limit: wrongCounts,
  top_k: wrongCounts,
  offset: [-1, 0.5, '0', null],
  length: [0, -1, '5', 1024 * 1024 + 1],
  key: [...wrongTexts, 'a\nb', 'constructor', '../up', 'k'.repeat(129), '数'.repeat(43)],
  prefix: [7, 'k'.repeat(600)],
  scope: ['everything', '', null, 'Conversation'],
  area: ['host', null, 'plugin '],
  content_base64: ['!!!', 'YQ', 7, 'YWI=YWI='],
  value_base64: ['!!!', 'YQ', 7],
  value: [nested(DEEP), 'x'.repeat(LARGE), { ['__proto__']: 1 }],
  before_cursor: [7, 'c'.repeat(300)],
  after_cursor: [7, {}],
  direction: ['sideways', null],
  filters: [7, { roles: 'user' }, { after: 'yesterday' }],
  statuses: ['completed', ['lost']],
  event_types: ['message.received', [7]],
  mode: ['some'],
  request: [{}, { kind: 'riddle', title: 'x' }, null],
  messages: [[], 'hi', [{ role: 'judge' }]],
  conversation_id: [7, {}],
};
const ids = [
  'artifact_id',
  'event_id',
  'target_run_id',
  'upload_id',
  'model_id',
  'tool_name',
  'kb_id',
  'query',
  'action',
];

/** The same call with one param wrong, missing, or beside the point; whose `run_id` is not touched. */
export function flawed(prng: Prng, _method: ApiMethodName, params: JsonObject): JsonObject {
  const names = Object.keys(params).filter((name) => name !== 'run_id');
  if (names.length === 0 || prng.chance(0.1)) {
    // What nobody asked for is no reason to refuse, unless it is treacherous or without end.
    const extra = prng.pick<JsonObject>([
      { caller: 'alpha', actor_id: 'ann' },
      JSON.parse('{"__proto__": {"run_id": "turn-1.1"}}'),
      { extra: nested(DEEP) },
    ]);
    return withOwn(params, extra);
  }
  const name = prng.pick(names);
  if (prng.chance(0.2)) return Object.fromEntries(Object.entries(params).filter(([each]) => each !== name));
  const wrong = ids.includes(name) ? wrongTexts : flaws[name];
  return wrong === undefined ? params : { ...params, [name]: prng.pick(wrong) };
}

/** A spread would obey `__proto__` instead of keeping it. */
function withOwn(params: JsonObject, extra: JsonObject): JsonObject {
  const all: JsonObject = { ...params };
  for (const [name, value] of Object.entries(extra)) {
    Object.defineProperty(all, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return all;
}
