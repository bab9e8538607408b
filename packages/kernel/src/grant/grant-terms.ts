import type { ActionPolicy, AgentGrants, StateScope } from '@rostra/protocol/config/agent-config';
import type { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import type {
  HistoryOperation,
  HistoryResource,
  HistoryScope,
  KnowledgeBaseResource,
  ModelResource,
  ToolResource,
} from '@rostra/protocol/runner/resources';
import type { ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import { frozenCopy } from './frozen-copy.ts';
import type { GrantTerms } from './grant.ts';

/** What this host has to give. A resource names every operation that it can do; a call that is not served is no API. */
export interface HostOffers {
  readonly models: readonly ModelResource[];
  readonly tools: readonly ToolResource[];
  /** Those of them that nobody may call whose own policy does not name them; none unless told. */
  readonly denied_tools?: readonly string[];
  readonly knowledge_bases: readonly KnowledgeBaseResource[];
  readonly apis: readonly (keyof ContextAPICapabilities)[];
  readonly platform_api: readonly string[];
}

export const nothingOffered: HostOffers = { models: [], tools: [], knowledge_bases: [], apis: [], platform_api: [] };

/** Which identities an event has: a scope that is named after a missing one cannot be granted. */
export interface Identities {
  readonly bot: boolean;
  readonly actor: boolean;
  readonly subject: boolean;
}

export interface TermsInput {
  readonly manifest: Pick<AgentRunnerManifest, 'permissions' | 'capabilities'>;
  readonly grants: AgentGrants;
  /** The agent's policy lets inputs steer a live run. */
  readonly steering: boolean;
  /** The agent's owner wrote a prompt. */
  readonly prompt?: boolean;
  /** What the agent's policy says of calls of tools, by their names. */
  readonly tools?: Readonly<Record<string, ActionPolicy>> | undefined;
  readonly offers: HostOffers;
  readonly identities: Identities;
  /** Other agents of a usual session: whom it may hand over to where its policy names nobody. */
  readonly peers?: readonly string[];
}

/** Both sides must say yes; a policy that is silent leaves it to the manifest (RP-3.18). */
function both<T>(asked: readonly T[], allowed: readonly T[] | undefined): T[] {
  const once = [...new Set(asked)];
  return allowed === undefined ? once : once.filter((each) => allowed.includes(each));
}

/** A resource without any operation left is not granted; an empty list would say the opposite to older runners. */
function cut<O, R extends { operations: O[] }>(
  offered: readonly R[],
  permitted: readonly O[],
  named: (resource: R) => boolean,
): R[] {
  return offered.flatMap((resource) => {
    const operations = both(permitted, resource.operations);
    return operations.length === 0 || !named(resource) ? [] : [{ ...resource, operations }];
  });
}

function within(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.includes(name);
}

/** A tool that every call of would be refused is not granted: nobody need be told of it. */
function isDenied({ tools = {}, offers }: TermsInput, name: string): boolean {
  const policy = Object.hasOwn(tools, name) ? tools[name] : undefined;
  return policy === undefined ? offers.denied_tools?.includes(name) === true : policy === 'deny';
}

/** A scope whose identity the event does not have falls back to the run's own conversation. */
function historyScope(scope: HistoryScope, { actor, bot }: Identities): HistoryScope {
  if (scope === 'actor') return actor ? scope : 'conversation';
  if (scope === 'bot') return bot ? scope : 'conversation';
  return scope;
}

function historyOf(operations: HistoryOperation[], scope: HistoryScope): HistoryResource {
  return operations.length === 0 ? {} : { operations, scope };
}

function stateScopes(scopes: readonly StateScope[], { actor, subject }: Identities): StateScope[] {
  const missing = { conversation: false, actor: !actor, subject: !subject, runner: false, binding: false };
  return [...new Set(scopes)].filter((scope) => !missing[scope]);
}

/**
 * Manifest permissions ∩ agent policy ∩ scope (RP-3.18), for every run of one agent whose event has these identities. A
 * deep-frozen copy: what its sources become later changes no run (RP-5.2).
 */
export function grantTerms(input: TermsInput): GrantTerms {
  const { manifest, grants, steering, prompt = false, offers, identities, peers = [] } = input;
  const { permissions, capabilities } = manifest;
  const served = (api: keyof ContextAPICapabilities) => offers.apis.includes(api);
  const history = both(permissions.history, grants.history).filter((each) => served(`history_${each}`));
  const events = both(permissions.events, grants.events);
  const artifacts = both(permissions.artifacts, grants.artifacts).filter((each) => served(`artifact_${each}`));
  const areas = served('storage') ? both(permissions.storage, grants.storage) : [];
  const scopes = served('state') ? stateScopes(grants.state_scopes, identities) : [];
  const platform_api = capabilities.platform_api
    ? both(permissions.platform_api, grants.platform_api).filter((each) => offers.platform_api.includes(each))
    : [];
  const handovers = [...(grants.handover_to ?? peers)];
  const terms: GrantTerms = {
    resources: {
      models: cut(offers.models, permissions.models, ({ model_id }) => within(grants.models, model_id)),
      tools: cut(
        offers.tools,
        permissions.tools,
        ({ tool_name }) => within(grants.tools, tool_name) && !isDenied(input, tool_name),
      ),
      knowledge_bases: cut(offers.knowledge_bases, permissions.knowledge_bases, ({ kb_id }) =>
        within(grants.knowledge_bases, kb_id),
      ),
      artifacts: [],
      storage: {
        plugin_storage: areas.includes('plugin'),
        workspace_storage: areas.includes('workspace'),
        binding_storage: areas.includes('binding'),
      },
      history: historyOf(history, historyScope(grants.history_scope, identities)),
      platform_capabilities: {
        ...(platform_api.length > 0 && { actions: platform_api }),
        ...(handovers.length > 0 && { handover_to: handovers }),
      },
    },
    apis: {
      history_page: history.includes('page'),
      history_search: history.includes('search'),
      event_get: events.includes('get') && served('event_get'),
      event_page: events.includes('page') && served('event_page'),
      artifact_metadata: artifacts.includes('metadata'),
      artifact_read: artifacts.includes('read'),
      state: scopes.length > 0,
      storage: areas.length > 0,
      prompt_get: prompt && served('prompt_get'),
      steering_pull: capabilities.steering && steering && served('steering_pull'),
      run_get: served('run_get'),
      run_list: served('run_list'),
      run_events_page: served('run_events_page'),
      run_cancel: served('run_cancel'),
    },
    state_scopes: scopes,
    artifacts,
    interactions: capabilities.interactions ? both(permissions.interactions, grants.interactions) : [],
    files: both(permissions.files, grants.files),
    platform_api,
    // They run where their client is and touch nothing here: the policy that names tools of the host is not about them.
    client_tools: both(permissions.tools, ['detail', 'call']),
    handover_to: grants.handover_to ?? null,
  };
  return frozenCopy(terms);
}
