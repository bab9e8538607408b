import type { TaskResponse, TaskStatus } from '@rostra/protocol/run-api/task';
import type { Principal } from '../session/session-gateway.ts';
import { isHostId } from '../session/session-id.ts';
import type { TurnRow } from '../store/port.ts';
import { HttpError } from './errors.ts';
import type { RunGateway } from './ports.ts';

const ended: ReadonlySet<TaskStatus> = new Set<TaskStatus>(['completed', 'failed', 'cancelled']);

export function isEnded(turn: TurnRow): boolean {
  return ended.has(turn.status);
}

/** What is known of a task beside its own row. */
export type TaskFacts = Pick<TaskResponse, 'started' | 'firstOutput' | 'attempts' | 'usage' | 'cost'>;

export function taskResponse(turn: TurnRow, facts: TaskFacts): TaskResponse {
  const { code, message, retryable } = turn;
  return {
    taskId: turn.turn_id,
    threadId: turn.session_id,
    runId: turn.client_run_id,
    agentId: turn.agent_id,
    status: turn.status,
    created: new Date(turn.created_at).toISOString(),
    ended: turn.ended_at === null ? null : new Date(turn.ended_at).toISOString(),
    ...facts,
    error: code === null ? null : { code, message: message ?? code, retryable },
  };
}

/** The same answer for a task that never was and for one of somebody else. */
export async function findTask(
  gateway: Pick<RunGateway, 'findTurn'>,
  taskId: string,
  principal: Principal,
): Promise<TurnRow> {
  const turn = isHostId(taskId) ? await gateway.findTurn(taskId, principal) : null;
  if (turn !== null) return turn;
  throw noSuchTask();
}

export function noSuchTask(): HttpError {
  return new HttpError(404, 'not_found', 'there is no such run', {
    details: { hint: 'A run is named by the taskId that POST /api/v1/agent/runs answered.' },
  });
}
