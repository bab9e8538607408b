import type { ToolServerConfig } from '@rostra/protocol/config/tool-config';
import type { CapabilityProblem } from '@rostra/protocol/run-api/capability-problem';
import type {
  NewToolServer,
  ToolListing,
  ToolServerDetails,
  ToolServerItem,
  ToolServerPatch,
} from '@rostra/protocol/run-api/tool-api';
import { JsonObject, jsonObjectOf } from '@rostra/protocol/wire/json';
import type { BookedTool } from '../capabilities/tools/mcp/tool-book.ts';
import type { ToolPins } from '../capabilities/tools/mcp/tool-pins.ts';
import type { ToolServerStatus, ToolShelf } from '../capabilities/tools/tool-shelf.ts';
import type { OfferedTool } from '../capabilities/tools/tool-source.ts';
import { toolServerSecrets } from '../config/secret-parts.ts';
import type { ToolServerRegistry } from '../config/tool-server-registry.ts';
import type { ExpectedRevision } from '../http/revision.ts';
import type { ToolServerDesk } from '../http/routes/tools.ts';
import type { Principal } from '../session/session-gateway.ts';
import { type AdminTrail, tellAct } from './admin-act.ts';
import { problemOf, SealedDesk, type SealedWords } from './sealed-desk.ts';
import { masked } from './secret-change.ts';

export interface ToolServerDeskOptions extends AdminTrail {
  readonly registry: ToolServerRegistry;
  readonly shelf: Pick<ToolShelf, 'status' | 'approve' | 'offers' | 'find'>;
  readonly pins: Pick<ToolPins, 'of' | 'forget'>;
  /** Lets the shelf and the log see what changed. */
  readonly apply: () => Promise<void>;
}

/** What the shelf knows of a server; one whose secrets cannot be read is not on it. */
type Shown = Pick<ToolServerStatus, 'server_id' | 'source' | 'config' | 'state' | 'retry_at' | 'tools'> & {
  readonly problem: CapabilityProblem | null;
};

const words: SealedWords = {
  noun: 'tool server',
  act: 'tool_server',
  exists: 'TOOL_SERVER_EXISTS',
  read_only: 'TOOL_SERVER_READ_ONLY',
  list: '/api/v1/tools/servers',
};

/** Servers of tools as people manage them while the host runs. */
export class ManagedToolServers implements ToolServerDesk {
  readonly #options: ToolServerDeskOptions;
  readonly #desk: SealedDesk<ToolServerConfig>;

  constructor(options: ToolServerDeskOptions) {
    this.#options = options;
    this.#desk = new SealedDesk({ ...options, words, elsewhere: () => null });
  }

  tools(): ToolListing[] {
    const { shelf } = this.#options;
    const own = shelf.offers().flatMap(({ tool_name, tool_type }) => {
      const found = tool_type === 'mcp' ? null : shelf.find(tool_name);
      return found === null ? [] : [toolItem(found.tool, 'approved')];
    });
    const served = shelf.status().flatMap(({ tools }) => tools);
    return [...own, ...served.map(({ offered, approval }) => toolItem(offered, approval))];
  }

  list(): ToolServerItem[] {
    return this.#shown().map(serverItem);
  }

  get(server_id: string): ToolServerDetails {
    const server = this.#find(server_id);
    const stored = this.#options.registry.entries.find(({ id }) => id === server_id);
    return {
      ...serverItem(server),
      revision: stored?.revision ?? null,
      config: masked(JsonObject.parse(JSON.parse(JSON.stringify(server.config))), toolServerSecrets),
    };
  }

  async create({ id, config }: NewToolServer, by: Principal): Promise<ToolServerDetails> {
    await this.#desk.create(id, config, by);
    return this.get(id);
  }

  async change(
    server_id: string,
    { config }: ToolServerPatch,
    expected: ExpectedRevision,
    by: Principal,
  ): Promise<ToolServerDetails> {
    await this.#desk.change(server_id, config, expected, by);
    return this.get(server_id);
  }

  async remove(server_id: string, expected: ExpectedRevision, by: Principal): Promise<void> {
    const { pins, now } = this.#options;
    await this.#desk.remove(server_id, expected, by);
    // Whoever makes another server of this id has not seen what this one was approved for.
    const change = { at: now(), by: `user:${by.user_id}` };
    for (const tool of (await pins.of(server_id)).keys()) await pins.forget(server_id, tool, change);
  }

  async approve(server_id: string, by: Principal): Promise<ToolServerDetails> {
    const { locked } = this.#options.registry.entries.find(({ id }) => id === server_id) ?? { locked: null };
    if (locked !== null) throw locked;
    this.#find(server_id);
    await this.#options.shelf.approve(server_id, `user:${by.user_id}`);
    const approved = this.get(server_id);
    const hashes = Object.fromEntries(approved.tools.map(({ name, hash }) => [name, hash]));
    tellAct(this.#options, by, 'tool_server.approve', server_id, { tools: hashes });
    return approved;
  }

  #find(server_id: string): Shown {
    const found = this.#shown().find((each) => each.server_id === server_id);
    if (found === undefined) throw this.#desk.notFound();
    return found;
  }

  #shown(): Shown[] {
    const { shelf, registry } = this.#options;
    const known = shelf.status().map((status) => ({ ...status, problem: troubleOf(status) }));
    const locked = registry.entries.flatMap(({ id, config, locked: error }): Shown[] =>
      error === null
        ? []
        : [
            {
              server_id: id,
              source: 'store',
              config,
              state: 'failed',
              retry_at: null,
              tools: [],
              problem: problemOf(error),
            },
          ],
    );
    return [...known, ...locked].toSorted((a, b) => (a.server_id < b.server_id ? -1 : 1));
  }
}

function toolItem({ resource, policy }: OfferedTool, state: BookedTool['approval']): ToolListing {
  return {
    name: resource.tool_name,
    description: resource.description ?? '',
    source: resource.owner ?? '',
    policy,
    state,
    parameters: jsonObjectOf(resource.parameters),
  };
}

function serverItem({ server_id, source, config, state, problem, retry_at, tools }: Shown): ToolServerItem {
  return {
    id: server_id,
    source,
    isReadOnly: source === 'file',
    transport: 'command' in config ? 'stdio' : 'http',
    isEnabled: config.enabled,
    state,
    problem,
    retryAt: retry_at === null ? null : new Date(retry_at).toISOString(),
    tools: tools.map(({ served, offered, approval }) => ({
      name: served.name,
      offeredAs: offered.resource.tool_name,
      state: approval,
      hash: served.hash,
    })),
  };
}

function troubleOf({ problem, hint }: ToolServerStatus): CapabilityProblem | null {
  return problem === null ? null : { reason: 'TOOL_SERVER_FAILED', message: problem, hint };
}
