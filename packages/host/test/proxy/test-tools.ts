import type { ActionPolicy } from '@rostra/protocol/config/agent-config';
import { ToolResource } from '@rostra/protocol/runner/resources';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import type { ToolAnswer, ToolCaller, ToolSource } from '../../src/capabilities/tools/tool-source.ts';
import type { ToolFinder } from '../../src/proxy/tool-desk.ts';

export interface ToolCallSeen {
  readonly tool_name: string;
  readonly parameters: JsonObject;
  readonly caller: ToolCaller;
}

export const said = (content: Json): ToolAnswer => ({ content, is_error: false, files: [] });

/** Tools of one source, all under one policy, which do what the test says. */
export class TestTools implements ToolFinder {
  readonly calls: ToolCallSeen[] = [];
  policy: ActionPolicy;
  /** Names that are there; the rest are hidden. */
  names: string[] = ['weather', 'shell'];
  readonly #answer: (call: ToolCallSeen) => Promise<ToolAnswer>;
  readonly #source: ToolSource;

  constructor(policy: ActionPolicy, answer: (call: ToolCallSeen) => Promise<ToolAnswer> = async () => said('sunny')) {
    this.policy = policy;
    this.#answer = answer;
    this.#source = {
      offers: () => [],
      close: async () => undefined,
      call: (tool_name, parameters, caller) => {
        const call = { tool_name, parameters, caller };
        this.calls.push(call);
        return this.#answer(call);
      },
    };
  }

  find(tool_name: string) {
    if (!this.names.includes(tool_name)) return null;
    const resource = ToolResource.parse({ tool_name, owner: 'mcp:sky', operations: ['detail', 'call'] });
    return { tool: { resource, policy: this.policy }, source: this.#source };
  }
}
