import { clientToolIn } from '@rostra/kernel/grant/client-tool';
import type { ToolsApi } from '@rostra/protocol/api/tools';
import type { ToolResource } from '@rostra/protocol/runner/resources';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { JsonObject } from '@rostra/protocol/wire/json';
import type { ClientToolDesk } from '../../interactions/client-tool-desk.ts';
import type { ActiveRun } from '../../orchestrator/run-charter.ts';
import type { ApiFamily } from '../api-family.ts';

/** The tools of a run: those that its client offers and runs itself. */
export function toolsFamily({ desk }: { desk: Pick<ClientToolDesk, 'call'> }): ApiFamily<keyof typeof ToolsApi> {
  return {
    'tools.get_detail': {
      asks: ({ tool_name }) => ({ family: 'tools', operation: 'detail', tool_name }),
      async serve({ tool_name }, run) {
        const { description, parameters } = toolOf(run, tool_name);
        const schema = JsonObject.safeParse(parameters).data ?? {};
        return { tool: { name: tool_name, description: description ?? '', parameters: schema } };
      },
    },
    'tools.call': {
      asks: ({ tool_name }) => ({ family: 'tools', operation: 'call', tool_name }),
      async serve({ tool_name, parameters }, run) {
        toolOf(run, tool_name);
        return { result: await desk.call(run, tool_name, parameters) };
      },
    },
  };
}

/** The gate has found it in the grant; what is granted and not the client's is nobody's here. */
function toolOf(run: ActiveRun, name: string): ToolResource {
  const tool = clientToolIn(run.charter.grant, name);
  if (tool === undefined) throw new ApiError('not_found', 'There is no such tool.');
  return tool;
}
