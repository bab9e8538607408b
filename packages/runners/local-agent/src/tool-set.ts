import { ApiError, isJsonObject, type JsonObject, type ModelTool, type ToolResource } from '@rostra/runner-sdk';
import type { BuiltIn } from './built-in.ts';
import { builtInsOf } from './built-ins.ts';
import { patiently } from './patience.ts';
import type { TurnRun } from './turn-run.ts';

/** What the model can call: tools of the host and of the run's client, and a few of the agent's own. */
export interface ToolSet {
  readonly tools: ModelTool[];
  readonly granted: ReadonlyMap<string, ToolResource>;
  readonly built_in: ReadonlyMap<string, BuiltIn>;
}

/** No provider takes more. */
const TOOLS_MAX = 128;
const anything = { type: 'object', properties: {} };

export async function toolSetOf(run: TurnRun): Promise<ToolSet> {
  const { context, settings } = run;
  const named = ({ tool_name, tool_type }: ToolResource) =>
    tool_type === 'client' || settings.tools === null || settings.tools.includes(tool_name);
  const callable = context.resources.tools.filter((tool) => tool.operations.includes('call') && named(tool));
  const granted = new Map(callable.slice(0, TOOLS_MAX).map((tool) => [tool.tool_name, tool]));
  // A tool of the host keeps its name.
  const own = builtInsOf(run).filter(({ tool }) => !granted.has(tool.name));
  const described = await Promise.all([...granted.values()].map((tool) => describe(run, tool)));
  return {
    tools: [...described, ...own.map(({ tool }) => tool)],
    granted,
    built_in: new Map(own.map((each) => [each.tool.name, each])),
  };
}

/** A host that only names a tool is asked for the rest. */
async function describe({ tools }: TurnRun, resource: ToolResource): Promise<ModelTool> {
  const { tool_name, description, parameters, operations } = resource;
  const given = { name: tool_name, description: description ?? '', parameters: schemaOf(parameters) };
  if (description !== null || !operations.includes('detail')) return given;
  try {
    const { tool } = await patiently(tools, () => tools.api.tools.get_detail({ tool_name }));
    return { name: tool_name, description: tool.description, parameters: schemaOf(tool.parameters) };
  } catch (error) {
    if (tools.signal.aborted || !(error instanceof ApiError)) throw error;
    return given;
  }
}

function schemaOf(parameters: unknown): JsonObject {
  return isJsonObject(parameters) && Object.keys(parameters).length > 0 ? parameters : anything;
}
