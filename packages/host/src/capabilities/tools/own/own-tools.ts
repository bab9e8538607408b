import type { ToolsConfig } from '@rostra/protocol/config/tool-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { EgressGuard, type EgressGuardOptions } from '../../egress/egress-guard.ts';
import { WebReader } from '../../egress/web-reader.ts';
import type { OfferedTool, ToolAnswer, ToolCaller, ToolSource } from '../tool-source.ts';
import { fetchTool } from './fetch-tool.ts';
import type { OwnTool } from './own-tool.ts';
import { PageText } from './page-text.ts';
import { timeTool } from './time-tool.ts';

export interface OwnToolsOptions {
  /** What is done when they are called; looked up anew each time, since it can be changed. */
  readonly policies: () => Pick<ToolsConfig, 'time' | 'fetch'>;
  readonly clock: { now(): number; at(at: number, wake: () => void): () => void };
  /** The thread that makes Markdown of a page. */
  readonly page_worker: URL;
  /** Where `fetch` may go; to the public internet unless told. */
  readonly egress?: EgressGuardOptions;
}

/** The tools that the host has without any server. */
export class OwnTools implements ToolSource {
  readonly #policies: OwnToolsOptions['policies'];
  readonly #tools: Readonly<Record<'time' | 'fetch', OwnTool>>;

  constructor({ policies, clock, page_worker, egress }: OwnToolsOptions) {
    const reader = new WebReader({ guard: new EgressGuard(egress), clock });
    const pages = new PageText({ worker: page_worker, clock });
    this.#policies = policies;
    this.#tools = { time: timeTool(clock), fetch: fetchTool({ reader, pages }) };
  }

  offers(): readonly OfferedTool[] {
    const { time, fetch } = this.#policies();
    return [
      { resource: this.#tools.time.resource, policy: time },
      { resource: this.#tools.fetch.resource, policy: fetch },
    ];
  }

  async call(tool_name: string, parameters: JsonObject, caller: ToolCaller): Promise<ToolAnswer> {
    const tool = Object.values(this.#tools).find(({ resource }) => resource.tool_name === tool_name);
    if (tool === undefined) throw new ApiError('not_found', 'There is no such tool.');
    return tool.call(parameters, caller);
  }

  async close(): Promise<void> {
    // They hold nothing that outlives a call.
  }
}
