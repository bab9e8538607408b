import { limits } from '@rostra/protocol/wire/limits';
import type { Bus, Committed } from '../../bus/port.ts';
import type { Clock } from '../../session/clock.ts';
import type { Principal } from '../../session/session-gateway.ts';
import type { TurnRow } from '../../store/port.ts';
import type { RunGateway } from '../ports.ts';
import { findTask, isEnded } from '../task-response.ts';

interface CancelDeps {
  gateway: RunGateway;
  bus: Bus;
  clock: Clock;
}

/** A turn's end as it is announced: the one place outside the kernel that must know the three of them. */
function endsTurn({ records }: Committed, turn_id: string): boolean {
  return records.some(
    (record) =>
      record.turn_id === turn_id &&
      record.event === 'EVENT' &&
      (record.subtype === 'TURN_COMPLETED' || record.subtype === 'TURN_FAILED' || record.subtype === 'CANCELED'),
  );
}

/** Listens from now on; `ended` resolves at the end of the turn, or when the wait has lasted long enough. */
function awaitEnd({ bus, clock }: CancelDeps, turn: TurnRow): { ended: Promise<void>; stop: () => void } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const unfollow = bus.follow(turn.session_id, (committed) => {
    if (endsTurn(committed, turn.turn_id)) end();
  });
  const callOff = clock.at(clock.now() + limits.cancel_wait, end);
  return {
    ended,
    stop: () => {
      unfollow();
      callOff();
    },
  };
}

/** `POST …/cancel?wait=1`: idempotent; 202, or 200 with the end of the run (RA-9.9). */
export async function cancelTask(
  deps: CancelDeps,
  principal: Principal,
  target: { taskId: string; wait: boolean },
): Promise<{ status: 200 | 202; turn: TurnRow }> {
  const turn = await findTask(deps.gateway, target.taskId, principal);
  if (isEnded(turn)) return { status: 200, turn };
  const waiting = target.wait ? awaitEnd(deps, turn) : null;
  let answer: 'accepted' | 'terminal';
  try {
    answer = await deps.gateway.cancelTurn(turn, principal);
    if (answer === 'accepted') await waiting?.ended;
  } finally {
    waiting?.stop();
  }
  const now = await findTask(deps.gateway, target.taskId, principal);
  const ended = answer === 'terminal' || (target.wait && isEnded(now));
  return { status: ended ? 200 : 202, turn: now };
}
