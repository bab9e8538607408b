import { z } from 'zod';
import { JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { namedId } from './named-id.ts';

/** An agent as whoever may use it sees it. */
export const AgentItem = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  isDefault: z.boolean().describe('Whether it answers a message that names nobody in a new session.'),
});
export type AgentItem = z.infer<typeof AgentItem>;

/** Who described an agent: the file, a person at run time, a runner that no agent names, the demo. */
export const AgentSource = z.enum(['file', 'store', 'detected', 'found', 'demo', 'pipeline']);
export type AgentSource = z.infer<typeof AgentSource>;

/** An agent as whoever runs the host sees it. */
export const AgentDetails = AgentItem.extend({
  source: AgentSource,
  isReadOnly: z.boolean().describe('Whether it can only be changed in the configuration file.'),
  revision: z.number().int().nullable().describe('Rises with every change; null for what was not made at run time.'),
  runnerId: z.string(),
  runnerIsThere: z.boolean().describe('Whether some package offers its runner.'),
  config: JsonObject.describe(
    'The agent as `rostra.yaml` would describe it (docs/configuration.md). Values that are secrets by their names are shown as `(secret)`.',
  ),
});
export type AgentDetails = z.infer<typeof AgentDetails>;

const id = namedId(z.string().min(1).max(limits.agent_id_chars));

/** `POST /api/v1/agents` */
export const NewAgent = z.strictObject({
  id,
  config: JsonObject.describe('As in `rostra.yaml` under `agents.<id>` (docs/configuration.md); `runner` is needed.'),
});
export type NewAgent = z.infer<typeof NewAgent>;

/** `PATCH /api/v1/agents/{agentId}`: what is null is taken out, what is left out stays. */
export const AgentPatch = z.strictObject({
  config: JsonObject.describe('A merge patch (RFC 7396) of the agent’s description.'),
});
export type AgentPatch = z.infer<typeof AgentPatch>;
