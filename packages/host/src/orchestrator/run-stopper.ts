import type { RunRef } from '@rostra/protocol/runner/wire-params';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { RunnerClock } from '../discovery/runner-clock.ts';
import { quoted } from '../discovery/runner-log.ts';
import type { LiveRun } from './live-run.ts';
import { cancelReport, type StopOutcome } from './run-message.ts';

/**
 * Ends the work of runs: asks the runner, gives it time, then forces it.
 *
 * S1. A runner is asked once per run, by CANCEL_RUN; its answer says that it has stopped.
 * S2. Where nobody else watches the time, a runner that has not stopped within its grace is forced.
 * S3. Nobody else begins in a process that hears neither that nor a ping.
 * S4. Of every run whose end a session asked for, one report says what was stopped to get it.
 */
export class RunStopper {
  readonly #clock: RunnerClock;
  readonly #publish: (message: SessionMessage) => void;
  readonly #watches = new Set<() => void>();
  #closed = false;

  constructor(clock: RunnerClock, publish: (message: SessionMessage) => void) {
    this.#clock = clock;
    this.#publish = publish;
  }

  /** `grace` is null where the session watches the time and says when it is over. */
  ask(live: LiveRun, grace: number | null, then: { stopped?: () => void; late?: () => void } = {}): void {
    const { place, run_id } = live;
    if (place === null) return;
    const { stopped, late = () => this.force(live) } = then;
    const callOff = grace === null || this.#closed ? () => undefined : this.#watch(grace, late);
    const params: RunRef = { run_id };
    void place.doubt();
    place.request('CANCEL_RUN', params).then(
      () => {
        callOff();
        stopped?.();
      },
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        if (!place.closed) place.warn(`run ${quoted(run_id)} could not be cancelled: ${quoted(error.message)}`);
      },
    );
  }

  /** The run has stopped by itself, or had nowhere begun; what it started beside its runner goes with it. */
  acknowledged(live: LiveRun): void {
    void this.#settled(live, 'acknowledged', async ({ place, run_id }) => ({
      process: place?.closed === true ? 'killed' : 'kept',
      children_killed: (await place?.endChildren(run_id)) ?? 0,
    }));
  }

  /** It did not stop in time: its children go, and its process drains or is killed. */
  force(live: LiveRun): void {
    if (this.#closed) return;
    if (live.answered) this.acknowledged(live);
    else void this.#settled(live, 'forced', ({ place, run_id }) => place?.force(run_id) ?? nothingToStop());
  }

  /** Nobody is forced any more: every runner is about to be ended. */
  close(): void {
    this.#closed = true;
    for (const callOff of [...this.#watches]) callOff();
  }

  async #settled(
    live: LiveRun,
    outcome: StopOutcome['outcome'],
    end: (live: LiveRun) => Promise<Omit<StopOutcome, 'outcome'>>,
  ): Promise<void> {
    const { process, children_killed } = await end(live);
    if (live.run.cancel_requested_at === null) return;
    this.#publish(cancelReport(live.run, this.#clock.now(), { outcome, process, children_killed }));
  }

  #watch(grace: number, act: () => void): () => void {
    const callOff = () => {
      stopTimer();
      this.#watches.delete(callOff);
    };
    const stopTimer = this.#clock.at(this.#clock.now() + grace, () => {
      this.#watches.delete(callOff);
      act();
    });
    this.#watches.add(callOff);
    return callOff;
  }
}

function nothingToStop(): Promise<Omit<StopOutcome, 'outcome'>> {
  return Promise.resolve({ process: 'kept', children_killed: 0 });
}
