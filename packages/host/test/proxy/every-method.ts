import type { Call } from '@rostra/kernel/grant/check-call';
import type { ApiMethodName, ApiParams } from '@rostra/protocol/api/api-methods';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { ApiService, ApiServices, ServedCall } from '../../src/proxy/api-family.ts';
import { GateBench, scope } from './gate-bench.ts';

/** A call that is right in every respect, and what it asks for. A method without its row does not compile. */
type EveryMethod = { readonly [M in ApiMethodName]: { readonly params: ApiParams<M>; readonly asks: Call } };

const { subject_id: _, ...target } = scope;
const message = { role: 'user' as const, content: 'Good morning' };
const asked = { model_id: 'large', messages: [message] };
const piece = { upload_id: 'u', offset: 0, content_base64: 'aGk=' };
const model = (operation: 'invoke' | 'stream' | 'rerank' | 'count_tokens'): Call => ({
  family: 'models',
  operation,
  model_id: 'large',
});
const state: Call = { family: 'state', scope: 'conversation' };
const storage: Call = { family: 'storage', area: 'plugin' };
const question: Call = { family: 'interactions', kind: 'form' };

export const everyMethod: EveryMethod = {
  'models.invoke': { params: asked, asks: model('invoke') },
  'models.stream': { params: asked, asks: model('stream') },
  'models.rerank': { params: { model_id: 'large', query: 'q', documents: ['d'] }, asks: model('rerank') },
  'models.count_tokens': { params: asked, asks: model('count_tokens') },
  'tools.get_detail': {
    params: { tool_name: 'weather' },
    asks: { family: 'tools', operation: 'detail', tool_name: 'weather' },
  },
  'tools.call': {
    params: { tool_name: 'weather' },
    asks: { family: 'tools', operation: 'call', tool_name: 'weather' },
  },
  'knowledge.list': { params: {}, asks: { family: 'knowledge_bases', operation: 'list', kb_id: null } },
  'knowledge.retrieve': {
    params: { kb_id: 'manual', query_text: 'q' },
    asks: { family: 'knowledge_bases', operation: 'retrieve', kb_id: 'manual' },
  },
  'history.page': { params: {}, asks: { family: 'history', operation: 'page' } },
  'history.search': { params: { query: 'q' }, asks: { family: 'history', operation: 'search' } },
  'events.get': { params: { event_id: 'e' }, asks: { family: 'events', operation: 'get', target } },
  'events.page': { params: {}, asks: { family: 'events', operation: 'page' } },
  'artifacts.metadata': { params: { artifact_id: 'a' }, asks: { family: 'artifacts', operation: 'metadata', target } },
  'artifacts.read_range': { params: { artifact_id: 'a' }, asks: { family: 'artifacts', operation: 'read', target } },
  'artifacts.open_stream': { params: { artifact_id: 'a' }, asks: { family: 'artifacts', operation: 'read', target } },
  'artifacts.write': { params: piece, asks: { family: 'artifacts', operation: 'write' } },
  'state.get': { params: { scope: 'conversation', key: 'k' }, asks: state },
  'state.set': { params: { scope: 'conversation', key: 'k', value: 1 }, asks: state },
  'state.delete': { params: { scope: 'conversation', key: 'k' }, asks: state },
  'state.list': { params: { scope: 'conversation' }, asks: state },
  'storage.get': { params: { area: 'plugin', key: 'k' }, asks: storage },
  'storage.set': { params: { area: 'plugin', key: 'k', value_base64: 'aGk=' }, asks: storage },
  'storage.write': { params: piece, asks: { family: 'storage', area: null } },
  'storage.delete': { params: { area: 'plugin', key: 'k' }, asks: storage },
  'storage.list': { params: { area: 'plugin' }, asks: storage },
  'steering.pull': { params: {}, asks: { family: 'steering' } },
  'prompt.get': { params: {}, asks: { family: 'prompt' } },
  'interactions.request': { params: { request: { kind: 'form', title: 'Name?' } }, asks: question },
  'interactions.get': { params: { interaction_id: 'i' }, asks: question },
  'interactions.wait': { params: { interaction_id: 'i' }, asks: question },
  'platform.request_action': {
    params: { action: 'message.edit' },
    asks: { family: 'platform_api', action: 'message.edit' },
  },
  'runs.get': { params: { target_run_id: 'r' }, asks: { family: 'runs', operation: 'get', target } },
  'runs.list': { params: {}, asks: { family: 'runs', operation: 'list' } },
  'runs.events_page': { params: { target_run_id: 'r' }, asks: { family: 'runs', operation: 'events_page', target } },
  'runs.cancel': { params: { target_run_id: 'r' }, asks: { family: 'runs', operation: 'cancel', target } },
};

export const methods = Object.keys(everyMethod) as ApiMethodName[];

/** One service for every method: it asks for what the row says, and tells that it was reached. */
export function servingAll(
  reached: (method: ApiMethodName, params: unknown, call: ServedCall) => unknown,
): ApiServices {
  const services: Partial<Record<ApiMethodName, ApiService<ApiMethodName>>> = {};
  for (const method of methods) {
    services[method] = {
      asks: () => everyMethod[method].asks,
      // The answers of a test are of no method's own shape.
      serve: async (params, _run, _push, call) => reached(method, params, call) as never,
    };
  }
  return services as ApiServices;
}

/** A gate in front of all of them, and which of them were reached. */
export function bench() {
  const reached: [method: ApiMethodName, params: unknown][] = [];
  const services = servingAll((method, params) => {
    reached.push([method, params]);
    return { done: true };
  });
  const gate = new GateBench(services);
  const ask = (run: Parameters<GateBench['call']>[0], method: ApiMethodName, change: JsonObject = {}) =>
    gate.call(run, method, { ...everyMethod[method].params, ...change } as JsonObject);
  return { gate, reached, ask };
}
