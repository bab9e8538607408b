import { limits } from '@rostra/protocol/wire/limits';
import type { TurnRow } from '../store/port.ts';

/** Rows of turns as they were last committed here, newest last: whoever submitted one asks for it next. */
export class RecentTurns {
  readonly #rows = new Map<string, TurnRow>();

  get(turn_id: string): TurnRow | undefined {
    return this.#rows.get(turn_id);
  }

  set(row: TurnRow): void {
    this.#rows.delete(row.turn_id);
    this.#rows.set(row.turn_id, row);
    if (this.#rows.size <= limits.recent_turns) return;
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest);
      return;
    }
  }
}
