import { toolResultOperations as operations } from '@rostra/protocol/run-api/operations/tool-results';
import type { TaskResponse } from '@rostra/protocol/run-api/task';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { ContinuedRuns } from '../../session/continued-run.ts';
import type { SessionGateway } from '../../session/session-gateway.ts';
import type { TurnRow } from '../../store/port.ts';
import { type ApiRoute, route } from '../api-route.ts';

export interface ToolResultDeps {
  readonly gateway: Pick<SessionGateway, 'findTurn'>;
  readonly continued: Pick<ContinuedRuns, 'toolResultsOf'>;
  /** What the plain GET of a run answers. */
  describe(turn: TurnRow): Promise<TaskResponse>;
}

/** Results of the client's own tools, for clients that keep no thread of AG-UI messages. */
export function toolResultRoutes({ gateway, continued, describe }: ToolResultDeps): ApiRoute[] {
  return [
    route(operations.sendToolResults, async ({ principal, params: { taskId }, body }) => {
      const turn = await gateway.findTurn(taskId, principal);
      if (turn === null) throw new ApiError('not_found', 'there is no such run');
      const results = body.results.map(({ toolCallId: tool_call_id, ...rest }) => ({ tool_call_id, ...rest }));
      await continued.toolResultsOf(turn, principal, results);
      const now = await gateway.findTurn(taskId, principal);
      return { status: 202, body: await describe(now ?? turn) };
    }),
  ];
}
