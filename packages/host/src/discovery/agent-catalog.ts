import { createHash } from 'node:crypto';
import type { AgentBootstrap, AgentGrants, ProcessSharing } from '@rostra/protocol/config/agent-config';
import type { AgentPolicy } from '@rostra/protocol/session/roster';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import type { JsonObject } from '@rostra/protocol/wire/json';

/** An agent: a name, the runner that executes it, its configuration and policy. It never leaves the host (RP-2.4). */
export interface AgentBinding {
  readonly agent_id: string;
  readonly runner_id: string;
  readonly config: JsonObject;
  readonly policy: AgentPolicy;
  readonly label?: string | undefined;
  /** Which runs share its process; what the runner's package says unless told. */
  readonly processes?: ProcessSharing | undefined;
  /** Runner packages that it is bound to; any unless told. */
  readonly packages?: readonly string[] | undefined;
  readonly grants: AgentGrants;
  readonly bootstrap: AgentBootstrap;
  /** Another one whenever anything above is. */
  readonly revision: string;
  /** Who made it: the file, a person at run time, discovery, or the host itself. */
  readonly source: 'file' | 'store' | 'found' | 'demo';
}

/** A binding with its revision. */
export function bindAgent(binding: Omit<AgentBinding, 'revision'>): AgentBinding {
  const revision = createHash('sha256').update(canonicalJson(binding)).digest('hex').slice(0, 16);
  return { ...binding, revision };
}

/** The agents of this host. Ids are opaque and match byte for byte. */
export class AgentCatalog {
  #bindings: ReadonlyMap<string, AgentBinding>;

  constructor(bindings: readonly AgentBinding[]) {
    this.#bindings = byId(bindings);
  }

  /** New runs see these; live ones keep what they have. */
  replace(bindings: readonly AgentBinding[]): void {
    this.#bindings = byId(bindings);
  }

  find(agent_id: string): AgentBinding | null {
    return this.#bindings.get(agent_id) ?? null;
  }

  /** In the order in which they were given: the default roster. */
  list(): AgentBinding[] {
    return [...this.#bindings.values()];
  }
}

function byId(bindings: readonly AgentBinding[]): ReadonlyMap<string, AgentBinding> {
  const map = new Map(bindings.map((binding) => [binding.agent_id, binding]));
  if (map.size !== bindings.length) throw new Error('two agents have the same id');
  return map;
}
