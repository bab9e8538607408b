import type { ToolOperation, ToolResource } from '@rostra/protocol/runner/resources';
import type { AgentAPIError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import type { Grant } from './grant.ts';

/** The type of a tool that the client of a run offers and runs itself. */
export const CLIENT_TOOL = 'client';

function toolOf(tool: Json, operations: readonly ToolOperation[]): ToolResource[] {
  if (!isJsonObject(tool) || typeof tool.name !== 'string' || tool.name === '') return [];
  const { name: tool_name, description, parameters } = tool;
  return [
    {
      tool_name,
      tool_type: CLIENT_TOOL,
      owner: null,
      description: typeof description === 'string' ? description : null,
      parameters: isJsonObject(parameters) ? parameters : {},
      operations: [...operations],
    },
  ];
}

/** The tools that came with an input, as its run is granted them. The first of two with one name counts. */
export function clientTools(offered: Json | undefined, operations: readonly ToolOperation[]): ToolResource[] {
  if (!Array.isArray(offered) || operations.length === 0) return [];
  const tools = new Map<string, ToolResource>();
  for (const each of offered) {
    for (const tool of toolOf(each, operations)) if (!tools.has(tool.tool_name)) tools.set(tool.tool_name, tool);
  }
  return [...tools.values()];
}

/** Why a client may not offer these tools to an agent that has tools of the host; null when it may. */
export function clientToolFault(offered: readonly { name: string }[], host: readonly string[]): AgentAPIError | null {
  const taken = offered.find(({ name }) => host.includes(name));
  if (taken === undefined) return null;
  return {
    code: 'invalid_argument',
    message: `the tool "${taken.name}" has the name of a tool of this host`,
    retryable: false,
    details: { hint: 'Give the tool another name.' },
  };
}

/** The tool of the run's client that has this name; undefined for any other. */
export function clientToolIn({ resources }: Pick<Grant, 'resources'>, name: string): ToolResource | undefined {
  return resources.tools.find(({ tool_name, tool_type }) => tool_type === CLIENT_TOOL && tool_name === name);
}
