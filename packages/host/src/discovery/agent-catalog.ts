import type { AgentPolicy } from '@rostra/protocol/session/roster';
import type { JsonObject } from '@rostra/protocol/wire/json';

/** An agent: a name, the runner that executes it, its configuration and policy. It never leaves the host (RP-2.4). */
export interface AgentBinding {
  readonly agent_id: string;
  readonly runner_id: string;
  readonly config: JsonObject;
  readonly policy: AgentPolicy;
}

/** The agents of this host. Ids are opaque and match byte for byte. */
export class AgentCatalog {
  readonly #bindings: ReadonlyMap<string, AgentBinding>;

  constructor(bindings: readonly AgentBinding[]) {
    this.#bindings = new Map(bindings.map((binding) => [binding.agent_id, binding]));
    if (this.#bindings.size !== bindings.length) throw new Error('two agents have the same id');
  }

  find(agent_id: string): AgentBinding | null {
    return this.#bindings.get(agent_id) ?? null;
  }

  /** In the order in which they were given: the default roster. */
  list(): AgentBinding[] {
    return [...this.#bindings.values()];
  }
}
