import type { ApiErrorCode } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { IncomingCall } from '../orchestrator/api-door.ts';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { Failure } from '../orchestrator/run-message.ts';

export interface RefusalCountOptions {
  readonly clock: { now(): number };
  readonly fail: (run_id: string, failure: Failure) => void;
  readonly quarantine: (package_name: string, why: string) => void;
}

/** What is held against one package. */
interface Record {
  /** Refusals that belong to no run of it, in the current window. */
  nameless: number;
  /** Calls for runs of it that are over, in the current window. */
  late: number;
  /** When it went too far, within the last window. */
  strikes: number[];
  since: number;
}

/** Refusals of a run for any other reason than its grant, in thousandths: time takes them away again. */
interface Flood {
  level: number;
  at: number;
}

const CALL = 1000;

/**
 * Those who ask for what is not theirs, again and again: the run is failed, and a package of many such runs is put
 * aside. Calls that name no run of their connection cannot be held against one: so many of them count like a run. What
 * is refused for another reason is held against nobody, unless it is a flood: each refusal has its look and its row.
 */
export class RefusalCount {
  readonly #options: RefusalCountOptions;
  readonly #runs = new WeakMap<ActiveRun, number>();
  readonly #floods = new WeakMap<ActiveRun, Flood>();
  readonly #packages = new Map<string, Record>();

  constructor(options: RefusalCountOptions) {
    this.#options = options;
  }

  refused(call: Pick<IncomingCall, 'run' | 'was_live' | 'caller'>, code: ApiErrorCode): void {
    const { run, was_live = false, caller } = call;
    if (run === null) {
      // A run that has just ended may have had calls on their way.
      if (!was_live || this.#isLate(caller)) this.#nameless(caller);
    } else if (code === 'unauthorized') this.#ofRun(run, caller);
    // A fault of the host is not its caller's.
    else if (code !== 'runtime_error') this.#flood(run, caller);
  }

  #ofRun(run: ActiveRun, caller: string): void {
    const count = (this.#runs.get(run) ?? 0) + 1;
    this.#runs.set(run, count);
    if (count !== limits.run_refusals) return;
    const message = `The run asked ${count} times for what it was not granted.`;
    this.#options.fail(run.run_id, { code: 'runner.unauthorized', message, retryable: false });
    this.#strike(caller);
  }

  #flood(run: ActiveRun, caller: string): void {
    const now = this.#options.clock.now();
    const flood = this.#floods.get(run) ?? { level: 0, at: now };
    const level = Math.max(0, flood.level - (now - flood.at) * limits.run_calls_second) + CALL;
    this.#floods.set(run, { level, at: now });
    if (level <= limits.refused_calls * CALL) return;
    const message = 'The run went on making calls, far more than it may, although they were refused.';
    this.#options.fail(run.run_id, { code: 'runner.overrun', message, retryable: false });
    this.#strike(caller);
  }

  #isLate(caller: string): boolean {
    const record = this.#of(caller);
    record.late += 1;
    return record.late > limits.refused_calls;
  }

  #nameless(caller: string): void {
    const record = this.#of(caller);
    record.nameless += 1;
    if (record.nameless < limits.run_refusals) return;
    record.nameless = 0;
    this.#strike(caller);
  }

  #strike(caller: string): void {
    const record = this.#of(caller);
    const now = this.#options.clock.now();
    record.strikes = record.strikes.filter((at) => now - at < limits.refused_runs_window);
    record.strikes.push(now);
    if (record.strikes.length < limits.refused_runs) return;
    record.strikes = [];
    const seconds = limits.refused_runs_window / 1000;
    const why = `${limits.refused_runs} of its runs within ${seconds} s asked again and again for what they were not granted.`;
    this.#options.quarantine(caller, why);
  }

  #of(caller: string): Record {
    const now = this.#options.clock.now();
    let record = this.#packages.get(caller);
    if (record === undefined) {
      record = { nameless: 0, late: 0, strikes: [], since: now };
      this.#packages.set(caller, record);
    }
    if (now - record.since >= limits.refused_runs_window) {
      record.nameless = 0;
      record.late = 0;
      record.since = now;
    }
    return record;
  }
}
