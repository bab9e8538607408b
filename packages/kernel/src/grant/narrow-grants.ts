import type { AgentGrants } from '@rostra/protocol/config/agent-config';

/** What both lists have; one that is left out asks for nothing less than the other. */
function both<T>(own: T[] | undefined, within: T[] | undefined): T[] | undefined {
  if (own === undefined || within === undefined) return own ?? within;
  return own.filter((each) => within.includes(each));
}

/** Two reaches of which neither holds the other leave only what both hold: the conversation itself. */
function narrower(
  own: AgentGrants['history_scope'],
  within: AgentGrants['history_scope'],
): AgentGrants['history_scope'] {
  if (own === within || within === 'workspace') return own;
  return own === 'workspace' ? within : 'conversation';
}

/** The grants of an agent for the runs of one binding: what both allow, so that a binding never adds to an agent. */
export function narrowGrants(agent: AgentGrants, binding: AgentGrants): AgentGrants {
  return {
    models: both(agent.models, binding.models),
    tools: both(agent.tools, binding.tools),
    knowledge_bases: both(agent.knowledge_bases, binding.knowledge_bases),
    history: both(agent.history, binding.history),
    events: both(agent.events, binding.events),
    artifacts: both(agent.artifacts, binding.artifacts),
    storage: both(agent.storage, binding.storage),
    interactions: both(agent.interactions, binding.interactions),
    files: both(agent.files, binding.files),
    platform_api: both(agent.platform_api, binding.platform_api),
    state_scopes: agent.state_scopes.filter((each) => binding.state_scopes.includes(each)),
    history_scope: narrower(agent.history_scope, binding.history_scope),
    handover_to: both(agent.handover_to, binding.handover_to),
  };
}
