import type { Bus, Committed } from '../bus/port.ts';
import type { Clock } from '../session/clock.ts';
import type { TurnRow } from '../store/port.ts';

/** A turn's end as it is announced: the one place outside the kernel that must know the three of them. */
function endsTurn({ records }: Committed, turn_id: string): boolean {
  return records.some(
    (record) =>
      record.turn_id === turn_id &&
      record.event === 'EVENT' &&
      (record.subtype === 'TURN_COMPLETED' || record.subtype === 'TURN_FAILED' || record.subtype === 'CANCELED'),
  );
}

export interface TurnEnd {
  /** Resolves at the end of the turn or of its session, or when the wait has lasted long enough or is called off. */
  readonly ended: Promise<void>;
  stop(): void;
}

export interface TurnEndDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  /** Tells once when the session has been deleted: nothing is announced of it any more. Returns how to stop that. */
  whenGone(session_id: string, listener: () => void): () => void;
}

/** Listens from now on. */
export function awaitEnd(
  { bus, clock, whenGone }: TurnEndDeps,
  turn: Pick<TurnRow, 'session_id' | 'turn_id'>,
  wait: number,
): TurnEnd {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const unfollow = bus.follow(turn.session_id, (committed) => {
    if (endsTurn(committed, turn.turn_id)) end();
  });
  const unwatch = whenGone(turn.session_id, end);
  const callOff = clock.at(clock.now() + wait, end);
  return {
    ended,
    stop: () => {
      unfollow();
      unwatch();
      callOff();
      end();
    },
  };
}
