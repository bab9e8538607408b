import { type Credit, fullCredit } from '@rostra/kernel/run/credit';
import type { Run } from '@rostra/kernel/run/run';
import type { Json } from '@rostra/protocol/wire/json';
import type { WireMethod } from '@rostra/protocol/wire/method';
import type { StopOutcome } from './run-message.ts';

/** The connection that a run was given, as far as the run needs it. */
export interface RunPlace {
  /** It is over; how is known when the process is gone. */
  readonly closed: boolean;
  request(method: WireMethod, params: unknown): Promise<Json>;
  notify(method: WireMethod, params: unknown): void;
  warn(text: string): void;
  /** The run is over: what still comes of it is counted and dropped. */
  remove(run_id: string): void;
  /** Ends the processes that the run started beside its runner; resolves with how many of them were alive. */
  endChildren(run_id: string): Promise<number>;
  /** Whatever it takes to end the work of a run that did not stop by itself. */
  force(run_id: string): Promise<Omit<StopOutcome, 'outcome'>>;
}

/** A run and what the host holds for it. The decisions are in `run` and `credit`; this only keeps the newest of each. */
export class LiveRun {
  run: Run;
  credit: Credit = fullCredit;
  /** Where it runs, or waits to; null until a process is found for it. */
  place: RunPlace | null = null;
  /** RUN_AGENT was answered: the runner has done with it. */
  answered = false;
  /** Nothing more is published for it. */
  over = false;
  /** When the session last heard of it. */
  heard_at: number;
  stopTimer: () => void = () => undefined;
  /** Finds a place for it; again when the one where it waited takes no more runs. */
  readonly route: (live: LiveRun) => void;

  constructor(run: Run, now: number, route: (live: LiveRun) => void) {
    this.run = run;
    this.heard_at = now;
    this.route = route;
  }

  get run_id(): string {
    return this.run.identity.run_id;
  }
}
