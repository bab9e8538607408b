import { clientToolIn } from '@rostra/kernel/grant/client-tool';
import { charge, overrun, settle } from '@rostra/kernel/run/credit';
import { acceptRun, cancelRun, pauseRun, resumeRun } from '@rostra/kernel/run/run';
import { dropResult } from '@rostra/kernel/run/take-result';
import type { RunResultType } from '@rostra/protocol/runner/run-result';
import type { RunCreditParams } from '@rostra/protocol/runner/wire-params';
import { loggedName } from '@rostra/protocol/session/client-call';
import type { MessageEnvelope, SessionMessage } from '@rostra/protocol/session/message';
import { limits, timeouts } from '@rostra/protocol/wire/limits';
import { LiveMap } from '@rostra/transport/live-map';
import type { Bus } from '../bus/port.ts';
import type { RunnerClock } from '../discovery/runner-clock.ts';
import { quoted } from '../discovery/runner-log.ts';
import { hit } from '../failpoint.ts';
import { CommitFollower } from './commit-follower.ts';
import { chargeHeld, EffectLine } from './effect-line.ts';
import type { HeldLine, LiveRun, RunPlace } from './live-run.ts';
import type { EffectOutcome, ResultEffects } from './result-effects.ts';
import { applyLine, countOf } from './result-line.ts';
import { resultRows } from './results.ts';
import { account } from './run-account.ts';
import { RunDeadlines } from './run-deadlines.ts';
import { cancelAck, closeRun, counted, type Failure, inputAck, numbered, runAlive } from './run-message.ts';
import { RunStopper } from './run-stopper.ts';
import type { LinkEvents, Misdeed } from './runner-link.ts';

/** The live runs: what their runners and their sessions make of them, from dispatch to the one end of each. */
export class RunSupervisor implements LinkEvents {
  readonly #bus: Bus;
  readonly #clock: RunnerClock;
  readonly #options: { readonly effects?: ResultEffects };
  readonly #live = new LiveMap<string, LiveRun>();
  readonly #deadlines: RunDeadlines;
  readonly #commits: CommitFollower;
  readonly #stopper: RunStopper;
  readonly #effects: EffectLine;
  readonly #misdeeds: Partial<Record<Misdeed, number>> = {};
  readonly #onIdle: (() => void)[] = [];

  /** `effects` is asked when a result comes, so that whoever provides them may be made later. */
  constructor(bus: Bus, clock: RunnerClock, options: { readonly effects?: ResultEffects } = {}) {
    this.#bus = bus;
    this.#clock = clock;
    this.#options = options;
    this.#deadlines = new RunDeadlines(clock, this.#live, (live) => this.end(live, late));
    this.#commits = new CommitFollower(bus, (live, sequence) => this.#settle(live, sequence));
    this.#effects = new EffectLine({
      done: (live, type, outcome) => this.#told(live, type, outcome),
      take: (live, line) => this.#take(live, line),
    });
    this.#stopper = new RunStopper(clock, (message) => this.#publish(message));
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
    this.#live.add(live.run_id, live);
    this.#deadlines.watch(live);
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
    hit('run.accepted');
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
    const line = { results, bytes, from: 0 };
    if (live.held === null) this.#take(live, line);
    else {
      live.held.push(line);
      if (overrun(chargeHeld(live.credit, live.held))) this.end(live, overrunning);
    }
  }

  #take(live: LiveRun, { results, bytes, from }: HeldLine): void {
    const now = this.#clock.now();
    const { effects } = this.#options;
    const { usage } = live.run;
    const { run, messages, complaints, notes, pending } = applyLine(live.run, results, bytes, now, { effects, from });
    live.run = run;
    // What waits is paid for when it is told.
    if (pending === null)
      live.credit = charge(live.credit, { results: countOf(results), bytes }, run.next_sequence - 1);
    if (messages.length > 0) live.heard_at = now;
    hit('run.results');
    this.#follow(live);
    for (const message of messages) {
      // What the session makes of one message may end the run before the next.
      if (live.over) break;
      this.#publish(toolNamed(live, message));
    }
    account(live, usage, messages);
    if (live.place !== null) for (const complaint of complaints) this.misdeed(live.place, complaint, live.run_id);
    this.#note(live, notes);
    if (live.over) return;
    if (run.phase === 'ended') {
      this.#release(live);
      if (run.cancel_requested_at !== null) this.#stopper.acknowledged(live);
    } else if (complaints.includes('too_large')) {
      const message = `A result was larger than ${limits.result_bytes} bytes.`;
      this.end(live, { code: 'payload_too_large', message, retryable: false });
    } else if (overrun(live.credit)) this.end(live, overrunning);
    else if (pending !== null) this.#effects.perform(live, pending, { results, bytes, from: pending.next });
    else this.#settle(live, -1);
  }

  #told(live: LiveRun, type: RunResultType, outcome: EffectOutcome): void {
    if ('drop' in outcome) {
      live.run = dropResult(live.run);
      live.place?.warn(`run ${quoted(live.run_id)}: ${type} was dropped: ${quoted(outcome.drop)}`);
      return;
    }
    const messages: SessionMessage[] = [];
    const { usage } = live.run;
    const notes: string[] = [];
    const run = resultRows[type](live.run, outcome.tell, this.#clock.now(), messages, notes);
    this.#note(live, notes);
    live.run = run ?? dropResult(live.run);
    if (run === null && live.place !== null) this.misdeed(live.place, 'malformed', live.run_id);
    for (const message of messages) if (!live.over) this.#publish(toolNamed(live, message));
    account(live, usage, messages);
  }

  /** From what a run says first and goes on after: one that says all in one line gets no credit back. */
  #follow(live: LiveRun): void {
    if (live.run.phase !== 'ended' && !live.over) this.#commits.add(live);
  }

  #note(live: LiveRun, notes: readonly string[]): void {
    for (const note of notes) live.place?.warn(`run ${quoted(live.run_id)}: ${quoted(note)}`);
  }

  /** A message in the name of the run, numbered like its results and in order with them; false when it is over. */
  tell(live: LiveRun, make: (envelope: MessageEnvelope) => SessionMessage): boolean {
    if (live.over || live.run.phase === 'ended') return false;
    const now = this.#clock.now();
    const message = make(numbered(live.run, now));
    live.run = counted(live.run);
    live.heard_at = now;
    this.#follow(live);
    this.#publish(message);
    account(live, live.run.usage, [message]);
    return true;
  }

  misdeed(place: RunPlace, misdeed: Misdeed, run_id: string): void {
    this.#misdeeds[misdeed] = (this.#misdeeds[misdeed] ?? 0) + 1;
    place.warn(`run ${quoted(run_id.slice(0, limits.run_id_chars))}: ${misdeed}`);
  }

  lost(runs: readonly LiveRun[], message: string): void {
    for (const live of runs) this.endAfter(live, { code: 'runner.exited', message, retryable: true });
  }

  /** `isAwaited`: the session watches the time, and terminates the run when it is over. */
  cancel(live: LiveRun, isAwaited: boolean): void {
    const { run, next } = cancelRun(live.run, this.#clock.now());
    live.run = run;
    if (next === 'ended') {
      this.#release(live);
      this.#publish(cancelAck(run, this.#clock.now()));
      this.#stopper.acknowledged(live);
    } else if (next === 'ask') {
      const stopped = () => this.end(live, 'stopped');
      const late = () => this.terminate(live);
      this.#stopper.ask(live, isAwaited ? null : timeouts.cancel, { stopped, late });
    }
  }

  /**
   * The session has given the run up: its id is dead from here on. After a cancel that was not obeyed its work is ended
   * by force; otherwise (the session is somebody else's now) the runner is asked first, with little patience.
   */
  terminate(live: LiveRun): void {
    if (live.over) return;
    const { run, next } = cancelRun(live.run, this.#clock.now());
    if (next === 'ask') live.run = run;
    this.#close(live, 'abandoned');
    const stopped = () => this.#stopper.acknowledged(live);
    if (next === 'ask') this.#stopper.ask(live, limits.runner_grace, { stopped });
    else if (next === 'ignore') this.#stopper.force(live);
  }

  /** A person is asked: the deadline stands still. */
  pause(live: LiveRun, interaction_id: string): void {
    live.run = pauseRun(live.run, interaction_id, this.#clock.now());
  }

  /** A person has answered, or will not any more: the deadline runs on. */
  resume(live: LiveRun, interaction_id: string): void {
    live.run = resumeRun(live.run, interaction_id, this.#clock.now());
  }

  /** The run ends for a reason that is no result of it; a runner that may still be at it is made to stop. */
  end(live: LiveRun, why: Failure | 'stopped'): void {
    if (live.over) return;
    const { phase, cancel_requested_at } = live.run;
    const atWork = live.place?.closed === false && !live.answered && phase !== 'starting';
    this.#close(live, why);
    if (cancel_requested_at === null) {
      if (atWork) this.#stopper.ask(live, timeouts.cancel);
    } else if (atWork && why !== 'stopped') this.#stopper.force(live);
    else this.#stopper.acknowledged(live);
  }

  /** The same, once everything that the run has said is told. */
  endAfter(live: LiveRun, why: Failure): void {
    if (live.held === null) this.end(live, why);
    else live.later.push(() => this.end(live, why));
  }

  /** The runner has done with the run; processes that it forgot are ended. */
  answered(live: LiveRun): void {
    live.answered = true;
    void live.place?.endChildren(live.run_id);
  }

  /** No runner is forced to stop any more: all of them are about to be ended. */
  close(): void {
    this.#stopper.close();
  }

  #close(live: LiveRun, why: Failure | 'stopped' | 'abandoned'): void {
    const { run, message } = closeRun(live.run, why, this.#clock.now());
    live.run = run;
    this.#release(live);
    if (message !== null) this.#publish(message);
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
    live.close();
    this.#live.delete(live.run_id);
    live.place?.remove(live.run_id);
    this.#commits.remove(live);
    if (this.#live.size > 0) return;
    this.#deadlines.rest();
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #publish(message: SessionMessage): void {
    this.#bus.publish('session', message);
  }
}

/** The log tells what the client runs apart from what the host or the runner does. */
function toolNamed(live: LiveRun, message: SessionMessage): SessionMessage {
  if (message.event !== 'AGENT_OUTPUT') return message;
  if (message.subtype !== 'tool.call.started' && message.subtype !== 'tool.call.completed') return message;
  const { payload } = message;
  if (!live.isDispatched || clientToolIn(live.charter.grant, payload.tool_name) === undefined) return message;
  message.payload = { ...payload, tool_name: loggedName(payload.tool_name) };
  return message;
}

const late: Failure = {
  code: 'deadline_exceeded',
  message: 'The run did not end before its deadline.',
  retryable: true,
};

const overrunning: Failure = {
  code: 'runner.overrun',
  message: 'The runner sent far more than it was given credit for.',
  retryable: false,
};
