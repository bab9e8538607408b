import { setMaxListeners } from 'node:events';
import { type Credit, fullCredit } from '@rostra/kernel/run/credit';
import { lastInstant, type Run } from '@rostra/kernel/run/run';
import type { Json } from '@rostra/protocol/wire/json';
import type { WireMethod } from '@rostra/protocol/wire/method';
import type { RunAccount } from './run-account.ts';
import { type ActiveRun, noSuchRun, type RunCharter } from './run-charter.ts';
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
  /** A run was asked to stop: while its process does not even answer a ping, nobody new is given to it. */
  doubt(): Promise<void>;
  /** Ends the processes that the run started beside its runner; resolves with how many of them were alive. */
  endChildren(run_id: string): Promise<number>;
  /** Whatever it takes to end the work of a run that did not stop by itself. */
  force(run_id: string): Promise<Omit<StopOutcome, 'outcome'>>;
}

/** Results that came while an earlier one had something to do. */
export interface HeldLine {
  readonly results: readonly unknown[];
  readonly bytes: number;
  /** Position of the first result that is not applied yet. */
  readonly from: number;
}

/** A run and what the host holds for it. The decisions are in `run` and `credit`; this only keeps the newest of each. */
export class LiveRun implements ActiveRun {
  #charter: RunCharter | null = null;
  /** Its deadline before anybody was waited for. */
  readonly #due_at: number;
  #ending: AbortController | null = null;
  run: Run;
  credit: Credit = fullCredit;
  /** Where it runs, or waits to; null until a process is found for it. */
  place: RunPlace | null = null;
  /** RUN_AGENT was answered: the runner has done with it. */
  answered = false;
  /** Who counts what it uses; null when nobody does. */
  account: RunAccount | null = null;
  /** Nothing more is published for it. */
  over = false;
  /** When the session last heard of it. */
  heard_at: number;
  /** What waits for the effect of a result; null while none is under way. */
  held: HeldLine[] | null = null;
  /** What is done when everything that it has said is told. */
  later: (() => void)[] = [];
  /** Finds a place for it; again when the one where it waited takes no more runs. */
  readonly route: (live: LiveRun) => void;

  constructor(run: Run, now: number, route: (live: LiveRun) => void) {
    this.run = run;
    this.#due_at = run.deadline_at;
    this.heard_at = now;
    this.route = route;
  }

  get run_id(): string {
    return this.run.identity.run_id;
  }

  get turn_id(): string {
    return this.run.identity.turn_id;
  }

  get session_id(): string {
    return this.run.identity.session_id;
  }

  get agent_id(): string {
    return this.run.identity.agent_id;
  }

  get deadline_at(): number {
    return lastInstant(this.run);
  }

  waited(now: number): number {
    const { deadline_at, paused_at } = this.run;
    return deadline_at - this.#due_at + (paused_at === null ? 0 : now - paused_at);
  }

  /** Its runner has it: from here on it may ask the host for things. */
  get isDispatched(): boolean {
    return this.#charter !== null && !this.over;
  }

  get charter(): RunCharter {
    if (this.#charter === null) throw new Error(`${this.run_id} was not dispatched yet`);
    return this.#charter;
  }

  /** Made when somebody asks for it: most runs ask their host for nothing. */
  get signal(): AbortSignal {
    if (this.#ending === null) {
      this.#ending = new AbortController();
      // As many listen as the run has calls in flight, and those are bounded by its connection.
      setMaxListeners(0, this.#ending.signal);
      if (this.over) this.#ending.abort(noSuchRun());
    }
    return this.#ending.signal;
  }

  dispatch(charter: RunCharter): void {
    this.#charter = charter;
  }

  /** Whatever is done for the run stops. */
  close(): void {
    this.over = true;
    this.#ending?.abort(noSuchRun());
  }
}
