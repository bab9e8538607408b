import { forcedStop } from '@rostra/kernel/run/forced-stop';
import { PARTS_SINCE } from '@rostra/protocol/runner/context-part';
import { RunProcessParams } from '@rostra/protocol/runner/wire-params';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';
import { LiveMap } from '@rostra/transport/live-map';
import { quoted } from '../discovery/runner-log.ts';
import type { RunnerConnection, RunnerDescriptor } from '../discovery/runner-pool.ts';
import { ApiCalls, type CallerRuns } from './api-calls.ts';
import type { ApiDoor } from './api-door.ts';
import type { AgentTexts } from './context-text.ts';
import type { LiveRun, RunPlace } from './live-run.ts';
import type { Complaint } from './result-line.ts';
import { RunChildren } from './run-children.ts';
import type { StopOutcome } from './run-message.ts';
import { SeenIds } from './seen-ids.ts';
import { SentParts } from './sent-parts.ts';

/** What a runner may do wrong: with a single result, by naming a run that it was not given, by starting too much. */
export type Misdeed = Complaint | 'foreign_run' | 'too_many_children';

/** What a link makes known of its runs. */
export interface LinkEvents {
  accepted(live: LiveRun): void;
  results(live: LiveRun, results: readonly unknown[], bytes: number): void;
  alive(live: LiveRun): void;
  misdeed(place: RunPlace, misdeed: Misdeed, run_id: string): void;
  /** The process is gone, with everything that ran in it. */
  lost(runs: readonly LiveRun[], sentence: string): void;
}

export interface LinkOptions {
  /** Runs that one process may have at once. */
  readonly runs_max?: number;
  /** Where the runner's calls of its host go. */
  readonly door?: ApiDoor;
}

/**
 * The runs of one connection. Identity comes from the connection: a run that was not dispatched on it does not exist
 * for it, whatever id it names (RP-6.13).
 */
export class RunnerLink implements RunPlace {
  readonly #connection: RunnerConnection;
  readonly #sharing: RunnerDescriptor['processes'];
  readonly #events: LinkEvents;
  readonly #runs = new LiveMap<string, LiveRun>();
  readonly #ended = new SeenIds(limits.ended_runs);
  readonly #children = new RunChildren();
  readonly #parts: SentParts | null;
  readonly #runsMax: number;
  #waiting: { live: LiveRun; begin: () => void }[] = [];
  #closed = false;

  constructor({ connection, processes, package_name }: RunnerDescriptor, events: LinkEvents, options: LinkOptions) {
    const { runs_max = limits.runner_runs, door } = options;
    this.#connection = connection;
    this.#sharing = processes;
    this.#events = events;
    this.#runsMax = runs_max;
    this.#parts = keepsParts(connection) ? new SentParts(connection.peer) : null;
    this.#on('RUN_ACCEPTED', (live) => events.accepted(live));
    this.#on('RUN_ALIVE', (live) => events.alive(live));
    this.#on('RESULTS', (live, params, bytes) => this.#results(live, params, bytes));
    this.#onProcess('RUN_SPAWNED', (run_id, pid) => this.#spawned(run_id, pid));
    this.#onProcess('RUN_REAPED', (run_id, pid) => this.#reaped(run_id, pid));
    if (door !== undefined) new ApiCalls(connection.peer, door, this.#callers(), package_name);
    connection.peer.onClose(() => {
      this.#closed = true;
    });
    void connection.lost.then((sentence) => {
      this.#displace();
      events.lost([...this.#runs.values()], sentence);
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
    const hasRoom = this.#runs.size < this.#runsMax;
    if (!hasRoom && this.#waiting.length >= limits.runner_waiting) return false;
    this.#connection.enter(live.run_id);
    live.place = this;
    if (hasRoom) this.#begin(live, begin);
    else this.#waiting.push({ live, begin });
    return true;
  }

  #begin(live: LiveRun, begin: () => void): void {
    this.#runs.add(live.run_id, live);
    begin();
  }

  remove(run_id: string): void {
    if (this.#runs.delete(run_id)) this.#ended.addNew(run_id);
    else this.#waiting = this.#waiting.filter(({ live }) => live.run_id !== run_id);
    this.#connection.leave(run_id);
    while (this.#runs.size < this.#runsMax) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#begin(next.live, next.begin);
    }
  }

  async endChildren(run_id: string): Promise<number> {
    const groups = this.#children.take(run_id);
    return groups.length === 0 ? 0 : this.#connection.killGroups(groups);
  }

  async force(run_id: string): Promise<Omit<StopOutcome, 'outcome'>> {
    const killing = this.endChildren(run_id);
    const process = await this.#forceProcess(`run ${quoted(run_id)} did not stop when it was cancelled.`);
    return { process, children_killed: await killing };
  }

  async doubt(): Promise<void> {
    // One of a single session is waited for: what it holds of that is lost with it.
    if (this.#sharing !== 'shared' || (await this.#connection.ping(limits.cancel_ping)) || this.#closed) return;
    this.#connection.drain();
    this.#displace();
  }

  async #forceProcess(why: string): Promise<StopOutcome['process']> {
    if (this.#closed) return 'killed';
    let next = forcedStop(this.#sharing, null);
    if (next === 'ping') next = forcedStop(this.#sharing, await this.#connection.ping(limits.cancel_ping));
    if (next === 'drain') {
      this.#connection.drain();
      this.#displace();
      // With nobody else in it there is no reason to be patient with the run that did not stop.
      if (this.#runs.size === 0) void this.#connection.kill(why);
      return 'drained';
    }
    await this.#connection.kill(why);
    return 'killed';
  }

  /** This process takes no more runs: those that wait for it, and have not begun, find another one. */
  #displace(): void {
    for (const { live } of this.#waiting.splice(0)) {
      this.#connection.leave(live.run_id);
      live.place = null;
      live.route(live);
    }
  }

  /** Where the runner keeps what all runs of an agent are told alike; null if every run has to be told. */
  placeOf(texts: AgentTexts): number | null {
    return this.#parts?.placeOf(texts) ?? null;
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

  /** Who may call the host here: runs that were begun on this connection and are not over. */
  #callers(): CallerRuns {
    return {
      live: (run_id) => {
        const live = this.#runs.get(run_id);
        return live?.isDispatched === true ? live : null;
      },
      wasLive: (run_id) => this.#ended.has(run_id),
    };
  }

  #on(method: WireMethod, act: (live: LiveRun, params: { [key: string]: Json }, bytes: number) => void): void {
    this.#connection.peer.onNotification(method, (params, bytes) => {
      if (!isJsonObject(params) || typeof params.run_id !== 'string') {
        this.#events.misdeed(this, 'malformed', '');
        return;
      }
      const live = this.#runs.get(params.run_id);
      if (live !== undefined) act(live, params, bytes);
      else this.#unknown(params.run_id);
    });
  }

  #onProcess(method: WireMethod, act: (run_id: string, pid: number) => void): void {
    this.#connection.peer.onNotification(method, (params) => {
      const parsed = RunProcessParams.safeParse(params);
      if (parsed.success) act(parsed.data.run_id, parsed.data.pid);
      else this.#events.misdeed(this, 'malformed', '');
    });
  }

  /** What a run starts after its end is ended at once: nobody else would. */
  #spawned(run_id: string, pid: number): void {
    const isLive = this.#runs.has(run_id);
    if (!isLive) this.#unknown(run_id);
    if (!isLive && !this.#ended.has(run_id)) return;
    this.#connection.spawned(pid);
    if (isLive && this.#children.add(run_id, pid)) return;
    if (isLive) this.#events.misdeed(this, 'too_many_children', run_id);
    void this.#connection.killGroups([pid]);
  }

  #reaped(run_id: string, pid: number): void {
    this.#children.remove(run_id, pid);
    this.#connection.reaped(pid);
  }

  #unknown(run_id: string): void {
    this.#events.misdeed(this, this.#ended.has(run_id) ? 'after_terminal' : 'foreign_run', run_id);
  }

  #results(live: LiveRun, { results }: { [key: string]: Json }, bytes: number): void {
    if (Array.isArray(results)) this.#events.results(live, results, bytes);
    else this.#events.misdeed(this, 'malformed', live.run_id);
  }
}

/** A runner elsewhere is told everything every time: whoever looks at its lines on the way can read each for itself. */
function keepsParts({ minor, pid }: RunnerConnection): boolean {
  return minor >= PARTS_SINCE && pid !== undefined;
}
