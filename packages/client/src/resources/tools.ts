import type { SentBodyOf } from '@rostra/protocol/run-api/operation';
import { toolOperations } from '@rostra/protocol/run-api/operations/tools';
import type { ToolServerDetails } from '@rostra/protocol/run-api/tool-api';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { Caller, CallOptions } from '../caller.ts';
import { ifMatch } from '../revision.ts';

/** Tools that agents may call, and the servers that they come from. */
export class Tools {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  list(options: CallOptions = {}) {
    return this.#caller.call(toolOperations.listTools, options);
  }

  servers(options: CallOptions = {}) {
    return this.#caller.call(toolOperations.listToolServers, options);
  }

  getServer(serverId: string, options: CallOptions = {}): Promise<ToolServerDetails> {
    return this.#caller.call(toolOperations.getToolServer, { params: { serverId }, ...options });
  }

  createServer(body: SentBodyOf<typeof toolOperations.createToolServer>): Promise<ToolServerDetails> {
    return this.#caller.call(toolOperations.createToolServer, { body });
  }

  /** A merge patch of its description; with `revision` only if nobody changed it meanwhile. */
  changeServer(
    serverId: string,
    config: JsonObject,
    { revision }: { revision?: number } = {},
  ): Promise<ToolServerDetails> {
    const headers = ifMatch(revision);
    return this.#caller.call(toolOperations.changeToolServer, { params: { serverId }, body: { config }, headers });
  }

  async deleteServer(serverId: string, { revision }: { revision?: number } = {}): Promise<void> {
    await this.#caller.call(toolOperations.deleteToolServer, { params: { serverId }, headers: ifMatch(revision) });
  }

  /** Its tools, as they are now. */
  approveServer(serverId: string): Promise<ToolServerDetails> {
    return this.#caller.call(toolOperations.approveToolServer, { params: { serverId } });
  }
}
