import type { SessionContext } from '@rostra/kernel/session/context';
import { limits } from '@rostra/protocol/wire/limits';

/**
 * When the context of a session is saved: where it comes to rest, though not each time. What came since can be folded,
 * unless that would take long. Lists of sessions read from it whether one is open and who is active in it: that is never
 * left unsaved.
 */
export class ContextSaves {
  #seq: number;
  /** As this process saved it last. */
  #saved: SessionContext | null = null;

  /** `seq`: the record up to which it was saved before. */
  constructor(seq: number) {
    this.#seq = seq;
  }

  /** The context after the record `seq`, if it must be saved with it; it then counts as saved. */
  due(context: SessionContext, seq: number): SessionContext | null {
    if (seq - this.#seq <= this.#patience(context)) return null;
    this.#seq = seq;
    this.#saved = context;
    return context;
  }

  /** How many records may go unsaved. */
  #patience({ inflight, state, active_agent_id }: SessionContext): number {
    for (const _turn_id in inflight) return limits.fold_records;
    const isListed = this.#saved?.state === state && this.#saved.active_agent_id === active_agent_id;
    return isListed ? limits.rest_records : 0;
  }
}
