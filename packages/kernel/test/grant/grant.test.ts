import { type Call, type CallTarget, checkCall } from '@rostra/kernel/grant/check-call';
import { type GrantScope, grantOf } from '@rostra/kernel/grant/grant';
import { grantTerms, type HostOffers, type Identities, nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { AgentGrants } from '@rostra/protocol/config/agent-config';
import { AgentRunnerCapabilities, AgentRunnerPermissions } from '@rostra/protocol/runner/manifest';
import {
  AgentResources,
  KnowledgeBaseResource,
  ModelResource,
  StorageResource,
  ToolResource,
} from '@rostra/protocol/runner/resources';
import { ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const everything: HostOffers = {
  models: [
    ModelResource.parse({ model_id: 'large', operations: ['invoke', 'stream', 'count_tokens'] }),
    ModelResource.parse({ model_id: 'ranker', operations: ['rerank'] }),
  ],
  tools: [ToolResource.parse({ tool_name: 'weather', owner: 'host', operations: ['detail', 'call'] })],
  knowledge_bases: [KnowledgeBaseResource.parse({ kb_id: 'manual', operations: ['list', 'retrieve'] })],
  apis: ContextAPICapabilities.keyof().options,
  platform_api: ['message.edit', 'message.delete'],
};
const asksForAll = {
  permissions: AgentRunnerPermissions.parse({
    models: ['invoke', 'stream', 'rerank', 'count_tokens'],
    tools: ['detail', 'call'],
    knowledge_bases: ['list', 'retrieve'],
    history: ['page', 'search'],
    events: ['get', 'page'],
    artifacts: ['metadata', 'read'],
    storage: ['plugin', 'workspace', 'binding'],
    interactions: ['form'],
    files: ['inbox'],
    platform_api: ['message.edit', 'message.delete'],
  }),
  capabilities: AgentRunnerCapabilities.parse({ platform_api: true, interactions: true, steering: true }),
};
const asksForNothing = {
  permissions: AgentRunnerPermissions.parse({}),
  capabilities: AgentRunnerCapabilities.parse({}),
};
const known: Identities = { bot: true, actor: true, subject: true };
const scope: GrantScope = {
  workspace_id: 'w',
  bot_id: 'b',
  conversation_id: 'c',
  thread_id: null,
  actor_id: 'a',
  subject_id: 's',
};

type Change = Partial<Parameters<typeof grantTerms>[0]>;

function termsOf(change: Change = {}) {
  const grants = AgentGrants.parse({});
  return grantTerms({
    manifest: asksForAll,
    grants,
    steering: true,
    prompt: true,
    offers: everything,
    identities: known,
    ...change,
  });
}

function grant(change: Change = {}, own: Partial<GrantScope> = {}) {
  const run = { run_id: 't.1', runner_id: 'r', agent_id: 'guide', attachments: [] };
  return grantOf(termsOf(change), { ...run, scope: { ...scope, ...own } });
}

const grants = (policy: Parameters<typeof AgentGrants.parse>[0]) => ({ grants: AgentGrants.parse(policy) });

/** One call of every family. */
const calls: [string, Call][] = [
  ['models.invoke', { family: 'models', operation: 'invoke', model_id: 'large' }],
  ['tools.call', { family: 'tools', operation: 'call', tool_name: 'weather' }],
  ['knowledge.retrieve', { family: 'knowledge_bases', operation: 'retrieve', kb_id: 'manual' }],
  ['knowledge.list', { family: 'knowledge_bases', operation: 'list', kb_id: null }],
  ['history.page', { family: 'history', operation: 'page' }],
  ['history.search', { family: 'history', operation: 'search', target: scope }],
  ['events.get', { family: 'events', operation: 'get', target: scope }],
  ['events.page', { family: 'events', operation: 'page' }],
  ['artifacts.metadata', { family: 'artifacts', operation: 'metadata', target: scope }],
  ['artifacts.read', { family: 'artifacts', operation: 'read', target: scope }],
  ['storage.get', { family: 'storage', area: 'plugin' }],
  ['platform.request_action', { family: 'platform_api', action: 'message.edit' }],
  ['interactions', { family: 'interactions', kind: 'form' }],
  ['steering.pull', { family: 'steering' }],
];

describe('a grant', () => {
  test('has what manifest, policy and host all give', () => {
    const { resources, apis } = grant();
    expect(AgentResources.parse(resources)).toEqual(resources);
    expect(resources.models.map(({ model_id, operations }) => [model_id, operations])).toEqual([
      ['large', ['invoke', 'stream', 'count_tokens']],
      ['ranker', ['rerank']],
    ]);
    expect(resources.storage).toEqual({ plugin_storage: true, workspace_storage: true, binding_storage: true });
    expect(resources.history).toEqual({ operations: ['page', 'search'], scope: 'conversation' });
    expect(Object.values(apis)).toEqual(Array(14).fill(true));
  });

  test.each([
    ['a manifest that asks for nothing', { manifest: asksForNothing }],
    ['a host that offers nothing', { offers: nothingOffered }],
  ])('%s leaves no resource, and no empty list of operations', (_name, change: Change) => {
    const { resources } = grant(change);
    expect(resources).toEqual({
      models: [],
      tools: [],
      knowledge_bases: [],
      artifacts: [],
      storage: StorageResource.parse({}),
      history: {},
      platform_capabilities: {},
    });
  });

  test('a host that serves no call offers no API', () => {
    expect(Object.values(grant({ offers: nothingOffered }).apis)).toEqual(Array(14).fill(false));
  });

  test.each([
    ['models', { models: ['ranker'] }, 'large'],
    ['tools', { tools: [] }, 'weather'],
    ['knowledge_bases', { knowledge_bases: [] }, 'manual'],
  ] as const)('a policy that does not name it takes a resource of %s away', (family, policy, id) => {
    expect(JSON.stringify(grant(grants(policy)).resources[family])).not.toContain(id);
    expect(JSON.stringify(grant().resources[family])).toContain(id);
  });

  test.each([
    ['nothing', undefined, ['weather'], []],
    ['deny', { weather: 'deny' }, [], []],
    ['allow', { weather: 'allow' }, ['weather'], ['weather']],
    ['ask', { weather: 'ask' }, ['weather'], ['weather']],
    ['something of another tool', { other: 'allow' }, ['weather'], []],
  ] as const)(
    'a tool of which the agent’s policy says %s is granted unless it is denied',
    (_says, tools, open, denied) => {
      const names = (offers: HostOffers) => grant({ tools, offers }).resources.tools.map(({ tool_name }) => tool_name);
      expect(names(everything)).toEqual(open);
      expect(names({ ...everything, denied_tools: ['weather'] })).toEqual(denied);
    },
  );

  test('a policy cannot give what the manifest does not ask for, nor the reverse (check 37)', () => {
    const only = AgentRunnerPermissions.parse({ history: ['page'] });
    const both = { manifest: { ...asksForAll, permissions: only }, ...grants({ history: ['search'] }) };
    expect(grant(both).resources.history).toEqual({});
    expect(grant(both).apis).toMatchObject({ history_page: false, history_search: false });
  });

  test('a resource without an operation in common is left out, never given an empty list', () => {
    const permissions = AgentRunnerPermissions.parse({ models: ['rerank'] });
    const { models } = grant({ manifest: { ...asksForAll, permissions } }).resources;
    expect(models.map(({ model_id, operations }) => [model_id, operations])).toEqual([['ranker', ['rerank']]]);
  });

  test('state needs the identity that a scope is named after', () => {
    const nobody = { bot: false, actor: false, subject: false };
    expect(grant({ identities: nobody }).state_scopes).toEqual(['conversation', 'runner', 'binding']);
    expect(grant(grants({ state_scopes: ['actor', 'runner'] })).state_scopes).toEqual(['actor', 'runner']);
    expect(grant(grants({ state_scopes: [] })).apis.state).toBe(false);
  });

  test.each([
    ['actor', { bot: true, actor: false, subject: true }, 'conversation'],
    ['bot', { bot: false, actor: true, subject: true }, 'conversation'],
    ['actor', known, 'actor'],
    ['workspace', { bot: false, actor: false, subject: false }, 'workspace'],
  ] as const)('a history of the scope %s with %j reaches the %s', (history_scope, identities, reach) => {
    expect(grant({ ...grants({ history_scope }), identities }).resources.history.scope).toBe(reach);
  });

  test('steering needs the capability and the policy', () => {
    expect(grant({ steering: false }).apis.steering_pull).toBe(false);
    expect(grant({ manifest: { ...asksForAll, capabilities: asksForNothing.capabilities } }).apis.steering_pull).toBe(
      false,
    );
  });

  test('platform actions need the capability beside the permission (RP-3.13)', () => {
    const action: Call = { family: 'platform_api', action: 'message.edit' };
    const without = { ...asksForAll.capabilities, platform_api: false };
    const silent = grant({ manifest: { ...asksForAll, capabilities: without } });
    expect(silent.resources.platform_capabilities).toEqual({});
    expect(checkCall(silent, action)?.code).toBe('unauthorized');
    expect(grant().resources.platform_capabilities).toEqual({ actions: ['message.edit', 'message.delete'] });
  });

  test('names whom the agent may hand over to: its policy’s list, else the others of a usual session', () => {
    const told = (input: Parameters<typeof grant>[0]) => grant(input).resources.platform_capabilities.handover_to;
    expect(told({ peers: ['scout'] })).toEqual(['scout']);
    expect(told({ peers: ['scout'], ...grants({ handover_to: ['clerk'] }) })).toEqual(['clerk']);
    expect(told({ peers: ['scout'], ...grants({ handover_to: [] }) })).toBeUndefined();
  });

  test('a manifest that asks for more after an upgrade gets no more than the policy names (case 62)', () => {
    const before = { ...asksForAll, permissions: AgentRunnerPermissions.parse({ history: ['page'], storage: [] }) };
    const policy = grants({ history: ['page'], storage: [], models: [], events: [], artifacts: [], interactions: [] });
    const [old, upgraded] = [grant({ manifest: before, ...policy }), grant(policy)];
    expect(upgraded.resources.history).toEqual(old.resources.history);
    expect(upgraded.resources.storage).toEqual(old.resources.storage);
    expect([upgraded.resources.models, upgraded.artifacts, upgraded.interactions]).toEqual([[], [], []]);
    expect(upgraded.apis).toMatchObject({ history_search: false, event_get: false, artifact_read: false });
  });

  test('what came with the event is the run’s to read, if it may read any', () => {
    const attachments = [
      { artifact_id: 'f1', name: 'plan.pdf', mime_type: 'application/pdf', size_bytes: 7, sha256: null },
    ];
    const run = { run_id: 't.1', runner_id: 'r', agent_id: 'guide', scope, attachments };
    expect(grantOf(termsOf(), run).resources.artifacts).toMatchObject([
      { artifact_id: 'f1', operations: ['metadata', 'read'] },
    ]);
    expect(grantOf(termsOf(grants({ artifacts: [] })), run).resources.artifacts).toEqual([]);
  });

  test('stays as it was when its sources change, and cannot be changed itself (check 32)', () => {
    const permissions = structuredClone(asksForAll.permissions);
    const policy = AgentGrants.parse({ models: ['large'] });
    const offers = structuredClone(everything);
    const frozen = grant({ manifest: { ...asksForAll, permissions }, grants: policy, offers });
    const before = structuredClone(frozen);
    permissions.models.length = 0;
    policy.models?.push('ranker');
    offers.models[0]!.operations.length = 0;
    offers.tools[0]!.parameters = { stolen: true };
    expect(frozen).toEqual(before);
    expect(() => frozen.resources.models.push(offers.models[1]!)).toThrow(TypeError);
    expect(() => Object.assign(frozen.resources.models[0]!, { model_id: 'other' })).toThrow(TypeError);
    expect(() => Object.assign(frozen.scope, { conversation_id: 'other' })).toThrow(TypeError);
    expect(() => Object.assign(frozen.apis, { state: false })).toThrow(TypeError);
  });
});

describe('one call', () => {
  test.each(calls)('%s is allowed when everybody allows it', (_name, call) => {
    expect(checkCall(grant(), call)).toBeNull();
  });

  test.each(calls)('%s is unauthorized without the manifest’s permission (check 36)', (_name, call) => {
    expect(checkCall(grant({ manifest: asksForNothing }), call)?.code).toBe('unauthorized');
  });

  test('an operation that is not granted is refused although the model is (check 27)', () => {
    const permissions = AgentRunnerPermissions.parse({ models: ['invoke'] });
    const frozen = grant({ manifest: { ...asksForAll, permissions } });
    const call = (operation: 'invoke' | 'stream' | 'rerank' | 'count_tokens'): Call => {
      return { family: 'models', operation, model_id: 'large' };
    };
    expect(checkCall(frozen, call('invoke'))).toBeNull();
    for (const operation of ['stream', 'rerank', 'count_tokens'] as const) {
      expect(checkCall(frozen, call(operation))?.code).toBe('unauthorized');
    }
  });

  test('a model outside the grant and one that does not exist get the same answer', () => {
    const frozen = grant(grants({ models: ['ranker'] }));
    const call = (model_id: string): Call => ({ family: 'models', operation: 'invoke', model_id });
    expect(checkCall(frozen, call('large'))).toEqual(checkCall(frozen, call('nowhere')));
  });

  test('an id is compared and never read: whatever it is made of, it names its own model and no other (RP-10.3)', () => {
    const ids = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 2, maxLength: 2 });
    const look = (granted: string, asked: string) => {
      const models = [ModelResource.parse({ model_id: granted, operations: ['invoke'] })];
      const call: Call = { family: 'models', operation: 'invoke', model_id: asked };
      return checkCall(grant({ offers: { ...everything, models } }), call)?.code ?? null;
    };
    const alike: [string, string][] = [
      ['large', 'Large'],
      ['a', 'a '],
      ['é', 'e\u0301'],
      ['a/b', 'a%2Fb'],
      ['*', 'large'],
      ['..', '../..'],
    ];
    const check = fc.property(ids, ([one = '', other = '']) => {
      expect([look(one, one), look(one, other)]).toEqual([null, 'unauthorized']);
    });
    fc.assert(check, { examples: alike.map((pair) => [pair]) });
  });

  const foreign: [string, Partial<CallTarget>][] = [
    ['another conversation', { conversation_id: 'other' }],
    ['another thread (a null thread is no thread)', { thread_id: 'x' }],
    ['another bot', { bot_id: 'other' }],
    ['another workspace', { workspace_id: 'other' }],
  ];

  test.each(foreign)('history and events of %s are not within reach (checks 33–35)', (_name, change) => {
    const target = { ...scope, actor_id: 'somebody', ...change };
    const frozen = grant();
    expect(checkCall(frozen, { family: 'history', operation: 'page', target })?.code).toBe('unauthorized');
    expect(checkCall(frozen, { family: 'events', operation: 'get', target })?.code).toBe('not_found');
    expect(checkCall(frozen, { family: 'artifacts', operation: 'read', target })?.code).toBe('not_found');
    expect(checkCall(frozen, { family: 'runs', operation: 'get', target })?.code).toBe('not_found');
  });

  test('a conversation that does not exist is refused as a foreign one is', () => {
    const frozen = grant();
    const target = { ...scope, conversation_id: 'other' };
    for (const [family, operation] of [
      ['history', 'page'],
      ['events', 'get'],
      ['artifacts', 'read'],
      ['runs', 'cancel'],
    ] as const) {
      const call = (where: CallTarget | null) => checkCall(frozen, { family, operation, target: where } as Call);
      expect(call(null)).toEqual(call(target));
    }
  });

  test('an event of the same run is within reach wherever it lies', () => {
    const target = { ...scope, conversation_id: 'other', run_id: 't.1' };
    expect(checkCall(grant(), { family: 'events', operation: 'get', target })).toBeNull();
  });

  test.each([
    ['actor', { conversation_id: 'other', bot_id: 'other' }, true],
    ['actor', { conversation_id: 'other', actor_id: 'somebody' }, false],
    ['bot', { conversation_id: 'other', actor_id: 'somebody' }, true],
    ['bot', { conversation_id: 'other', bot_id: 'other' }, false],
    ['workspace', { conversation_id: 'other', bot_id: 'other', actor_id: 'somebody' }, true],
    ['workspace', { workspace_id: 'other' }, false],
  ] as const)('a history that is widened to the %s reaches %j: %s', (history_scope, change, within) => {
    const frozen = grant(grants({ history_scope }));
    const refusal = checkCall(frozen, { family: 'history', operation: 'page', target: { ...scope, ...change } });
    expect(refusal === null).toBe(within);
  });

  test('a widened scope never joins two strangers without a name', () => {
    const frozen = grant(grants({ history_scope: 'actor' }), { actor_id: null });
    const target = { ...scope, conversation_id: 'other', actor_id: null };
    expect(checkCall(frozen, { family: 'history', operation: 'page', target })?.code).toBe('unauthorized');
  });

  test('a scope of state or an area of storage that is not granted is refused (checks 38, 46)', () => {
    const frozen = grant(grants({ state_scopes: ['runner'], storage: ['plugin'] }));
    expect(checkCall(frozen, { family: 'state', scope: 'runner' })).toBeNull();
    expect(checkCall(frozen, { family: 'state', scope: 'conversation' })?.code).toBe('unauthorized');
    expect(checkCall(frozen, { family: 'storage', area: 'workspace' })?.code).toBe('unauthorized');
  });

  test('a run that may list runs may read those of its conversation', () => {
    expect(checkCall(grant(), { family: 'runs', operation: 'list' })).toBeNull();
    expect(checkCall(grant(), { family: 'runs', operation: 'cancel', target: scope })).toBeNull();
    expect(checkCall(grant({ offers: nothingOffered }), { family: 'runs', operation: 'list' })?.code).toBe(
      'unauthorized',
    );
    expect(checkCall(grant({ offers: nothingOffered }), { family: 'prompt' })?.code).toBe('unauthorized');
  });
});
