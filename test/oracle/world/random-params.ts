import type { ApiMethodName } from '@rostra/protocol/api/api-methods';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import type { Prng } from '../../simulation/world/prng.ts';
import type { CallSources } from './call.ts';

type Maker = (prng: Prng, sources: CallSources) => JsonObject;

const scope = (prng: Prng) => prng.pick(['conversation', 'actor', 'subject', 'runner', 'binding']);
const area = (prng: Prng) => prng.pick(['plugin', 'workspace', 'binding']);
const key = (prng: Prng) => prng.pick(['k1', 'k2', 'k3', 'k1/x', 'external.session_id', 'conversation_id', '数据库']);
const bytes = (prng: Prng) => Buffer.alloc(prng.pick([0, 1, 3, 40]), prng.pick(['a', 'b'])).toString('base64');
const conversation = (prng: Prng) => prng.pick([null, null, 'w-c1', 'w-c2', 'w-c3', 'x-c1', 'w-c9']);
const artifact = (prng: Prng) => `artifact-${prng.below(17)}`;
const ranRun = (prng: Prng, { live, ended }: CallSources) => {
  const past = Array.from({ length: 16 }, (_, index) => `past-${index}.1`);
  return prng.pick([...past, ...live.map(({ run_id }) => run_id), ...ended.slice(-4)]);
};
const messages: Json = [{ role: 'user', content: 'hi' }];

/** Leaves some of the params out that may be left out. */
function perhaps(prng: Prng, params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(() => prng.chance(0.4)));
}

const page = (prng: Prng) => ({ limit: prng.pick([1, 2, 5, 100, 5000]) });
function cursors(prng: Prng, { cursors: given }: CallSources, ...names: string[]): JsonObject {
  if (given.length === 0 || prng.chance(0.5)) return {};
  const recent = given.slice(-20);
  return {
    [prng.pick(names)]: prng.pick([...recent, null, `${prng.pick(recent)}x`, 'forged', 'MQ.AAAAAAAAAAAAAAAAAAAAAA']),
  };
}

const upload: Maker = (prng) => ({
  upload_id: `u${prng.below(12)}`,
  offset: prng.pick([0, 0, 0, 1, 3, 40]),
  content_base64: bytes(prng),
});
const model: Maker = () => ({ model_id: 'm1', messages });
// To wait for one that is open would be for ever.
const unknown: Maker = (prng) => ({ interaction_id: `q-${prng.below(4)}` });
const question: Maker = (prng, { questions }) => ({ interaction_id: prng.pick(['q-1', ...questions.slice(-6)]) });
const target: Maker = (prng, sources) => ({ target_run_id: ranRun(prng, sources) });

const makers: Readonly<Record<ApiMethodName, Maker>> = {
  'models.invoke': model,
  'models.stream': model,
  'models.count_tokens': model,
  'models.rerank': () => ({ model_id: 'm1', query: 'q', documents: ['d'] }),
  'tools.get_detail': () => ({ tool_name: 'hammer' }),
  'tools.call': () => ({ tool_name: 'hammer', parameters: {} }),
  'knowledge.list': () => ({}),
  'knowledge.retrieve': () => ({ kb_id: 'kb', query_text: 'q' }),
  'history.page': (prng, sources) => ({
    ...perhaps(prng, {
      conversation_id: conversation(prng),
      direction: prng.pick(['backward', 'forward']),
      include_artifacts: true,
      ...page(prng),
    }),
    ...cursors(prng, sources, 'before_cursor', 'after_cursor'),
  }),
  'history.search': (prng) => ({
    query: prng.pick(['database', 'tulips', '连接串', '用户之前提到的数据库连接信息', 'nothing OR "', '%']),
    ...perhaps(prng, {
      filters: perhaps(prng, {
        conversation_id: prng.pick(['w-c1', 'w-c2', 'w-c3', 'x-c1', 'w-c9']),
        roles: ['user'],
        thread_id: 'thread-1',
      }),
      top_k: prng.pick([1, 50]),
    }),
  }),
  'events.get': (prng) => ({ event_id: `event-${prng.below(34)}` }),
  'events.page': (prng, sources) => ({
    ...perhaps(prng, { conversation_id: conversation(prng), event_types: ['message.received'], ...page(prng) }),
    ...cursors(prng, sources, 'before_cursor'),
  }),
  'artifacts.metadata': (prng) => ({ artifact_id: artifact(prng) }),
  'artifacts.read_range': (prng) => ({
    artifact_id: artifact(prng),
    ...perhaps(prng, { offset: prng.pick([0, 1, 50, 4999, 9000]), length: prng.pick([1, 64, 1024 * 1024]) }),
  }),
  'artifacts.open_stream': (prng) => ({ artifact_id: artifact(prng) }),
  'artifacts.write': upload,
  'state.get': (prng) => ({ scope: scope(prng), key: key(prng) }),
  'state.set': (prng) => ({
    scope: scope(prng),
    key: key(prng),
    value: prng.pick<Json>([null, 1, 'v', [1, { a: null }], { b: '数据库' }, prng.below(1000)]),
  }),
  'state.delete': (prng) => ({ scope: scope(prng), key: key(prng) }),
  'state.list': (prng) => ({
    scope: scope(prng),
    ...perhaps(prng, { prefix: prng.pick([null, 'k', 'k1']), limit: prng.pick([1, 1000]) }),
  }),
  'storage.get': (prng) => ({
    area: area(prng),
    key: key(prng),
    ...perhaps(prng, { offset: prng.pick([0, 1, 39, 90]), length: prng.pick([1, 40]) }),
  }),
  'storage.set': (prng) => ({
    area: area(prng),
    key: key(prng),
    ...prng.pick<JsonObject>([
      { value_base64: bytes(prng) },
      { value_base64: bytes(prng) },
      { upload_id: `u${prng.below(12)}` },
      {},
      { value_base64: '', upload_id: 'u1' },
    ]),
  }),
  'storage.write': upload,
  'storage.delete': (prng) => ({ area: area(prng), key: key(prng) }),
  'storage.list': (prng) => ({
    area: area(prng),
    ...perhaps(prng, { prefix: prng.pick([null, 'k', 'k1']), after: 'k1' }),
  }),
  'steering.pull': (prng) => perhaps(prng, { mode: prng.pick(['all', 'one-at-a-time']), limit: 5 }),
  'prompt.get': () => ({}),
  'interactions.request': (prng) => ({
    request: {
      kind: prng.pick(['form', 'confirmation', 'choice']),
      title: 'Sure?',
      ...perhaps(prng, { actions: [{ id: 'yes', label: 'Yes' }], expires_in: prng.pick([1, 86_400_000, 86_400_001]) }),
    },
  }),
  'interactions.get': question,
  'interactions.wait': unknown,
  'platform.request_action': (prng) => ({ action: prng.pick(['message.edit', 'message.delete', 'member.kick']) }),
  'runs.get': target,
  'runs.list': (prng, sources) => ({
    ...perhaps(prng, { conversation_id: conversation(prng), statuses: ['completed', 'failed'], ...page(prng) }),
    ...cursors(prng, sources, 'before_cursor'),
  }),
  'runs.events_page': (prng, sources) => ({
    ...target(prng, sources),
    ...perhaps(prng, page(prng)),
    ...cursors(prng, sources, 'before_cursor', 'after_cursor'),
  }),
  'runs.cancel': (prng, sources) => ({ ...target(prng, sources), ...perhaps(prng, { reason: 'enough' }) }),
};

/** Params as an honest runner writes them, about things that are there, are another's, or never were. */
export function randomParams(prng: Prng, method: ApiMethodName, sources: CallSources): JsonObject {
  return makers[method](prng, sources);
}
