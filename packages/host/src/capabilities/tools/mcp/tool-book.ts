import type { ActionPolicy } from '@rostra/protocol/config/agent-config';
import type { ToolServerConfig } from '@rostra/protocol/config/tool-config';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { AuditEntry } from '../../../store/ports/audit.ts';
import type { OfferedTool } from '../tool-source.ts';
import type { ServedTool } from './served-tool.ts';
import { offeredNames } from './tool-name.ts';
import type { ToolPins } from './tool-pins.ts';

/** `new`: nobody has approved it yet; `changed`: what was approved was something else. */
export type ToolApproval = 'approved' | 'changed' | 'new';

/** A tool of a server with what is known of it. */
export interface BookedTool {
  readonly served: ServedTool;
  readonly offered: OfferedTool;
  readonly approval: ToolApproval;
}

export interface BookOptions {
  readonly server_id: string;
  readonly config: ToolServerConfig;
  readonly pins: ToolPins;
  readonly workspace_id: string;
  readonly now: () => number;
  readonly audit: (entry: AuditEntry) => void;
}

const HOST = 'host';

/** The tools of one server, and which of them are as somebody approved them. */
export class ToolBook {
  readonly #options: BookOptions;
  #tools: BookedTool[] = [];
  #last: Promise<void> = Promise.resolve();
  /** Changes that were told, so that each of them is told once. */
  readonly #told = new Set<string>();

  constructor(options: BookOptions) {
    this.#options = options;
  }

  get tools(): readonly BookedTool[] {
    return this.#tools;
  }

  find(tool_name: string): BookedTool | undefined {
    return this.#tools.find(({ offered }) => offered.resource.tool_name === tool_name);
  }

  /** Takes what the server says that it has. */
  enter(tools: readonly ServedTool[]): Promise<void> {
    return this.#inTurn(() => this.#enter(tools));
  }

  /** Everything that is here now is approved as it is; what was approved and is gone is forgotten. */
  approve(by: string): Promise<void> {
    return this.#inTurn(() => this.#approve(by));
  }

  /** Looking up what is approved and writing it down is one act. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #enter(tools: readonly ServedTool[]): Promise<void> {
    const { server_id, config, pins, now } = this.#options;
    const known = await pins.of(server_id);
    for (const { name, hash } of tools) {
      const pinned = known.get(name);
      if (pinned === undefined && config.approval === 'first_use') {
        await pins.pin(server_id, name, hash, { at: now(), by: HOST });
        known.set(name, hash);
      } else if (pinned !== undefined && pinned !== hash) this.#tellChange(name, pinned, hash);
    }
    this.#tools = this.#booked(tools, known);
  }

  async #approve(by: string): Promise<void> {
    const { server_id, pins, now } = this.#options;
    const change = { at: now(), by };
    const known = await pins.of(server_id);
    const tools = this.#tools.map(({ served }) => served);
    for (const { name, hash } of tools) {
      if (known.get(name) !== hash) await pins.pin(server_id, name, hash, change);
      known.delete(name);
    }
    for (const name of known.keys()) await pins.forget(server_id, name, change);
    this.#tools = this.#booked(tools, new Map(tools.map(({ name, hash }) => [name, hash])));
    this.#told.clear();
  }

  #booked(tools: readonly ServedTool[], pinned: ReadonlyMap<string, string>): BookedTool[] {
    const { server_id, config } = this.#options;
    const names = offeredNames(
      server_id,
      tools.map(({ name }) => name),
    );
    return tools.flatMap((served): BookedTool[] => {
      const { name, description, parameters, hash } = served;
      const tool_name = names.get(name);
      if (tool_name === undefined) return [];
      const pin = pinned.get(name);
      const changed = pin === undefined ? 'new' : 'changed';
      const resource = {
        tool_name,
        tool_type: 'mcp',
        owner: `mcp:${server_id}`,
        description,
        parameters,
        operations: ['detail' as const, 'call' as const],
      };
      const approval = pin === hash ? 'approved' : changed;
      return [{ served, approval, offered: { policy: policyOf(config, name), resource } }];
    });
  }

  #tellChange(name: string, approved: string, found: string): void {
    const key = `${name}/${found}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    const { server_id, workspace_id, now, audit } = this.#options;
    const details: JsonObject = { server_id, tool: name, approved, found };
    audit({
      at: now(),
      workspace_id,
      actor: `mcp:${server_id}`,
      session_id: null,
      run_id: null,
      runner_id: null,
      action: 'tool.changed',
      resource: `${server_id}/${name}`,
      scope: null,
      result: 'not_found',
      details,
    });
  }
}

/** A server may call its tools like what every object inherits. */
function policyOf({ tools, policy }: ToolServerConfig, name: string): ActionPolicy {
  return Object.hasOwn(tools, name) ? (tools[name] ?? policy) : policy;
}
