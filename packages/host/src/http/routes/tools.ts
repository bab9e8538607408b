import { toolOperations as operations } from '@rostra/protocol/run-api/operations/tools';
import type {
  NewToolServer,
  ToolListing,
  ToolServerDetails,
  ToolServerItem,
  ToolServerPatch,
} from '@rostra/protocol/run-api/tool-api';
import type { Principal } from '../../session/session-gateway.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { type ExpectedRevision, etag, expectedOf } from '../revision.ts';

/** Tools and their servers as HTTP manages them. A refusal is an ApiError; no secret ever comes back. */
export interface ToolServerDesk {
  tools(): ToolListing[];
  list(): ToolServerItem[];
  get(server_id: string): ToolServerDetails;
  create(server: NewToolServer, by: Principal): Promise<ToolServerDetails>;
  change(
    server_id: string,
    patch: ToolServerPatch,
    expected: ExpectedRevision,
    by: Principal,
  ): Promise<ToolServerDetails>;
  remove(server_id: string, expected: ExpectedRevision, by: Principal): Promise<void>;
  /** Its tools as they are now. */
  approve(server_id: string, by: Principal): Promise<ToolServerDetails>;
}

export function toolRoutes({ servers }: { servers: ToolServerDesk }): ApiRoute[] {
  return [
    route(operations.listTools, async () => ({ status: 200, body: { items: servers.tools(), nextCursor: null } })),
    route(operations.listToolServers, async () => ({ status: 200, body: { items: servers.list(), nextCursor: null } })),
    route(operations.createToolServer, async ({ principal, body }) => {
      const made = await servers.create(body, principal);
      const location = `/api/v1/tools/servers/${encodeURIComponent(made.id)}`;
      return { status: 201, body: made, headers: { ...etag(made), Location: location } };
    }),
    route(operations.getToolServer, async ({ params }) => {
      const found = servers.get(params.serverId);
      return { status: 200, body: found, headers: etag(found) };
    }),
    route(operations.changeToolServer, async ({ principal, params, body, req }) => {
      const expected = expectedOf(req.headers['if-match']);
      const changed = await servers.change(params.serverId, body, expected, principal);
      return { status: 200, body: changed, headers: etag(changed) };
    }),
    route(operations.deleteToolServer, async ({ principal, params, req }) => {
      await servers.remove(params.serverId, expectedOf(req.headers['if-match']), principal);
      return { status: 204, body: null };
    }),
    route(operations.approveToolServer, async ({ principal, params }) => {
      const approved = await servers.approve(params.serverId, principal);
      return { status: 200, body: approved, headers: etag(approved) };
    }),
  ];
}
