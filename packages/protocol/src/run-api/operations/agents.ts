import { z } from 'zod';
import { AgentDetails, AgentItem, AgentPatch, NewAgent } from '../agent-api.ts';
import { operation, pageOf } from '../operation.ts';

const tag = 'Agents';
const revision = z.object({
  'if-match': z.string().max(128).optional().describe('The `ETag` that must still hold; 412 when it does not.'),
});

/** Who can answer on this host. */
export const agentOperations = {
  listAgents: operation({
    id: 'listAgents',
    method: 'GET',
    path: '/api/v1/agents',
    scope: 'runs',
    tag,
    summary: 'Agents that the caller may use',
    answers: { 200: pageOf(AgentItem) },
    refusals: [],
  }),
  createAgent: operation({
    id: 'createAgent',
    method: 'POST',
    path: '/api/v1/agents',
    scope: 'admin',
    tag,
    summary: 'Makes an agent',
    description:
      'New runs see it at once. An id of the configuration file is refused, and so is one that was made before; an agent that a runner or the demo brought along is replaced.',
    body: NewAgent,
    answers: { 201: AgentDetails },
    refusals: [409, 413, 415, 422],
  }),
  getAgent: operation({
    id: 'getAgent',
    method: 'GET',
    path: '/api/v1/agents/{agentId}',
    scope: 'admin',
    tag,
    summary: 'One agent as it is described',
    answers: { 200: AgentDetails },
    refusals: [404],
  }),
  changeAgent: operation({
    id: 'changeAgent',
    method: 'PATCH',
    path: '/api/v1/agents/{agentId}',
    scope: 'admin',
    tag,
    summary: 'Changes an agent that was made at run time',
    description: 'New runs see the change; live ones keep what they have.',
    headers: revision,
    body: AgentPatch,
    answers: { 200: AgentDetails },
    refusals: [404, 409, 412, 413, 415, 422],
  }),
  deleteAgent: operation({
    id: 'deleteAgent',
    method: 'DELETE',
    path: '/api/v1/agents/{agentId}',
    scope: 'admin',
    tag,
    summary: 'Deletes an agent that was made at run time',
    description: 'Refused with 409 while it is the active agent of sessions, unless `force` is 1.',
    headers: revision,
    query: z.object({ force: z.enum(['0', '1']).optional() }),
    answers: { 204: null },
    refusals: [404, 409, 412, 422],
  }),
};
