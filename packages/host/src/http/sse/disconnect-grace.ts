import type { Clock } from '../../session/clock.ts';
import type { Principal } from '../../session/session-gateway.ts';

export interface FollowedTask {
  readonly session_id: string;
  readonly turn_id: string;
}

/** Tasks whose client went away in the middle: each is cancelled after a while, unless anyone comes back to it (RA-9.25). */
export class DisconnectGrace {
  readonly #clock: Clock;
  readonly #cancel: (task: FollowedTask, principal: Principal) => void;
  readonly #waiting = new Map<string, { session_id: string; callOff: () => void }>();

  constructor(clock: Clock, cancel: (task: FollowedTask, principal: Principal) => void) {
    this.#clock = clock;
    this.#cancel = cancel;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  begin(task: FollowedTask, principal: Principal, grace: number): void {
    const { session_id, turn_id } = task;
    this.#waiting.get(turn_id)?.callOff();
    const callOff = this.#clock.at(this.#clock.now() + grace, () => {
      this.#waiting.delete(turn_id);
      this.#cancel(task, principal);
    });
    this.#waiting.set(turn_id, { session_id, callOff });
  }

  /** Somebody follows the task. */
  callOff(turn_id: string): void {
    if (this.#waiting.size === 0) return;
    this.#waiting.get(turn_id)?.callOff();
    this.#waiting.delete(turn_id);
  }

  /** Somebody follows the session with all its tasks. */
  callOffSession(session_id: string): void {
    for (const [turn_id, each] of this.#waiting) if (each.session_id === session_id) this.callOff(turn_id);
  }

  /** The host goes away: what goes on is the next one's affair. */
  close(): void {
    for (const { callOff } of this.#waiting.values()) callOff();
    this.#waiting.clear();
  }
}
