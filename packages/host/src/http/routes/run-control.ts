import { runControlOperations as operations } from '@rostra/protocol/run-api/operations/run-control';
import type { TaskResponse } from '@rostra/protocol/run-api/task';
import type { TurnRow } from '../../store/port.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { type CancelDeps, cancelTask } from './cancel.ts';

export interface RunControlDeps extends CancelDeps {
  /** What the plain GET of a run answers. */
  describe(turn: TurnRow): Promise<TaskResponse>;
}

export function runControlRoutes(deps: RunControlDeps): ApiRoute[] {
  return [
    route(operations.cancelRun, async ({ principal, params, query }) => {
      const target = { taskId: params.taskId, wait: query.wait === '1' };
      const { status, turn } = await cancelTask(deps, principal, target);
      return { status, body: await deps.describe(turn) };
    }),
  ];
}
