import { AgentConfig } from '@rostra/protocol/config/agent-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { RegistryChange, RegistryStore } from '../store/ports/registry.ts';

const KIND = 'agent';

/** An agent and where it is described: what the file says can only be changed there. */
export interface RegisteredAgent {
  readonly agent_id: string;
  readonly config: AgentConfig;
  /** As it was written, without the defaults. */
  readonly given: JsonObject;
  readonly source: 'file' | 'store';
  readonly is_read_only: boolean;
  /** What a change may name, so that it does not undo another one; null for what the file names. */
  readonly revision: number | null;
}

/** Agents of the file and agents made at run time, as one list. */
export class AgentRegistry {
  readonly #store: RegistryStore;
  readonly #file: () => Readonly<Record<string, AgentConfig>>;

  constructor(store: RegistryStore, file: () => Readonly<Record<string, AgentConfig>>) {
    this.#store = store;
    this.#file = file;
  }

  async list(): Promise<RegisteredAgent[]> {
    const file = this.#file();
    const own = Object.entries(file).map(
      ([agent_id, config]): RegisteredAgent => ({
        agent_id,
        config,
        given: JsonObject.parse(JSON.parse(JSON.stringify(config))),
        source: 'file',
        is_read_only: true,
        revision: null,
      }),
    );
    const rows = await this.#store.list(KIND);
    const made = rows.flatMap(({ key, value, revision }): RegisteredAgent[] => {
      // What an older version wrote and this one cannot read is left out, not lost: the row stays.
      const { data: config } = AgentConfig.safeParse(value);
      if (config === undefined || Object.hasOwn(file, key)) return [];
      return [
        { agent_id: key, config, given: JsonObject.parse(value), source: 'store', is_read_only: false, revision },
      ];
    });
    return [...own, ...made];
  }

  /** Only those that were made at run time. */
  async stored(): Promise<Record<string, AgentConfig>> {
    const agents = await this.list();
    return Object.fromEntries(
      agents.filter(({ source }) => source === 'store').map(({ agent_id, config }) => [agent_id, config]),
    );
  }

  async put(agent_id: string, config: unknown, change: RegistryChange): Promise<RegisteredAgent> {
    this.#refuseNamed(agent_id);
    if (agent_id.length === 0 || agent_id.length > limits.agent_id_chars) {
      throw new ApiError('invalid_argument', `An agent's id has 1 to ${limits.agent_id_chars} characters.`);
    }
    const parsed = AgentConfig.safeParse(config);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const at = issue?.path.join('.') ?? '';
      throw new ApiError(
        'invalid_argument',
        `The agent is not described rightly at "${at}": ${issue?.message ?? ''}.`,
        {
          details: { hint: 'docs/configuration.md says what an agent is made of.' },
        },
      );
    }
    // As it was given, not as it was read: defaults may change, and then they should change for it, too.
    const given = JsonObject.parse(JSON.parse(JSON.stringify(config)));
    const row = await this.#store.put(KIND, agent_id, given, change);
    return { agent_id, config: parsed.data, given, source: 'store', is_read_only: false, revision: row.revision };
  }

  /** Whether there was one. */
  async remove(agent_id: string, change: RegistryChange): Promise<boolean> {
    this.#refuseNamed(agent_id);
    return this.#store.delete(KIND, agent_id, change);
  }

  #refuseNamed(agent_id: string): void {
    if (!Object.hasOwn(this.#file(), agent_id)) return;
    throw new ApiError(
      'invalid_argument',
      `The agent ${JSON.stringify(agent_id)} is named in the configuration file and can only be changed there.`,
      {
        details: { hint: 'Change the file and run `rostra reload`, or use another id.' },
      },
    );
  }
}
