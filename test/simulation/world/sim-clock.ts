import type { Clock } from '@rostra/host/session/clock';
import type { Gate } from './gate.ts';
import type { Timeline } from './timeline.ts';

/** The clock of one process: virtual time plus what its machine believes the date to be. It dies with its process. */
export class SimClock implements Clock {
  readonly #timeline: Timeline;
  readonly offset: number;
  readonly #gate: Gate;
  /** Timers that are armed now. */
  armed = 0;

  constructor(timeline: Timeline, offset: number, gate: Gate) {
    this.#timeline = timeline;
    this.offset = offset;
    this.#gate = gate;
  }

  now(): number {
    return this.#timeline.now + this.offset;
  }

  at(at: number, wake: () => void): () => void {
    let pending = true;
    const done = () => {
      if (!pending) return false;
      pending = false;
      this.armed -= 1;
      return true;
    };
    this.armed += 1;
    const cancel = this.#timeline.at(at - this.offset, 'clock', () => {
      this.#gate.enter(() => {
        if (done()) wake();
      });
    });
    return () => {
      if (done()) cancel();
    };
  }

  soon(task: () => void): void {
    this.#timeline.soon(() => this.#gate.enter(task));
  }
}
