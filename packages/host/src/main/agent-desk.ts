import { AgentConfig } from '@rostra/protocol/config/agent-config';
import type { AgentDetails, AgentItem, AgentPatch, NewAgent } from '@rostra/protocol/run-api/agent-api';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { JsonObject } from '@rostra/protocol/wire/json';
import type { ManagementReason } from '@rostra/protocol/wire/reason';
import type { RegisteredAgent } from '../config/agent-registry.ts';
import { mergePatch } from '../config/merge-patch.ts';
import type { AgentBinding } from '../discovery/agent-catalog.ts';
import type { ExpectedRevision } from '../http/revision.ts';
import type { AgentDesk } from '../http/routes/agents.ts';
import type { Principal } from '../session/session-gateway.ts';
import type { SessionCare } from '../store/ports/session-care.ts';
import { type AdminTrail, tellAct } from './admin-act.ts';
import { withoutSecrets, withSecretsOf } from './agent-secrets.ts';
import type { HostAgents } from './host-agents.ts';
import type { LiveConfig } from './live-config.ts';

export interface AgentDeskOptions extends AdminTrail {
  readonly live: LiveConfig;
  readonly agents: HostAgents;
  readonly sessions: Pick<SessionCare, 'activeWith'>;
}

/** Agents as people manage them while the host runs. What the file describes stays as it is there. */
export class ManagedAgents implements AgentDesk {
  readonly #options: AgentDeskOptions;

  constructor(options: AgentDeskOptions) {
    this.#options = options;
  }

  list(): AgentItem[] {
    return this.#options.agents.catalog.list().map((binding) => this.#item(binding));
  }

  async get(agent_id: string): Promise<AgentDetails> {
    const { agents, live } = this.#options;
    const binding = agents.catalog.list().find((each) => each.agent_id === agent_id);
    const registered = (await live.agents.list()).find((each) => each.agent_id === agent_id);
    if (binding === undefined) throw noSuchAgent();
    return this.#details(binding, registered);
  }

  async create({ id, config }: NewAgent, by: Principal): Promise<AgentDetails> {
    const { live } = this.#options;
    const known = (await live.agents.list()).find(({ agent_id }) => agent_id === id);
    if (known?.source === 'file') throw readOnly(id, 'is named in the configuration file');
    if (known !== undefined)
      throw refused(
        'AGENT_EXISTS',
        `There is an agent ${quoted(id)} already.`,
        'Choose another id, or change that agent.',
      );
    await live.agents.put(id, withSecretsOf({}, config), this.#change(by, null));
    return this.#applied(id, 'agent.create', by);
  }

  async change(agent_id: string, { config: patch }: AgentPatch, expected: ExpectedRevision, by: Principal) {
    const before = await this.#own(agent_id);
    const config = withSecretsOf(before.given, mergePatch(before.given, patch));
    // Another change may come between reading and writing: what was read must still stand.
    const revision = typeof expected === 'number' ? expected : before.revision;
    await this.#options.live.agents.put(agent_id, config, this.#change(by, revision));
    return this.#applied(agent_id, 'agent.change', by);
  }

  async remove(
    agent_id: string,
    { expected, force }: { expected: ExpectedRevision; force: boolean },
    by: Principal,
  ): Promise<void> {
    const { live, agents, sessions } = this.#options;
    await this.#own(agent_id);
    const users = force ? [] : await sessions.activeWith(by.workspace_id, agent_id);
    if (users.length > 0) {
      const message = `The agent ${quoted(agent_id)} is the active one of ${users.length} sessions.`;
      throw refused('AGENT_IN_USE', message, 'Switch these sessions to another agent, or delete it with ?force=1.', {
        sessions: users.slice(0, 10),
      });
    }
    await live.agents.remove(agent_id, this.#change(by, typeof expected === 'number' ? expected : undefined));
    await live.refresh(async () => agents.rebind(live.stored_agents));
    tellAct(this.#options, by, 'agent.delete', agent_id);
  }

  /** One that was made at run time; any other can be changed elsewhere only. */
  async #own(agent_id: string): Promise<RegisteredAgent> {
    const { live, agents } = this.#options;
    const found = (await live.agents.list()).find((each) => each.agent_id === agent_id);
    if (found?.source === 'store') return found;
    const binding = agents.catalog.list().find((each) => each.agent_id === agent_id);
    if (binding === undefined) throw noSuchAgent();
    if (binding.source === 'file') throw readOnly(agent_id, 'is named in the configuration file');
    const whence = binding.source === 'demo' ? 'belongs to the demo' : 'comes with its runner';
    throw readOnly(agent_id, whence);
  }

  #change({ user_id }: Principal, expected: number | null | undefined) {
    return { at: this.#options.now(), by: `user:${user_id}`, ...(expected !== undefined && { expected }) };
  }

  async #applied(agent_id: string, action: string, by: Principal): Promise<AgentDetails> {
    const { live, agents } = this.#options;
    await live.refresh(async () => agents.rebind(live.stored_agents));
    tellAct(this.#options, by, action, agent_id);
    return this.get(agent_id);
  }

  #item({ agent_id, runner_id, label }: AgentBinding): AgentItem {
    const { agents } = this.#options;
    const manifest = agents.runners.list().find((each) => each.manifest.id === runner_id)?.manifest;
    return {
      id: agent_id,
      name: label ?? agent_id,
      description: englishOf(manifest?.description ?? null),
      isDefault: agents.default_agents[0] === agent_id,
    };
  }

  #details(binding: AgentBinding, registered: RegisteredAgent | undefined): AgentDetails {
    const { agents } = this.#options;
    const { runner_id, source } = binding;
    const config = registered?.config ?? configOf(binding);
    return {
      ...this.#item(binding),
      source,
      isReadOnly: source !== 'store',
      revision: registered?.revision ?? null,
      runnerId: runner_id,
      runnerIsThere: source === 'demo' || agents.runners.list().some(({ manifest }) => manifest.id === runner_id),
      config: withoutSecrets(JsonObject.parse(JSON.parse(JSON.stringify(config)))),
    };
  }
}

/** What an agent that nobody described looks like. */
function configOf({ runner_id, config }: AgentBinding): AgentConfig {
  return AgentConfig.parse({ runner: runner_id, config });
}

function englishOf(text: Readonly<Record<string, string>> | null): string | null {
  return text?.en_US ?? Object.values(text ?? {})[0] ?? null;
}

function quoted(id: string): string {
  return JSON.stringify(id);
}

function noSuchAgent(): ApiError {
  return new ApiError('not_found', 'there is no such agent', {
    details: { hint: 'GET /api/v1/agents lists those that there are.' },
  });
}

function readOnly(agent_id: string, why: string): ApiError {
  const hint =
    why === 'is named in the configuration file'
      ? 'Change the file and run `rostra reload`, or use another id.'
      : 'POST /api/v1/agents makes one of this id that takes its place.';
  return refused('AGENT_READ_ONLY', `The agent ${quoted(agent_id)} ${why} and cannot be changed here.`, hint);
}

function refused(reason: ManagementReason, message: string, hint: string, more: JsonObject = {}): ApiError {
  return new ApiError('invalid_argument', message, { details: { reason, hint, ...more } });
}
