import type { AgentDetails, AgentItem, AgentPatch, NewAgent } from '@rostra/protocol/run-api/agent-api';
import { agentOperations as operations } from '@rostra/protocol/run-api/operations/agents';
import type { Principal } from '../../session/session-gateway.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { type ExpectedRevision, etag, expectedOf } from '../revision.ts';

/** The agents of the host as HTTP manages them. A refusal is an ApiError. */
export interface AgentDesk {
  list(): AgentItem[];
  get(agent_id: string): Promise<AgentDetails>;
  create(agent: NewAgent, by: Principal): Promise<AgentDetails>;
  change(agent_id: string, patch: AgentPatch, expected: ExpectedRevision, by: Principal): Promise<AgentDetails>;
  remove(agent_id: string, options: { expected: ExpectedRevision; force: boolean }, by: Principal): Promise<void>;
}

export function agentRoutes({ agents }: { agents: AgentDesk }): ApiRoute[] {
  return [
    route(operations.listAgents, async () => ({ status: 200, body: { items: agents.list(), nextCursor: null } })),
    route(operations.createAgent, async ({ principal, body }) => {
      const made = await agents.create(body, principal);
      const location = `/api/v1/agents/${encodeURIComponent(made.id)}`;
      return { status: 201, body: made, headers: { ...etag(made), Location: location } };
    }),
    route(operations.getAgent, async ({ params }) => {
      const found = await agents.get(params.agentId);
      return { status: 200, body: found, headers: etag(found) };
    }),
    route(operations.changeAgent, async ({ principal, params, body, req }) => {
      const expected = expectedOf(req.headers['if-match']);
      const changed = await agents.change(params.agentId, body, expected, principal);
      return { status: 200, body: changed, headers: etag(changed) };
    }),
    route(operations.deleteAgent, async ({ principal, params, query, req }) => {
      const expected = expectedOf(req.headers['if-match']);
      await agents.remove(params.agentId, { expected, force: query.force === '1' }, principal);
      return { status: 204, body: null };
    }),
  ];
}
