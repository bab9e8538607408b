import type { AgentDetails, AgentItem, AgentPatch, NewAgent } from '@rostra/protocol/run-api/agent-api';
import { agentOperations as operations } from '@rostra/protocol/run-api/operations/agents';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Principal } from '../../session/session-gateway.ts';
import { type ApiRoute, route } from '../api-route.ts';

/** Which state a change was made for: a revision, any that there is, or whatever. */
export type ExpectedRevision = number | 'any' | undefined;

/** The agents of the host as HTTP manages them. A refusal is an ApiError. */
export interface AgentDesk {
  list(): AgentItem[];
  get(agent_id: string): Promise<AgentDetails>;
  create(agent: NewAgent, by: Principal): Promise<AgentDetails>;
  change(agent_id: string, patch: AgentPatch, expected: ExpectedRevision, by: Principal): Promise<AgentDetails>;
  remove(agent_id: string, options: { expected: ExpectedRevision; force: boolean }, by: Principal): Promise<void>;
}

function etag({ revision }: AgentDetails): Record<string, string> {
  return revision === null ? {} : { ETag: `"${revision}"` };
}

/** `If-Match: "7"`; any other text is one that the host has not given. */
function expectedOf(header: string | undefined): ExpectedRevision {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return 'any';
  const revision = /^"(\d{1,15})"$/.exec(header.trim())?.[1];
  if (revision !== undefined) return Number(revision);
  throw new ApiError('invalid_argument', 'If-Match: this is no ETag of an agent', {
    details: { in: 'header', path: 'if-match', hint: 'Send back the ETag as it was given, with its quotes.' },
  });
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
