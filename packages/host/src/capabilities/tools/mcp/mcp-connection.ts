import type { Client, Tool, Transport } from '@modelcontextprotocol/client';
import type { ToolServerConfig } from '@rostra/protocol/config/tool-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ToolAnswer, ToolCaller } from '../tool-source.ts';
import { CallLimit, type ToolClock } from './call-limit.ts';
import { type CallAtWork, capabilitiesOf, grantPowers } from './client-powers.ts';
import type { Concealer } from './concealer.ts';
import { HttpTransport } from './http-transport.ts';
import { NoticeMeter } from './notice-meter.ts';
import type { SamplingModels } from './sampling.ts';
import { type ServerPlace, serverCommand } from './server-command.ts';
import { faultOf, givenUp, type McpModule, timedOut } from './server-fault.ts';
import type { ServerLog } from './server-log.ts';
import { type ProcessList, StdioTransport } from './stdio-transport.ts';
import { answerOf } from './tool-answer.ts';

export interface ConnectionOptions {
  readonly server_id: string;
  readonly config: ToolServerConfig;
  readonly place: ServerPlace;
  readonly clock: ToolClock;
  readonly log: ServerLog;
  readonly concealer: Concealer;
  readonly version: string;
  readonly models: SamplingModels | null;
  readonly processes?: ProcessList | undefined;
  /** The server says that its tools are others now. */
  readonly changed: () => void;
  /** It is gone, and nobody here has closed it. */
  readonly lost: (why: ApiError) => void;
}

/** Time is kept here, by the host's clock; the library's own timer must not be earlier. */
const NEVER = limits.timer;

/** Schemas of servers are shown to models and never compiled: a pattern in one could block the host for minutes. */
const uncompiled = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'It is not checked here.' }),
};

/** One conversation with a server: a program that was started for it, or a session over HTTP. */
export class McpConnection {
  readonly #options: ConnectionOptions;
  readonly #sdk: McpModule;
  readonly #client: Client;
  readonly #calls = new Set<CallAtWork>();
  #lost: ApiError | null = null;

  /** Connects and shakes hands, within `limits.tool_server_start`. */
  static async open(options: ConnectionOptions, signal?: AbortSignal): Promise<McpConnection> {
    const sdk = await import('@modelcontextprotocol/client');
    const connection = new McpConnection(options, sdk);
    await connection.#open(signal);
    return connection;
  }

  private constructor(options: ConnectionOptions, sdk: McpModule) {
    this.#options = options;
    this.#sdk = sdk;
    const { config, version, server_id, models } = options;
    const capabilities = capabilitiesOf(config);
    this.#client = new sdk.Client({ name: 'rostra', version }, { capabilities, jsonSchemaValidator: uncompiled });
    grantPowers(this.#client, { server_id, config, models, atWork: () => [...this.#calls].at(-1) });
    this.#client.setNotificationHandler('notifications/tools/list_changed', () => options.changed());
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  async tools(signal: AbortSignal): Promise<Tool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const { server_id, clock } = this.#options;
    const limit = new CallLimit(clock, limits.tool_server_start, () => timedOut(server_id, limits.tool_server_start));
    limit.follow(signal, reasonOf);
    const tools: Tool[] = [];
    let cursor: string | undefined;
    try {
      for (let page = 0; page < limits.tool_server_pages; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const request = this.#client.request(
          { method: 'tools/list', params },
          { signal: limit.signal, timeout: NEVER },
        );
        const listed = await limit.within(request);
        tools.push(...listed.tools.slice(0, limits.tool_server_tools + 1 - tools.length));
        cursor = listed.nextCursor;
        if (cursor === undefined || tools.length > limits.tool_server_tools) return tools;
      }
      return tools;
    } catch (error) {
      throw this.#fault(error, limit);
    } finally {
      limit.release();
    }
  }

  async call(name: string, parameters: JsonObject, caller: ToolCaller): Promise<ToolAnswer> {
    const { server_id, clock, config } = this.#options;
    const limit = new CallLimit(clock, config.timeout, () => timedOut(server_id, config.timeout));
    limit.follow(caller.signal, reasonOf);
    const call = { caller, limit };
    this.#calls.add(call);
    try {
      const params = { name, arguments: parameters };
      const request = this.#client.request({ method: 'tools/call', params }, { signal: limit.signal, timeout: NEVER });
      return answerOf(server_id, await limit.within(request));
    } catch (error) {
      throw this.#fault(error, limit);
    } finally {
      this.#calls.delete(call);
      limit.release();
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #open(signal: AbortSignal | undefined): Promise<void> {
    const { server_id, clock } = this.#options;
    const limit = new CallLimit(clock, limits.tool_server_start, () => timedOut(server_id, limits.tool_server_start));
    limit.follow(signal, reasonOf);
    let transport: Transport | null = null;
    try {
      transport = this.#transport();
      await limit.within(this.#client.connect(transport, { signal: limit.signal, timeout: NEVER }));
    } catch (error) {
      await transport?.close();
      throw this.#fault(error, limit);
    } finally {
      limit.release();
    }
  }

  #transport(): Transport {
    const { server_id, config, place, log, clock, processes } = this.#options;
    const sdk = this.#sdk;
    const timers = { after: (ms: number, wake: () => void) => clock.at(clock.now() + ms, wake) };
    const meter = new NoticeMeter(() => clock.now());
    const lost = (why: ApiError): void => {
      this.#lost ??= why;
      this.#options.lost(this.#lost);
    };
    if ('url' in config) {
      const { url, headers } = config;
      return new HttpTransport({ sdk, server_id, url, headers, timers, meter, lost });
    }
    const command = serverCommand(server_id, config, place);
    return new StdioTransport({ sdk, server_id, command, log, timers, meter, processes, lost });
  }

  #fault(error: unknown, { signal }: CallLimit): ApiError {
    if (signal.reason instanceof ApiError) return signal.reason;
    const { server_id, concealer } = this.#options;
    return faultOf({ sdk: this.#sdk, server_id, concealer }, error, this.#lost);
  }
}

function reasonOf(reason: unknown): ApiError {
  return reason instanceof ApiError ? reason : givenUp();
}
