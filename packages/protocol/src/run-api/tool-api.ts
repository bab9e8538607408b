import { z } from 'zod';
import { ActionPolicy } from '../config/agent-config.ts';
import { ToolServerId } from '../config/tool-config.ts';
import { JsonObject } from '../wire/json.ts';
import { CapabilityProblem } from './capability-problem.ts';

const approval = z
  .enum(['approved', 'changed', 'new'])
  .describe('`changed` and `new` are not offered to runs until somebody approves the server.');

/** A tool as whoever runs the host sees it. */
export const ToolListing = z.object({
  name: z.string().describe('As agents call it.'),
  description: z.string(),
  source: z.string().describe('`host`, or `mcp:` and the id of its server.'),
  policy: ActionPolicy.describe('What is done when it is called, unless the agent’s policy names it.'),
  state: approval,
  parameters: JsonObject.describe('A JSON Schema.'),
});
export type ToolListing = z.infer<typeof ToolListing>;

/** A server of the Model Context Protocol as whoever runs the host sees it. */
export const ToolServerItem = z.object({
  id: z.string(),
  source: z.enum(['file', 'store']),
  isReadOnly: z.boolean().describe('Whether it can only be changed in the configuration file.'),
  transport: z.enum(['stdio', 'http']),
  isEnabled: z.boolean(),
  state: z.enum(['connecting', 'ready', 'failed', 'disabled']),
  problem: CapabilityProblem.nullable(),
  retryAt: z.string().nullable().describe('When it is tried again.'),
  tools: z.array(
    z.object({
      name: z.string().describe('As the server calls it.'),
      offeredAs: z.string().describe('As agents call it.'),
      state: approval,
      hash: z.string().describe('SHA-256 of everything that the server says of it.'),
    }),
  ),
});
export type ToolServerItem = z.infer<typeof ToolServerItem>;

/** The same with its whole description. */
export const ToolServerDetails = ToolServerItem.extend({
  revision: z.number().int().nullable().describe('Rises with every change; null for what was not made at run time.'),
  config: JsonObject.describe(
    'The server as `rostra.yaml` would describe it (docs/configuration.md). Values of `env` and `headers` and the query of `url` are shown as `(secret)`.',
  ),
});
export type ToolServerDetails = z.infer<typeof ToolServerDetails>;

/** `POST /api/v1/tools/servers` */
export const NewToolServer = z.strictObject({
  id: ToolServerId,
  config: JsonObject.describe(
    'As in `rostra.yaml` under `tools.servers.<id>` (docs/configuration.md): a `command` or a `url`. `env`, `headers` and the query of `url` are kept encrypted.',
  ),
});
export type NewToolServer = z.infer<typeof NewToolServer>;

/** `PATCH /api/v1/tools/servers/{serverId}`: what is null is taken out, what is left out stays. */
export const ToolServerPatch = z.strictObject({
  config: JsonObject.describe('A merge patch (RFC 7396) of the server’s description.'),
});
export type ToolServerPatch = z.infer<typeof ToolServerPatch>;
