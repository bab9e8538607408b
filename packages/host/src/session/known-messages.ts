import { limits } from '@rostra/protocol/wire/limits';
import type { TurnRow } from '../store/port.ts';

/** What a client message made when it came first: enough to give a repeat the same answer. */
export type Known = Pick<TurnRow, 'turn_id' | 'payload_hash' | 'created_at'> | true;

/** Client messages that this driver has stepped, newest last. The store knows those from before, and those let go. */
export class KnownMessages {
  readonly #ids = new Map<string, Known>();
  /** While nothing was let go and the session began here, what is not here was never there. */
  #complete: boolean;

  constructor(isNewSession: boolean) {
    this.#complete = isNewSession;
  }

  get isComplete(): boolean {
    return this.#complete;
  }

  get(id: string): Known | undefined {
    return this.#ids.get(id);
  }

  add(id: string, known: Known): void {
    this.#ids.set(id, known);
    if (this.#ids.size <= limits.known_ids) return;
    this.#complete = false;
    for (const oldest of this.#ids.keys()) {
      this.#ids.delete(oldest);
      break;
    }
  }
}
