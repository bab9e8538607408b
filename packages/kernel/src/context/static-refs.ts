import type { AgentGrants } from '@rostra/protocol/config/agent-config';
import type { StaticContextRef } from '@rostra/protocol/runner/run-context';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { GrantTerms } from '../grant/grant.ts';

/** sha256 of a text in hex, given by whoever may compute one. */
export type Hash = (text: string) => string;

/** How the content behind a reference is written down; another way to write it would give other hashes. */
const FORM = '1';

/** The parts of an agent that do not change from turn to turn. */
export interface StaticContent {
  readonly agent_id: string;
  readonly runner_id: string;
  readonly config: JsonObject;
  readonly grants: AgentGrants;
  readonly terms: GrantTerms;
}

/**
 * What a runner can build a prompt's stable beginning on (RP-4.37, CX-6.3): equal content gives an equal reference,
 * over turns, restarts and revisions that changed something else.
 */
export function staticRefs(content: StaticContent, hash: Hash): Record<string, StaticContextRef> {
  const { agent_id, runner_id, config, grants, terms } = content;
  const { platform_api, interactions, files, handover_to, state_scopes } = terms;
  const parts = {
    system_policy: { agent_id, runner_id, config, grants },
    platform_policy: { platform_api, interactions, files, handover_to, state_scopes },
    tool_schemas: terms.resources.tools,
    resource_manifest: terms.resources,
  };
  const place = `rostra:agents/${encodeURIComponent(agent_id)}`;
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      name,
      { ref: `${place}/${name}`, version: FORM, hash: hash(canonicalJson(part)) },
    ]),
  );
}
