import { sequenceAfter } from '@rostra/kernel/session/chunk';
import { LiveMap } from '@rostra/transport/live-map';
import type { Bus, Committed, Unsubscribe } from '../bus/port.ts';
import type { LiveRun } from './live-run.ts';

interface Followed {
  runs: LiveRun[];
  unsubscribe: Unsubscribe;
}

/** Number of the last thing that this run said among the committed records, or null. Read from the end: it is there. */
function lastSequence(committed: Committed, run_id: string): number | null {
  for (let index = committed.records.length - 1; index >= 0; index--) {
    const record = committed.records[index];
    if (record?.run_id === run_id && record.sequence !== undefined) return sequenceAfter(record, record.sequence) - 1;
  }
  return null;
}

/** Hears what the log took of runs that go on, one subscription per session that has any. */
export class CommitFollower {
  readonly #bus: Bus;
  readonly #onCommitted: (live: LiveRun, sequence: number) => void;
  readonly #sessions = new LiveMap<string, Followed>();

  constructor(bus: Bus, onCommitted: (live: LiveRun, sequence: number) => void) {
    this.#bus = bus;
    this.#onCommitted = onCommitted;
  }

  /** Once is enough. */
  add(live: LiveRun): void {
    const { session_id } = live.run.identity;
    const followed = this.#sessions.get(session_id);
    if (followed !== undefined) {
      if (!followed.runs.includes(live)) followed.runs.push(live);
      return;
    }
    const unsubscribe = this.#bus.follow(session_id, (committed) => this.#committed(committed));
    this.#sessions.set(session_id, { runs: [live], unsubscribe });
  }

  remove(live: LiveRun): void {
    const { session_id } = live.run.identity;
    const followed = this.#sessions.get(session_id);
    if (followed === undefined) return;
    followed.runs = followed.runs.filter((each) => each !== live);
    if (followed.runs.length > 0) return;
    followed.unsubscribe();
    this.#sessions.delete(session_id);
  }

  #committed(committed: Committed): void {
    for (const live of this.#sessions.get(committed.session_id)?.runs ?? []) {
      const sequence = lastSequence(committed, live.run_id);
      if (sequence !== null) this.#onCommitted(live, sequence);
    }
  }
}
