import { limits } from '@rostra/protocol/wire/limits';
import { givesWork, type Segment, type Unit } from '../port.ts';

/** Segments that follow each other, as one. */
interface LongSegment {
  readonly first: Segment;
  last: Segment;
  readonly bodies: string[];
  chars: number;
}

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
  readonly #log: LongSegment[] = [];

  constructor(first: Unit) {
    this.epoch = first.epoch;
    this.expected_seq = first.created === null ? first.expected_seq : first.last_seq;
    this.last_seq = first.last_seq;
    this.time = first.time;
  }

  /** Short ones that follow each other are one row, up to `limits.segment_joined`, with an empty line between them. */
  *segments(): Generator<Segment> {
    for (const { first, last, bodies } of this.#log) {
      const body = bodies.join('\n');
      yield { first_seq: first.first_seq, last_seq: last.last_seq, epoch: first.epoch, time: last.time, body };
    }
  }

  add(unit: Unit): void {
    for (const segment of unit.segments) this.#addSegment(segment);
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

  #addSegment(segment: Segment): void {
    const { body } = segment;
    const open = this.#log.at(-1);
    if (open === undefined || !follows(open, segment)) {
      this.#log.push({ first: segment, last: segment, bodies: [body], chars: body.length });
      return;
    }
    open.last = segment;
    open.bodies.push(body);
    open.chars += 1 + body.length;
  }
}

function follows({ last, chars }: LongSegment, { first_seq, epoch, body }: Segment): boolean {
  return first_seq === last.last_seq + 1 && epoch === last.epoch && chars + 1 + body.length <= limits.segment_joined;
}
