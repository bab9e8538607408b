import { limits } from '@rostra/protocol/wire/limits';
import type { TurnRow } from '../store/port.ts';
import { RecentMap } from '../store/recent-map.ts';
import { NameNumbers } from './name-numbers.ts';

/** What a client message made when it came first: enough to give a repeat the same answer. */
export type Known = Pick<TurnRow, 'turn_id' | 'payload_hash' | 'created_at'> | true;

/** Client messages that this driver has stepped. The store knows those from before, and those let go. */
export class KnownMessages {
  /** All that came. */
  readonly #names: NameNumbers;
  readonly #ids = new RecentMap<Known>(limits.known_ids);
  /** The last one that was not here: a message is looked for at every door that it comes through. */
  #unknown: string | null = null;

  /** `before`: what the messages were called that were stepped before, as numbers; null where that is not known. */
  constructor(before: Int32Array | null) {
    this.#names = new NameNumbers(before);
  }

  /** Whether a message that is not here may have come before. */
  mayHaveCome(id: string): boolean {
    return this.#names.mayHold(id);
  }

  get(id: string): Known | undefined {
    if (id === this.#unknown) return undefined;
    const known = this.#names.mayHold(id) ? this.#ids.get(id) : undefined;
    if (known === undefined) this.#unknown = id;
    return known;
  }

  add(id: string, known: Known): void {
    this.#unknown = null;
    this.#names.add(id);
    this.#ids.set(id, known);
  }
}
