import type { AgentCatalog } from '../discovery/agent-catalog.ts';
import type { Principal } from '../session/session-gateway.ts';
import { PIPELINE } from './entry-event.ts';
import type { EventGateway } from './event-gateway.ts';
import type { PipelineAdapterOptions } from './pipeline-adapter.ts';
import { checkActor } from './submission.ts';

/** The event-first run of a pipeline's query: its binding is lent to the host, and the event goes the way of all. */
export function pipelineRun(parts: {
  gateway: Pick<EventGateway, 'take'>;
  agents: Pick<AgentCatalog, 'lend'>;
  owner: Principal;
}): PipelineAdapterOptions['run'] {
  const { gateway, agents, owner } = parts;
  return async (event, binding) => {
    checkActor(event.envelope.actor, { ...owner, user_id: PIPELINE });
    const lent_id = agents.lend(binding);
    const origin = { entry: 'pipeline' as const, principal: owner, speaker: PIPELINE };
    const { agent_id } = binding;
    return gateway.take(event, origin, () => ({ id: null, lent_id, agent_id, session: 'conversation' }));
  };
}
