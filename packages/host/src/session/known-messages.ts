import { limits } from '@rostra/protocol/wire/limits';
import type { TurnRow } from '../store/port.ts';
import { RecentMap } from '../store/recent-map.ts';

/** What a client message made when it came first: enough to give a repeat the same answer. */
export type Known = Pick<TurnRow, 'turn_id' | 'payload_hash' | 'created_at'> | true;

/** Client messages that this driver has stepped. The store knows those from before, and those let go. */
export class KnownMessages {
  readonly #ids = new RecentMap<Known>(limits.known_ids);
  readonly #isNewSession: boolean;
  /** The last one that was not here: a message is looked for at every door that it comes through. */
  #unknown: string | null = null;

  constructor(isNewSession: boolean) {
    this.#isNewSession = isNewSession;
  }

  /** While nothing was let go and the session began here, what is not here was never there. */
  get isComplete(): boolean {
    return this.#isNewSession && !this.#ids.hasForgotten;
  }

  get(id: string): Known | undefined {
    if (id === this.#unknown) return undefined;
    const known = this.#ids.get(id);
    if (known === undefined) this.#unknown = id;
    return known;
  }

  add(id: string, known: Known): void {
    this.#unknown = null;
    this.#ids.set(id, known);
  }
}
