import { agentOperations } from '@rostra/protocol/run-api/operations/agents';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** The agents that whoever is logged in may talk to. */
export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: async () => (await client.call(agentOperations.listAgents, {})).items,
  staleTime: 30_000,
});
