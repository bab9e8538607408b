import { limits } from '@rostra/protocol/wire/limits';
import { isGone } from '../../session/deleted-session.ts';
import type { Principal } from '../../session/session-gateway.ts';
import type { TurnRow } from '../../store/port.ts';
import type { RunGateway } from '../ports.ts';
import { findTask, isEnded, noSuchTask } from '../task-response.ts';
import { awaitEnd, type TurnEndDeps } from '../turn-end.ts';

export interface CancelDeps extends TurnEndDeps {
  gateway: RunGateway;
}

/** `POST …/cancel?wait=1`: idempotent; 202, or 200 with the end of the run (RA-9.9). */
export async function cancelTask(
  deps: CancelDeps,
  principal: Principal,
  target: { taskId: string; wait: boolean },
): Promise<{ status: 200 | 202; turn: TurnRow }> {
  const turn = await findTask(deps.gateway, target.taskId, principal);
  if (isEnded(turn)) return { status: 200, turn };
  const waiting = target.wait ? awaitEnd(deps, turn, limits.cancel_wait) : null;
  let answer: 'accepted' | 'terminal';
  try {
    answer = await deps.gateway.cancelTurn(turn, principal);
    if (answer === 'accepted') await waiting?.ended;
  } catch (error) {
    // Deleted with its session at that moment, it is one that is not there.
    throw isGone(error) ? noSuchTask() : error;
  } finally {
    waiting?.stop();
  }
  const now = await findTask(deps.gateway, target.taskId, principal);
  const ended = answer === 'terminal' || (target.wait && isEnded(now));
  return { status: ended ? 200 : 202, turn: now };
}
