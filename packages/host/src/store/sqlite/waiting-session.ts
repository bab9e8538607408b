import { givesWork, type Unit } from '../port.ts';

/** What the last units of a session leave in its own rows, all of them together. */
export class WaitingSession {
  readonly epoch: number;
  /** Where its row says that the log stands: before the first unit, or after the one that makes it. */
  readonly expected_seq: number;
  last_seq: number;
  time: number;
  /** When it was last given work, if it was. */
  active_at: number | null = null;
  /** The last context that was saved, and the record after which it was. */
  context: string | null = null;
  context_seq = 0;
  readonly outbox_add = new Set<number>();
  readonly outbox_remove: number[] = [];

  constructor(first: Unit) {
    this.epoch = first.epoch;
    this.expected_seq = first.created === null ? first.expected_seq : first.last_seq;
    this.last_seq = first.last_seq;
    this.time = first.time;
  }

  add(unit: Unit): void {
    this.last_seq = unit.last_seq;
    this.time = unit.time;
    if (givesWork(unit)) this.active_at = unit.time;
    if (unit.context !== null) {
      this.context = unit.context;
      this.context_seq = unit.last_seq;
    }
    for (const seq of unit.outbox_add) this.outbox_add.add(seq);
    for (const seq of unit.outbox_remove) if (!this.outbox_add.delete(seq)) this.outbox_remove.push(seq);
  }
}
