import type { ToolsApi } from '@rostra/protocol/api/tools';
import type { ApiFamily } from '../api-family.ts';
import type { ToolDesk } from '../tool-desk.ts';

/** RP-7.11, RP-7.12: the tools of a run, the host's and those that its client offers and runs itself. */
export function toolsFamily({ desk }: { desk: Pick<ToolDesk, 'detail' | 'call'> }): ApiFamily<keyof typeof ToolsApi> {
  return {
    'tools.get_detail': {
      asks: ({ tool_name }) => ({ family: 'tools', operation: 'detail', tool_name }),
      serve: async ({ tool_name }, run) => ({ tool: desk.detail(run, tool_name) }),
    },
    'tools.call': {
      asks: ({ tool_name }) => ({ family: 'tools', operation: 'call', tool_name }),
      serve: async ({ tool_name, parameters }, run, _push, { signal }) => ({
        result: await desk.call(run, tool_name, parameters, signal),
      }),
    },
  };
}
