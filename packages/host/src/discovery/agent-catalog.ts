import { createHash } from 'node:crypto';
import { narrowGrants } from '@rostra/kernel/grant/narrow-grants';
import type { ModelMessage } from '@rostra/protocol/api/models';
import type { ActionPolicy, AgentBootstrap, AgentGrants, ProcessSharing } from '@rostra/protocol/config/agent-config';
import type { AgentLimits } from '@rostra/protocol/config/budget-config';
import type { AgentPolicy } from '@rostra/protocol/session/roster';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';

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
  /** How much it may use before a person is asked; nothing is counted for who has no limits. */
  readonly limits?: AgentLimits | undefined;
  /** What is done when it requests an action of the platform; what is not named is denied. */
  readonly actions?: Readonly<Record<string, ActionPolicy>> | undefined;
  /** What is done when it calls a tool; what is not named is for the tool's source to say. */
  readonly tools?: Readonly<Record<string, ActionPolicy>> | undefined;
  /** How long a run of it goes on without the client that started it as a stream. */
  readonly disconnect_grace?: number | undefined;
  /** What its owner wants a model to be told first. */
  readonly prompt?: readonly ModelMessage[] | undefined;
  /** Another one whenever anything above is. */
  readonly revision: string;
  /** Who made it: the file, a person at run time, discovery, or the host itself. */
  readonly source: 'file' | 'store' | 'detected' | 'found' | 'demo' | 'pipeline';
}

/** A binding with its revision. */
export function bindAgent(binding: Omit<AgentBinding, 'revision'>): AgentBinding {
  const revision = createHash('sha256').update(canonicalJson(binding)).digest('hex').slice(0, 16);
  return { ...binding, revision };
}

/** What the runs of an event binding may touch, by the binding's id. */
export type BindingGrants = ReadonlyMap<string, AgentGrants>;

/** The agents of this host. Ids are opaque and match byte for byte. */
export class AgentCatalog {
  #bindings: ReadonlyMap<string, AgentBinding>;
  #grants: BindingGrants;
  /** Made when they are asked for, and the same ones from then on: plans are kept by them. */
  readonly #bound = new Map<string, AgentBinding>();
  /** By what `lend` answered. */
  readonly #lent = new Map<string, AgentBinding>();

  constructor(bindings: readonly AgentBinding[], grants: BindingGrants = new Map()) {
    this.#bindings = byId(bindings);
    this.#grants = grants;
  }

  /** New runs see these; live ones keep what they have. */
  replace(bindings: readonly AgentBinding[], grants: BindingGrants = this.#grants): void {
    this.#bindings = byId(bindings);
    this.#grants = grants;
    this.#bound.clear();
  }

  /**
   * An agent that exists for certain runs only: it is listed nowhere. Answers with the binding's id for these runs, by
   * which they find it as it was lent, whatever is lent under its name later.
   */
  lend(binding: AgentBinding): string {
    const id = `lent:${binding.revision}`;
    const known = this.#lent.get(id) ?? binding;
    this.#lent.delete(id);
    this.#lent.set(id, known);
    const [oldest] = this.#lent.keys();
    if (this.#lent.size > limits.lent_agents && oldest !== undefined) this.#lent.delete(oldest);
    return id;
  }

  /** The agent as it is, or as an event binding lets it run: a binding that is gone lets nothing run. */
  find(agent_id: string, binding_id: string | null = null): AgentBinding | null {
    const lent = binding_id === null ? undefined : this.#lent.get(binding_id);
    if (lent?.agent_id === agent_id) return lent;
    const agent = this.#bindings.get(agent_id) ?? this.#lastLent(agent_id);
    if (agent === null || binding_id === null) return agent;
    if (lent !== undefined) return narrowed(agent, lent.grants);
    const grants = this.#grants.get(binding_id);
    return grants === undefined ? null : this.#boundTo(agent, binding_id, grants);
  }

  #lastLent(agent_id: string): AgentBinding | null {
    return [...this.#lent.values()].findLast((each) => each.agent_id === agent_id) ?? null;
  }

  #boundTo(agent: AgentBinding, binding_id: string, grants: AgentGrants): AgentBinding {
    const key = `${binding_id} ${agent.agent_id} ${agent.revision}`;
    const known = this.#bound.get(key);
    if (known !== undefined) return known;
    const bound = narrowed(agent, grants);
    this.#bound.set(key, bound);
    return bound;
  }

  /** In the order in which they were given: the default roster. */
  list(): AgentBinding[] {
    return [...this.#bindings.values()];
  }
}

function narrowed({ revision: _of_agent, ...agent }: AgentBinding, grants: AgentGrants): AgentBinding {
  return bindAgent({ ...agent, grants: narrowGrants(agent.grants, grants) });
}

function byId(bindings: readonly AgentBinding[]): ReadonlyMap<string, AgentBinding> {
  const map = new Map(bindings.map((binding) => [binding.agent_id, binding]));
  if (map.size !== bindings.length) throw new Error('two agents have the same id');
  return map;
}
