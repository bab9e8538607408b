import type { ToolServerConfig, ToolsConfig } from '@rostra/protocol/config/tool-config';
import type { ToolResource } from '@rostra/protocol/runner/resources';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import type { AuditEntry } from '../../store/ports/audit.ts';
import type { RegistryStore } from '../../store/ports/registry.ts';
import type { ToolClock } from './mcp/call-limit.ts';
import { type McpGround, McpServer, type McpServerStatus } from './mcp/mcp-server.ts';
import type { SamplingModels } from './mcp/sampling.ts';
import type { ToolServerLine } from './mcp/server-log.ts';
import type { ProcessList } from './mcp/stdio-transport.ts';
import { ToolPins } from './mcp/tool-pins.ts';
import type { OfferedTool, ToolSource } from './tool-source.ts';

export interface ToolShelfOptions {
  /** The tools that the host itself has. */
  readonly own: ToolSource;
  readonly registry: Pick<RegistryStore, 'list' | 'put' | 'delete'>;
  readonly clock: ToolClock;
  /** Where programs of servers have their homes, and what their environment is chosen from. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly workspace_id: string;
  readonly audit: (entry: AuditEntry) => void;
  readonly log: (line: ToolServerLine) => void;
  /** For servers that were given a model. */
  readonly models?: SamplingModels;
  readonly processes?: ProcessList;
}

/** A server and where it was configured. */
export interface ToolServerStatus extends Omit<McpServerStatus, 'state'> {
  readonly server_id: string;
  readonly source: 'file' | 'store';
  readonly config: ToolServerConfig;
  readonly state: McpServerStatus['state'] | 'disabled';
}

interface Shelved {
  readonly source: 'file' | 'store';
  readonly config: ToolServerConfig;
  /** Null while it is disabled. */
  readonly server: McpServer | null;
}

const disabled = { state: 'disabled', problem: null, hint: null, retry_at: null, tools: [] } as const;

/** All tools that runs can be granted: those of the host, and of every server that is configured. */
export class ToolShelf {
  readonly #own: ToolSource;
  readonly #ground: McpGround;
  readonly #servers = new Map<string, Shelved>();
  readonly #listeners = new Set<() => void>();
  /** Servers on their way out. */
  readonly #leaving = new Set<Promise<void>>();
  #isClosed = false;

  constructor({ own, registry, folder, environment, models, processes, ...rest }: ToolShelfOptions) {
    this.#own = own;
    const place = { folder, environment };
    this.#ground = { ...rest, pins: new ToolPins(registry), place, models: models ?? null, processes };
  }

  offers(): ToolResource[] {
    return this.#sources().flatMap((source) => source.offers().map(({ resource }) => resource));
  }

  find(tool_name: string): { tool: OfferedTool; source: ToolSource } | null {
    for (const source of this.#sources()) {
      const tool = source.offers().find(({ resource }) => resource.tool_name === tool_name);
      if (tool !== undefined) return { tool, source };
    }
    return null;
  }

  /** Makes the servers those of the configuration; what the file names wins. Those that are the same stay connected. */
  apply({ servers }: Pick<ToolsConfig, 'servers'>, stored: Readonly<Record<string, ToolServerConfig>> = {}): void {
    if (this.#isClosed) return;
    const wanted = new Map<string, Omit<Shelved, 'server'>>();
    for (const [id, config] of Object.entries(stored)) wanted.set(id, { source: 'store', config });
    for (const [id, config] of Object.entries(servers)) wanted.set(id, { source: 'file', config });
    for (const [id, { server }] of this.#servers) {
      if (wanted.has(id)) continue;
      this.#servers.delete(id);
      this.#leave(server);
    }
    for (const [id, entry] of wanted) this.#shelve(id, entry);
    this.#tell();
  }

  status(): ToolServerStatus[] {
    return [...this.#servers]
      .map(([server_id, { source, config, server }]) => ({
        ...(server?.status() ?? disabled),
        server_id,
        source,
        config,
      }))
      .sort((one, other) => (one.server_id < other.server_id ? -1 : 1));
  }

  /** Approves the tools of a server as they are now; it must be there to say what they are. */
  async approve(server_id: string, by: string): Promise<void> {
    const shelved = this.#servers.get(server_id);
    if (shelved === undefined) throw new ApiError('not_found', 'There is no such tool server.');
    if (shelved.server === null) {
      throw new ApiError('invalid_argument', `The tool server ${server_id} is disabled.`, {
        details: { hint: `Enable it by tools.servers.${server_id}.enabled.` },
      });
    }
    await shelved.server.approve(by);
  }

  /** Told whenever the tools or the state of a server may be others; returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { server } of this.#servers.values()) this.#leave(server);
    this.#servers.clear();
    await Promise.all([...this.#leaving, this.#own.close()]);
  }

  #sources(): ToolSource[] {
    const servers = [...this.#servers].sort(([one], [other]) => (one < other ? -1 : 1));
    return [this.#own, ...servers.flatMap(([, { server }]) => (server === null ? [] : [server]))];
  }

  #shelve(id: string, entry: Omit<Shelved, 'server'>): void {
    const known = this.#servers.get(id);
    if (known !== undefined && canonicalJson(known.config) === canonicalJson(entry.config)) {
      this.#servers.set(id, { ...entry, server: known.server });
      return;
    }
    this.#leave(known?.server ?? null);
    const server = entry.config.enabled ? new McpServer(id, entry.config, this.#ground, () => this.#tell()) : null;
    this.#servers.set(id, { ...entry, server });
    server?.start();
  }

  #leave(server: McpServer | null): void {
    if (server === null) return;
    const leaving = server.close().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  #tell(): void {
    if (this.#isClosed) return;
    for (const listener of this.#listeners) listener();
  }
}
