import { z } from 'zod';
import { operation, pageOf } from '../operation.ts';
import { NewToolServer, ToolListing, ToolServerDetails, ToolServerItem, ToolServerPatch } from '../tool-api.ts';

const tag = 'Tools';
const revision = z.object({
  'if-match': z.string().max(128).optional().describe('The `ETag` that must still hold; 412 when it does not.'),
});

/** Tools that agents may call, and the servers that they come from. */
export const toolOperations = {
  listTools: operation({
    id: 'listTools',
    method: 'GET',
    path: '/api/v1/tools',
    scope: 'admin',
    tag,
    summary: 'Every tool of the host and of its servers',
    answers: { 200: pageOf(ToolListing) },
    refusals: [],
  }),
  listToolServers: operation({
    id: 'listToolServers',
    method: 'GET',
    path: '/api/v1/tools/servers',
    scope: 'admin',
    tag,
    summary: 'Servers that tools come from, and how they are',
    answers: { 200: pageOf(ToolServerItem) },
    refusals: [],
  }),
  createToolServer: operation({
    id: 'createToolServer',
    method: 'POST',
    path: '/api/v1/tools/servers',
    scope: 'admin',
    tag,
    summary: 'Makes a server of tools',
    description:
      'It is connected in the background. A `command` is started with the rights of the host. An id of the configuration file is refused, and so is one that was made before.',
    body: NewToolServer,
    answers: { 201: ToolServerDetails },
    refusals: [409, 413, 415, 422],
  }),
  getToolServer: operation({
    id: 'getToolServer',
    method: 'GET',
    path: '/api/v1/tools/servers/{serverId}',
    scope: 'admin',
    tag,
    summary: 'One server as it is described, and how it is',
    answers: { 200: ToolServerDetails },
    refusals: [404],
  }),
  changeToolServer: operation({
    id: 'changeToolServer',
    method: 'PATCH',
    path: '/api/v1/tools/servers/{serverId}',
    scope: 'admin',
    tag,
    summary: 'Changes a server that was made at run time',
    description:
      'It is connected anew. Headers are kept for the address that they were given for: whoever changes `url` sends them again.',
    headers: revision,
    body: ToolServerPatch,
    answers: { 200: ToolServerDetails },
    refusals: [404, 409, 412, 413, 415, 422],
  }),
  deleteToolServer: operation({
    id: 'deleteToolServer',
    method: 'DELETE',
    path: '/api/v1/tools/servers/{serverId}',
    scope: 'admin',
    tag,
    summary: 'Deletes a server that was made at run time, and what was kept secret for it',
    headers: revision,
    answers: { 204: null },
    refusals: [404, 409, 412, 422],
  }),
  approveToolServer: operation({
    id: 'approveToolServer',
    method: 'POST',
    path: '/api/v1/tools/servers/{serverId}/approve',
    scope: 'admin',
    tag,
    summary: 'Approves the tools of a server as they are now',
    description:
      'Those that are new or have changed are offered to runs from here on, until the server changes them again.',
    answers: { 200: ToolServerDetails },
    refusals: [404, 409, 422],
  }),
};
