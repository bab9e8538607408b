import type { AgentDetails } from '@rostra/protocol/run-api/agent-api';
import type { SentBodyOf } from '@rostra/protocol/run-api/operation';
import { agentOperations } from '@rostra/protocol/run-api/operations/agents';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { Caller, CallOptions } from '../caller.ts';
import { ifMatch } from '../revision.ts';

/** Who can answer on this host. */
export class Agents {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  list(options: CallOptions = {}) {
    return this.#caller.call(agentOperations.listAgents, options);
  }

  get(agentId: string, options: CallOptions = {}): Promise<AgentDetails> {
    return this.#caller.call(agentOperations.getAgent, { params: { agentId }, ...options });
  }

  create(body: SentBodyOf<typeof agentOperations.createAgent>): Promise<AgentDetails> {
    return this.#caller.call(agentOperations.createAgent, { body });
  }

  /** A merge patch of its description; with `revision` only if nobody changed it meanwhile. */
  change(agentId: string, config: JsonObject, { revision }: { revision?: number } = {}): Promise<AgentDetails> {
    const headers = ifMatch(revision);
    return this.#caller.call(agentOperations.changeAgent, { params: { agentId }, body: { config }, headers });
  }

  /** Refused while sessions use it, unless it is forced. */
  async delete(agentId: string, { force = false, revision }: { force?: boolean; revision?: number } = {}) {
    const query = force ? { force: '1' as const } : {};
    await this.#caller.call(agentOperations.deleteAgent, { params: { agentId }, query, headers: ifMatch(revision) });
  }
}
