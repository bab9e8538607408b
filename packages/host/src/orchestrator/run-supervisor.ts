import { charge, overrun, settle } from '@rostra/kernel/run/credit';
import { acceptRun, cancelRun, lastInstant, resumeRun } from '@rostra/kernel/run/run';
import type { RunCreditParams, RunRef } from '@rostra/protocol/runner/wire-params';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Bus } from '../bus/port.ts';
import type { RunnerClock } from '../discovery/runner-clock.ts';
import { quoted } from '../discovery/runner-log.ts';
import { CommitFollower } from './commit-follower.ts';
import type { LiveRun, RunPlace } from './live-run.ts';
import { applyLine } from './result-line.ts';
import { cancelAck, closeRun, type Failure, inputAck, runAlive } from './run-message.ts';
import type { LinkEvents, Misdeed } from './runner-link.ts';

/** The live runs: what their runners and their sessions make of them, from dispatch to the one end of each. */
export class RunSupervisor implements LinkEvents {
  readonly #bus: Bus;
  readonly #clock: RunnerClock;
  readonly #live = new Map<string, LiveRun>();
  readonly #commits: CommitFollower;
  readonly #misdeeds: Partial<Record<Misdeed, number>> = {};
  readonly #onIdle: (() => void)[] = [];

  constructor(bus: Bus, clock: RunnerClock) {
    this.#bus = bus;
    this.#clock = clock;
    this.#commits = new CommitFollower(bus, (live, sequence) => this.#settle(live, sequence));
  }

  get live(): readonly LiveRun[] {
    return [...this.#live.values()];
  }

  get misdeeds(): Readonly<Partial<Record<Misdeed, number>>> {
    return { ...this.#misdeeds };
  }

  has(run_id: string): boolean {
    return this.#live.has(run_id);
  }

  find(run_id: string | undefined): LiveRun | undefined {
    return run_id === undefined ? undefined : this.#live.get(run_id);
  }

  add(live: LiveRun): void {
    this.#live.set(live.run_id, live);
    this.#commits.add(live);
    this.#watchDeadline(live);
  }

  /** Resolves when no run is live. */
  idle(): Promise<void> {
    return this.#live.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve));
  }

  accepted(live: LiveRun): void {
    const { run, first } = acceptRun(live.run);
    live.run = run;
    if (!first) return;
    live.heard_at = this.#clock.now();
    this.#publish(inputAck(run, live.heard_at));
  }

  /** Results are signs of life as well: the session is told no more often than it needs. */
  alive(live: LiveRun): void {
    const now = this.#clock.now();
    if (now - live.heard_at < limits.runner_alive / 2) return;
    live.heard_at = now;
    this.#publish(runAlive(live.run, now));
  }

  results(live: LiveRun, results: readonly unknown[], bytes: number): void {
    const now = this.#clock.now();
    const { run, messages, complaints } = applyLine(live.run, results, bytes, now);
    live.run = run;
    live.credit = charge(live.credit, { results: results.length, bytes }, run.next_sequence - 1);
    if (messages.length > 0) live.heard_at = now;
    for (const message of messages) {
      // What the session makes of one message may end the run before the next.
      if (live.over) break;
      this.#publish(message);
    }
    if (live.place !== null) for (const complaint of complaints) this.misdeed(live.place, complaint, live.run_id);
    if (live.over) return;
    if (run.phase === 'ended') this.#release(live);
    else if (complaints.includes('too_large')) {
      const message = `A result was larger than ${limits.result_bytes} bytes.`;
      this.end(live, { code: 'payload_too_large', message, retryable: false });
    } else if (overrun(live.credit)) {
      const message = 'The runner sent far more than it was given credit for.';
      this.end(live, { code: 'runner.overrun', message, retryable: false });
    } else this.#settle(live, -1);
  }

  misdeed(place: RunPlace, misdeed: Misdeed, run_id: string): void {
    this.#misdeeds[misdeed] = (this.#misdeeds[misdeed] ?? 0) + 1;
    place.warn(`run ${quoted(run_id.slice(0, limits.run_id_chars))}: ${misdeed}`);
  }

  lost(runs: readonly LiveRun[], message: string): void {
    for (const live of runs) this.end(live, { code: 'runner.exited', message, retryable: true });
  }

  cancel(live: LiveRun): void {
    const { run, next } = cancelRun(live.run);
    live.run = run;
    if (next === 'ended') {
      this.#release(live);
      this.#publish(cancelAck(run, this.#clock.now()));
    } else if (next === 'ask') this.#askToStop(live, () => this.end(live, 'stopped'));
  }

  /** A person has answered, or will not any more: the deadline runs on. */
  resume(live: LiveRun, interaction_id: string): void {
    live.run = resumeRun(live.run, interaction_id, this.#clock.now());
  }

  /** The run ends for a reason that is no result of it; a runner that may still be at it is asked to stop. */
  end(live: LiveRun, why: Failure | 'stopped' | 'abandoned'): void {
    if (live.over) return;
    const atWork = live.place?.closed === false && !live.answered && !live.run.cancel_requested;
    const { run, message } = closeRun(live.run, why, this.#clock.now());
    live.run = run;
    this.#release(live);
    if (message !== null) this.#publish(message);
    if (atWork) this.#askToStop(live, () => undefined);
  }

  /** CANCEL_RUN; its answer says that the runner has stopped. Without one the session's own time runs out. */
  #askToStop(live: LiveRun, stopped: () => void): void {
    const { place, run_id } = live;
    if (place === null) return;
    const params: RunRef = { run_id };
    place.request('CANCEL_RUN', params).then(stopped, (error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      if (!place.closed) place.warn(`run ${quoted(run_id)} could not be cancelled: ${quoted(error.message)}`);
    });
  }

  /** The log has taken what the run said up to `sequence`; half a window at a time goes back to the runner. */
  #settle(live: LiveRun, sequence: number): void {
    const { credit, give } = settle(live.credit, sequence);
    live.credit = credit;
    if (give === null || live.over) return;
    const params: RunCreditParams = { run_id: live.run_id, ...give };
    live.place?.notify('RUN_CREDIT', params);
  }

  /** The run id is dead from here on (RP-9.6). */
  #release(live: LiveRun): void {
    live.over = true;
    live.stopTimer();
    this.#live.delete(live.run_id);
    live.place?.remove(live.run_id);
    this.#commits.remove(live);
    if (this.#live.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** The session has this deadline too; here it makes sure that no run outlives a session that is gone (RP-9.1). */
  #watchDeadline(live: LiveRun): void {
    live.stopTimer = this.#clock.at(lastInstant(live.run), () => {
      if (live.over) return;
      if (this.#clock.now() < lastInstant(live.run)) {
        this.#watchDeadline(live);
        return;
      }
      const message = 'The run did not end before its deadline.';
      this.end(live, { code: 'deadline_exceeded', message, retryable: true });
    });
  }

  #publish(message: SessionMessage): void {
    this.#bus.publish('session', message);
  }
}
