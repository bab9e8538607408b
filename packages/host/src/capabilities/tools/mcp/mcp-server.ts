import type { ToolServerConfig } from '@rostra/protocol/config/tool-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { AuditEntry } from '../../../store/ports/audit.ts';
import type { OfferedTool, ToolAnswer, ToolCaller, ToolSource } from '../tool-source.ts';
import { CallLimit, type ToolClock } from './call-limit.ts';
import { hasOneCaller } from './client-powers.ts';
import { Concealer } from './concealer.ts';
import { McpConnection } from './mcp-connection.ts';
import { RunConnections } from './run-connections.ts';
import type { SamplingModels } from './sampling.ts';
import { servedTools } from './served-tool.ts';
import type { ServerPlace } from './server-command.ts';
import { givenUp, noSuchTool, serverFault, timedOut } from './server-fault.ts';
import { ServerLog, type ToolServerLine } from './server-log.ts';
import type { ProcessList } from './stdio-transport.ts';
import { type BookedTool, ToolBook } from './tool-book.ts';
import type { ToolPins } from './tool-pins.ts';

/** What all servers stand on. */
export interface McpGround {
  readonly pins: ToolPins;
  readonly place: ServerPlace;
  readonly clock: ToolClock;
  readonly version: string;
  readonly workspace_id: string;
  readonly audit: (entry: AuditEntry) => void;
  readonly log: (line: ToolServerLine) => void;
  readonly models: SamplingModels | null;
  readonly processes?: ProcessList | undefined;
}

export type ToolServerState = 'connecting' | 'ready' | 'failed';

export interface McpServerStatus {
  readonly state: ToolServerState;
  /** One sentence about what is wrong, and one about what to do. */
  readonly problem: string | null;
  readonly hint: string | null;
  /** When it is tried again by itself. */
  readonly retry_at: number | null;
  readonly tools: readonly BookedTool[];
}

/**
 * One configured server.
 *
 * S1. It is reached in the background, and again after it was lost, each time later; a call does not wait for that.
 * S2. What is offered is what somebody approved, as it was then; after some attempts in vain nothing is.
 * S3. Where the server remembers its caller, no two runs share a connection.
 */
export class McpServer implements ToolSource {
  readonly #server_id: string;
  readonly #config: ToolServerConfig;
  readonly #ground: McpGround;
  readonly #changed: () => void;
  readonly #concealer: Concealer;
  readonly #log: ServerLog;
  readonly #book: ToolBook;
  readonly #runs: RunConnections;
  #connection: McpConnection | null = null;
  #connecting: Promise<McpConnection> | null = null;
  #state: ToolServerState = 'connecting';
  /** When an attempt to reach it last failed. */
  #inVain = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #fault: ApiError | null = null;
  #listProblem: string | null = null;
  #retry: { readonly at: number; readonly callOff: () => void } | null = null;
  #listing: Promise<void> | null = null;
  #offListing: (() => void) | null = null;
  readonly #ending = new AbortController();
  /** Lost connections on their way out. */
  readonly #leaving = new Set<Promise<void>>();
  #isClosed = false;

  constructor(server_id: string, config: ToolServerConfig, ground: McpGround, changed: () => void) {
    this.#server_id = server_id;
    this.#config = config;
    this.#ground = ground;
    this.#changed = changed;
    const { pins, workspace_id, audit, clock } = ground;
    const now = (): number => clock.now();
    this.#concealer = new Concealer(secretsOf(config));
    this.#log = new ServerLog(server_id, this.#concealer, { now, sink: ground.log });
    this.#book = new ToolBook({ server_id, config, pins, workspace_id, now, audit });
    const ending = (over: AbortSignal) => AbortSignal.any([over, this.#ending.signal]);
    this.#runs = new RunConnections((lost, over) => this.#open(() => undefined, lost, ending(over)), server_id);
  }

  /** Begins to reach it; nobody waits for that. */
  start(): void {
    this.#connect().catch((error: unknown) => {
      // Its status says what went wrong.
      if (!(error instanceof ApiError)) throw error;
    });
  }

  status(): McpServerStatus {
    const { hint } = this.#fault?.details ?? {};
    return {
      state: this.#state,
      problem: this.#fault?.message ?? this.#listProblem,
      hint: typeof hint === 'string' ? hint : null,
      retry_at: this.#retry?.at ?? null,
      tools: this.#book.tools,
    };
  }

  offers(): readonly OfferedTool[] {
    if (this.#isClosed || this.#failures >= limits.tool_server_attempts) return [];
    return this.#book.tools.filter(({ approval }) => approval === 'approved').map(({ offered }) => offered);
  }

  async approve(by: string): Promise<void> {
    if (this.#connection === null) throw this.#fault ?? this.#notYet();
    await this.#listing;
    await this.#book.approve(by);
    this.#changed();
  }

  async call(tool_name: string, parameters: JsonObject, caller: ToolCaller): Promise<ToolAnswer> {
    const name = this.#nameOf(tool_name);
    if (hasOneCaller(this.#config)) {
      const connection = await this.#waited(this.#runs.of(caller), caller.signal);
      return connection.call(name, parameters, caller);
    }
    const connection = await this.#reached(caller.signal);
    try {
      return await connection.call(name, parameters, caller);
    } catch (error) {
      if (!isForgotten(error)) throw error;
      // A session that the server no longer knows: it has not begun the call.
      this.#lost(connection, error);
      const again = await this.#reached(caller.signal);
      return again.call(this.#nameOf(tool_name), parameters, caller);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ending.abort(serverFault(`The tool server ${this.#server_id} is no longer used.`));
    this.#retry?.callOff();
    this.#offListing?.();
    // An attempt that is under way closes what it has opened.
    await this.#connecting?.catch(() => undefined);
    await Promise.all([this.#connection?.close(), this.#runs.close(), ...this.#leaving]);
  }

  #nameOf(tool_name: string): string {
    const tool = this.#book.find(tool_name);
    if (tool === undefined || tool.approval !== 'approved' || this.#isClosed) throw noSuchTool();
    return tool.served.name;
  }

  /** The shared connection; one that was lost is sought again, unless that was in vain just now. */
  async #reached(signal: AbortSignal): Promise<McpConnection> {
    if (this.#connection !== null) return this.#connection;
    const { clock } = this.#ground;
    const isTried = clock.now() - this.#inVain < limits.tool_server_retry_min;
    if (this.#connecting === null && isTried && this.#fault !== null) throw this.#fault;
    return this.#waited(this.#connect(), signal);
  }

  /** A connection, unless the call that needs it is given up or out of time before. */
  async #waited(connection: Promise<McpConnection>, signal: AbortSignal): Promise<McpConnection> {
    const { timeout } = this.#config;
    const limit = new CallLimit(this.#ground.clock, timeout, () => timedOut(this.#server_id, timeout));
    limit.follow(signal, (reason) => (reason instanceof ApiError ? reason : givenUp()));
    try {
      return await limit.within(connection);
    } finally {
      limit.release();
    }
  }

  #connect(): Promise<McpConnection> {
    this.#connecting ??= this.#attempt();
    return this.#connecting;
  }

  async #attempt(): Promise<McpConnection> {
    this.#retry?.callOff();
    this.#retry = null;
    this.#state = 'connecting';
    let connection: McpConnection | null = null;
    try {
      connection = await this.#open(
        () => this.#listSoon(),
        (why) => this.#lost(connection, why),
        this.#ending.signal,
      );
      await this.#list(connection);
      if (this.#isClosed || connection.isLost) throw this.#notYet();
    } catch (error) {
      await connection?.close();
      // It is over before anybody is told so: whoever hears of it may try again.
      this.#connecting = null;
      if (!(error instanceof ApiError)) throw error;
      this.#inVain = this.#ground.clock.now();
      this.#failed(error);
      throw error;
    }
    this.#connecting = null;
    this.#connection = connection;
    this.#state = 'ready';
    this.#failures = 0;
    this.#fault = null;
    this.#changed();
    return connection;
  }

  #open(changed: () => void, lost: (why: ApiError) => void, signal?: AbortSignal): Promise<McpConnection> {
    const { place, clock, version, models, processes } = this.#ground;
    const server = {
      server_id: this.#server_id,
      config: this.#config,
      log: this.#log,
      concealer: this.#concealer,
    };
    return McpConnection.open({ ...server, place, clock, version, models, processes, changed, lost }, signal);
  }

  async #list(connection: McpConnection): Promise<void> {
    const { tools, problem } = servedTools(await connection.tools(this.#ending.signal));
    await this.#book.enter(tools);
    this.#listProblem = tools.length === 0 && problem === null ? 'It offers no tools.' : problem;
  }

  /** However often a server says so, it is asked once at a time and not at once again. */
  #listSoon(): void {
    if (this.#offListing !== null || this.#isClosed) return;
    const { clock } = this.#ground;
    this.#offListing = clock.at(clock.now() + limits.tool_list_pause, () => {
      this.#offListing = null;
      const connection = this.#connection;
      if (connection === null) return;
      this.#listing = this.#list(connection)
        .then(this.#changed)
        .catch((error: unknown) => this.#lost(connection, error))
        .finally(() => {
          this.#listing = null;
        });
    });
  }

  #lost(connection: McpConnection | null, why: unknown): void {
    if (connection === null || connection !== this.#connection) return;
    this.#connection = null;
    const leaving = connection.close().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    this.#failed(why instanceof ApiError ? why : serverFault(`The tool server ${this.#server_id} was lost.`));
  }

  #failed(why: ApiError): void {
    if (this.#isClosed) return;
    this.#state = 'failed';
    this.#fault = why;
    const { clock } = this.#ground;
    const pause = Math.min(limits.tool_server_retry_min * 2 ** this.#failures, limits.tool_server_retry_max);
    this.#failures += 1;
    this.#retry?.callOff();
    const at = clock.now() + pause;
    this.#retry = { at, callOff: clock.at(at, () => this.start()) };
    this.#changed();
  }

  #notYet(): ApiError {
    return serverFault(`The tool server ${this.#server_id} is not reached yet.`, 'Try again in a moment.');
  }
}

/** Whether a server refused a session that it once gave. */
function isForgotten(error: unknown): boolean {
  return error instanceof ApiError && error.details.reason === 'TOOL_SERVER_FAILED' && error.details.status === 404;
}

/** What a server was given in confidence; an address may hold a key in its query. */
function secretsOf(config: ToolServerConfig): string[] {
  if ('command' in config) return Object.values(config.env);
  return [...Object.values(config.headers), ...new URL(config.url).searchParams.values()];
}
