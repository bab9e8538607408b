import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';
import type { RunnerConnection } from '../discovery/runner-process.ts';
import type { LiveRun, RunPlace } from './live-run.ts';
import type { Complaint } from './result-line.ts';
import { SeenIds } from './seen-ids.ts';

/** What a runner may do wrong: with a single result, or by naming a run that it was not given. */
export type Misdeed = Complaint | 'foreign_run';

/** What a link makes known of its runs. */
export interface LinkEvents {
  accepted(live: LiveRun): void;
  results(live: LiveRun, results: readonly unknown[], bytes: number): void;
  alive(live: LiveRun): void;
  misdeed(place: RunPlace, misdeed: Misdeed, run_id: string): void;
  /** The process is gone, with everything that ran in it. */
  lost(runs: readonly LiveRun[], sentence: string): void;
}

/**
 * The runs of one connection. Identity comes from the connection: a run that was not dispatched on it does not exist
 * for it, whatever id it names (RP-6.13).
 */
export class RunnerLink implements RunPlace {
  readonly #connection: RunnerConnection;
  readonly #events: LinkEvents;
  readonly #runs = new Map<string, LiveRun>();
  readonly #ended = new SeenIds(limits.ended_runs);
  readonly #runsMax: number;
  #waiting: { live: LiveRun; begin: () => void }[] = [];
  #closed = false;

  constructor(connection: RunnerConnection, events: LinkEvents, runsMax: number) {
    this.#connection = connection;
    this.#events = events;
    this.#runsMax = runsMax;
    this.#on('RUN_ACCEPTED', (live) => events.accepted(live));
    this.#on('RUN_ALIVE', (live) => events.alive(live));
    this.#on('RESULTS', (live, params, bytes) => this.#results(live, params, bytes));
    connection.peer.onClose(() => {
      this.#closed = true;
    });
    void connection.lost.then((sentence) => {
      const waiting = this.#waiting.splice(0).map(({ live }) => live);
      events.lost([...this.#runs.values(), ...waiting], sentence);
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Begins a run as soon as the process has room for it; false when too many wait already. Whoever waits too long is
   * given up by its session, which has had no acknowledgement.
   */
  enter(live: LiveRun, begin: () => void): boolean {
    if (this.#runs.size < this.#runsMax) this.#begin(live, begin);
    else if (this.#waiting.length < limits.runner_waiting) this.#waiting.push({ live, begin });
    else return false;
    return true;
  }

  #begin(live: LiveRun, begin: () => void): void {
    this.#runs.set(live.run_id, live);
    live.place = this;
    begin();
  }

  remove(run_id: string): void {
    this.#runs.delete(run_id);
    this.#ended.add(run_id);
    while (this.#runs.size < this.#runsMax) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      if (!next.live.over) this.#begin(next.live, next.begin);
    }
  }

  request(method: WireMethod, params: unknown): Promise<Json> {
    return this.#connection.peer.request(method, params);
  }

  notify(method: WireMethod, params: unknown): void {
    try {
      this.#connection.peer.notify(method, params);
    } catch (error) {
      // The runner reads nothing of what it is sent; that shows in its runs, and nothing is owed to it meanwhile.
      if (!(error instanceof ApiError)) throw error;
      this.warn(`${method} could not be sent: ${error.message}`);
    }
  }

  warn(text: string): void {
    this.#connection.log.warn(text);
  }

  #on(method: WireMethod, act: (live: LiveRun, params: { [key: string]: Json }, bytes: number) => void): void {
    this.#connection.peer.onNotification(method, (params, bytes) => {
      if (typeof params !== 'object' || params === null || Array.isArray(params) || typeof params.run_id !== 'string') {
        this.#events.misdeed(this, 'malformed', '');
        return;
      }
      const live = this.#runs.get(params.run_id);
      if (live !== undefined) act(live, params, bytes);
      else this.#unknown(params.run_id);
    });
  }

  #unknown(run_id: string): void {
    this.#events.misdeed(this, this.#ended.has(run_id) ? 'after_terminal' : 'foreign_run', run_id);
  }

  #results(live: LiveRun, { results }: { [key: string]: Json }, bytes: number): void {
    if (Array.isArray(results)) this.#events.results(live, results, bytes);
    else this.#events.misdeed(this, 'malformed', live.run_id);
  }
}
