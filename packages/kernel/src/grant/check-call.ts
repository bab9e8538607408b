import type { StateScope } from '@rostra/protocol/config/agent-config';
import type {
  ArtifactOperation,
  HistoryOperation,
  KnowledgeOperation,
  ModelOperation,
  ToolOperation,
} from '@rostra/protocol/runner/resources';
import type { AgentAPIError, ApiErrorCode } from '@rostra/protocol/wire/api-error';
import type { Grant, GrantScope } from './grant.ts';

/** Where something lies that a call names, as the host found out; null when there is no such thing. */
export type CallTarget = Omit<GrantScope, 'subject_id'> & { readonly run_id?: string | null };

/**
 * Where an artifact may be read (CX-4.11): in one conversation; without one by every run of an agent; with neither by
 * its own run only.
 */
export type ArtifactPlace = Pick<CallTarget, 'workspace_id' | 'bot_id' | 'thread_id' | 'run_id'> & {
  readonly conversation_id: string | null;
  readonly agent_id?: string | null;
};

/**
 * One proxied call, as far as authorisation goes. `target` is left out when the call names nothing and so stays with the
 * run's own conversation.
 */
export type Call =
  | { family: 'models'; operation: ModelOperation; model_id: string }
  | { family: 'tools'; operation: ToolOperation; tool_name: string }
  /** Null: any base will do. */
  | { family: 'knowledge_bases'; operation: KnowledgeOperation; kb_id: string | null }
  | { family: 'history'; operation: HistoryOperation; target?: CallTarget | null }
  | { family: 'events'; operation: 'page'; target?: CallTarget | null }
  | { family: 'events'; operation: 'get'; target: CallTarget | null }
  | { family: 'artifacts'; operation: ArtifactOperation; target: ArtifactPlace | null }
  | { family: 'artifacts'; operation: 'write' }
  | { family: 'state'; scope: StateScope }
  /** Bytes on their way to storage have no area yet: they need any. */
  | { family: 'storage'; area: 'plugin' | 'workspace' | 'binding' | null }
  | { family: 'runs'; operation: 'get' | 'events_page' | 'cancel'; target: CallTarget | null }
  | { family: 'runs'; operation: 'list'; target?: CallTarget }
  | { family: 'platform_api'; action: string }
  /** Null: any kind will do. */
  | { family: 'interactions'; kind: string | null }
  | { family: 'prompt' | 'steering' };

function refused(code: ApiErrorCode, message: string): AgentAPIError {
  return { code, message, retryable: false, details: {} };
}

/** The same words whether or not the thing exists: a refusal tells nothing about what was not granted. */
const unauthorized = (what: string) => refused('unauthorized', `This run was not granted ${what}.`);
export const notFound = (what: string) => refused('not_found', `There is no such ${what} in the scope of this run.`);

/** Two nulls are the same missing thread or bot; a null and a name never are. */
function ownConversation({ scope }: Grant, target: Omit<ArtifactPlace, 'agent_id'>): boolean {
  return (
    target.workspace_id === scope.workspace_id &&
    target.bot_id === scope.bot_id &&
    target.conversation_id === scope.conversation_id &&
    target.thread_id === scope.thread_id
  );
}

function withinHistory(grant: Grant, target: CallTarget): boolean {
  if (ownConversation(grant, target)) return true;
  const { scope } = grant;
  if (target.workspace_id !== scope.workspace_id) return false;
  const reach = grant.resources.history.scope;
  if (reach === 'workspace') return true;
  if (reach === 'bot') return scope.bot_id !== null && target.bot_id === scope.bot_id;
  return reach === 'actor' && scope.actor_id !== null && target.actor_id === scope.actor_id;
}

interface Operable<O> {
  readonly operations: readonly O[];
}

function resourceCall<O>(resource: Operable<O> | undefined, operation: O, what: string): AgentAPIError | null {
  return resource?.operations.includes(operation) ? null : unauthorized(what);
}

function knowledgeCall(grant: Grant, call: Extract<Call, { family: 'knowledge_bases' }>): AgentAPIError | null {
  const { operation, kb_id } = call;
  const bases = grant.resources.knowledge_bases;
  if (kb_id !== null) {
    const base = bases.find((each) => each.kb_id === kb_id);
    return resourceCall(base, operation, `knowledge.${operation} on that knowledge base`);
  }
  return bases.some(({ operations }) => operations.includes(operation)) ? null : unauthorized(`knowledge.${operation}`);
}

function historyCall(grant: Grant, call: Extract<Call, { family: 'history' }>): AgentAPIError | null {
  if (!grant.apis[`history_${call.operation}`]) return unauthorized(`history.${call.operation}`);
  return conversationCall(grant, call.target);
}

function conversationCall(grant: Grant, target: CallTarget | null | undefined): AgentAPIError | null {
  if (target === undefined) return null;
  return target !== null && withinHistory(grant, target) ? null : unauthorized('that conversation');
}

function eventCall(grant: Grant, call: Extract<Call, { family: 'events' }>): AgentAPIError | null {
  if (!grant.apis[`event_${call.operation}`]) return unauthorized(`events.${call.operation}`);
  if (call.operation === 'page') return conversationCall(grant, call.target);
  const { target } = call;
  if (target === null) return notFound('event');
  return target.run_id === grant.run_id || withinHistory(grant, target) ? null : notFound('event');
}

function withinArtifact(grant: Grant, place: ArtifactPlace): boolean {
  if (place.workspace_id !== grant.scope.workspace_id) return false;
  if (place.conversation_id !== null) return ownConversation(grant, place);
  if (place.agent_id != null) return place.agent_id === grant.agent_id;
  return place.run_id === grant.run_id;
}

function artifactCall(grant: Grant, call: Extract<Call, { family: 'artifacts' }>): AgentAPIError | null {
  if (call.operation === 'write') return grant.artifacts.length > 0 ? null : unauthorized('artifacts.write');
  if (!grant.apis[`artifact_${call.operation}`]) return unauthorized(`artifacts.${call.operation}`);
  return call.target !== null && withinArtifact(grant, call.target) ? null : notFound('artifact');
}

function runCall(grant: Grant, call: Extract<Call, { family: 'runs' }>): AgentAPIError | null {
  if (!grant.apis[`run_${call.operation}`]) return unauthorized(`runs.${call.operation}`);
  if (call.operation === 'list') {
    return call.target === undefined || ownConversation(grant, call.target) ? null : unauthorized('that conversation');
  }
  return call.target !== null && ownConversation(grant, call.target) ? null : notFound('run');
}

function mayAsk({ interactions }: Grant, kind: string | null): boolean {
  return kind === null ? interactions.length > 0 : interactions.includes(kind);
}

/**
 * Decides one call by the run's grant and by nothing else (RP-7.4, RP-7.5): null when it may be made. A thing outside
 * the grant is `unauthorized`, an id of somebody else `not_found`, with the same answer whether or not it exists.
 */
export function checkCall(grant: Grant, call: Call): AgentAPIError | null {
  const { resources, apis } = grant;
  switch (call.family) {
    case 'models':
      return resourceCall(
        resources.models.find(({ model_id }) => model_id === call.model_id),
        call.operation,
        `models.${call.operation} on that model`,
      );
    case 'tools':
      return resourceCall(
        resources.tools.find(({ tool_name }) => tool_name === call.tool_name),
        call.operation,
        `tools.${call.operation} on that tool`,
      );
    case 'knowledge_bases':
      return knowledgeCall(grant, call);
    case 'history':
      return historyCall(grant, call);
    case 'events':
      return eventCall(grant, call);
    case 'artifacts':
      return artifactCall(grant, call);
    case 'state':
      return grant.state_scopes.includes(call.scope) ? null : unauthorized(`state of the scope ${call.scope}`);
    case 'storage':
      if (call.area === null) return apis.storage ? null : unauthorized('storage');
      return resources.storage[`${call.area}_storage`] ? null : unauthorized(`${call.area} storage`);
    case 'runs':
      return runCall(grant, call);
    case 'platform_api':
      return grant.platform_api.includes(call.action) ? null : unauthorized('that action of the platform');
    case 'interactions':
      return mayAsk(grant, call.kind) ? null : unauthorized('questions of that kind');
    case 'prompt':
      return apis.prompt_get ? null : unauthorized('prompt.get');
    case 'steering':
      return apis.steering_pull ? null : unauthorized('steering.pull');
  }
}
