import { bindingIdOf, type RunTrigger } from '@rostra/kernel/context/event-envelope';
import { localeOf } from '@rostra/kernel/context/run-context';
import { isTrigger } from '@rostra/kernel/projection/turn-origins';
import { newRun } from '@rostra/kernel/run/run';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { limits, timeouts } from '@rostra/protocol/wire/limits';
import type { Bus, Unsubscribe } from '../bus/port.ts';
import type { AgentCatalog } from '../discovery/agent-catalog.ts';
import type { RunnerClock } from '../discovery/runner-clock.ts';
import { quoted } from '../discovery/runner-log.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { LiveRun } from './live-run.ts';
import type { ResultEffects } from './result-effects.ts';
import type { Failure } from './run-message.ts';
import { RunSupervisor } from './run-supervisor.ts';
import type { RunVoice } from './run-voice.ts';
import type { Misdeed } from './runner-link.ts';
import { SeenIds } from './seen-ids.ts';
import { VoiceOfRuns } from './voice-of-runs.ts';

export interface OrchestratorOptions extends DispatcherOptions {
  readonly bus: Bus;
  readonly clock: RunnerClock;
  readonly agents: AgentCatalog;
  /** What results do before they are told. */
  readonly effects?: ResultEffects;
  /** T_turn in milliseconds: the deadline that a run is told. */
  readonly turn_timeout?: number;
  /** Whether what an agent was at can be gone on with by another run; of none unless told. */
  readonly resumable?: (agent_id: string) => boolean;
}

/** What is live now, and counters since the start. */
export interface OrchestratorStats {
  readonly live: number;
  /** Live runs that no process has taken yet. */
  readonly waiting: number;
  readonly dispatched: number;
  readonly repeated: number;
  readonly misdeeds: Readonly<Partial<Record<Misdeed, number>>>;
}

const stopping: Failure = {
  code: 'host.restarted',
  message: 'The host was shut down before the run ended.',
  retryable: true,
};

/** Runs agents: a turn's input in, RUN_AGENT to a warm process, its results out as session messages. */
export class Orchestrator {
  readonly #options: OrchestratorOptions;
  readonly #runs: RunSupervisor;
  readonly #dispatcher: Dispatcher;
  readonly #voice: VoiceOfRuns;
  readonly #seen = new SeenIds(limits.seen_messages);
  #repeated = 0;
  #stopping = false;
  #unsubscribe: Unsubscribe | null = null;

  constructor(options: OrchestratorOptions) {
    this.#options = options;
    this.#runs = new RunSupervisor(options.bus, options.clock, options);
    this.#dispatcher = new Dispatcher(options, this.#runs);
    this.#voice = new VoiceOfRuns(this.#runs);
  }

  /** For those who act for runs: the inbox, steering, the budget, the gate. */
  get voice(): RunVoice {
    return this.#voice;
  }

  start(): void {
    this.#unsubscribe = this.#options.bus.subscribe('orchestrator', (message) => this.#receive(message));
  }

  stats(): OrchestratorStats {
    return {
      live: this.#runs.live.length,
      waiting: this.#runs.live.filter(({ run }) => run.phase === 'starting').length,
      dispatched: this.#dispatcher.dispatched,
      repeated: this.#repeated,
      misdeeds: this.#runs.misdeeds,
    };
  }

  /**
   * Takes no more runs and waits up to `drain` ms for the live ones; what is left then fails visibly, but for runs that
   * wait for people or can be resumed: the session keeps them, and goes on with them as after a crash.
   */
  async stop({ drain }: { drain: number }): Promise<void> {
    this.#stopping = true;
    if (drain > 0) await this.#drained(drain);
    this.#runs.close();
    for (const live of this.#runs.live) {
      if (live.run.paused_at === null && !this.#isResumable(live)) this.#runs.end(live, stopping);
      else this.#runs.terminate(live);
    }
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  /** One that is being stopped is not gone on with. */
  #isResumable({ run }: LiveRun): boolean {
    return run.cancel_requested_at === null && this.#options.resumable?.(run.identity.agent_id) === true;
  }

  #drained(drain: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const callOff = clock.at(clock.now() + drain, resolve);
      void this.#runs.idle().then(() => {
        callOff();
        resolve();
      });
    });
  }

  #receive(message: SessionMessage): void {
    // The outbox sends at least once: what was seen is done (SR-INV-D4).
    if (!this.#seen.add(nameOf(message))) {
      this.#repeated += 1;
      return;
    }
    if (isTrigger(message)) {
      this.#begin(message);
      return;
    }
    if (message.event !== 'CONTROL') return;
    const run_id = message.subtype === 'REQUEST_TERMINATE_RUN' ? message.payload.run_id : message.run_id;
    const live = this.#runs.find(run_id);
    // A run that is over has been heard of: whatever ended it is on its way to the session.
    if (live === undefined) return;
    // A cancel that belongs to no transaction is a farewell: its turn is over, and nobody will ask for more.
    if (message.subtype === 'CANCEL') this.#runs.cancel(live, message.tx_id !== undefined);
    else if (message.subtype === 'REQUEST_TERMINATE_RUN') this.#runs.terminate(live);
    else if (message.subtype === 'INTERACTION_ANSWERED' || message.subtype === 'INTERACTION_EXPIRED') {
      this.#runs.resume(live, message.payload.interaction_id);
      this.#voice.heard(live, message);
    } else if (message.subtype === 'HANDOVER_REJECTED') this.#voice.heard(live, message);
  }

  #begin(trigger: RunTrigger): void {
    const { run_id, turn_id, session_id, epoch, target_id: agent_id } = trigger;
    if (run_id === undefined || turn_id === undefined || agent_id === undefined) {
      throw new Error(`${trigger.id} starts a run and does not say which`);
    }
    if (this.#runs.has(run_id)) return;
    const trace_id = trigger.trace_id ?? run_id;
    const sender = { kind: 'agent' as const, id: agent_id };
    const deadline_at = trigger.ts + (this.#options.turn_timeout ?? timeouts.turn);
    const locale = localeOf(trigger);
    const about = { run_id, turn_id, session_id, agent_id, trace_id, epoch, sender };
    const identity = locale === null ? about : { ...about, locale };
    const run = newRun(identity, deadline_at, trigger.payload.resume ?? null);
    // Live runs keep the binding that they began with, whatever the catalog is replaced by.
    const binding = this.#options.agents.find(agent_id, bindingIdOf(trigger));
    const live = new LiveRun(run, this.#options.clock.now(), (again) => {
      if (binding !== null) this.#dispatcher.route(again, { trigger, binding });
    });
    this.#runs.add(live);
    if (this.#stopping) this.#runs.end(live, stopping);
    else if (binding !== null) live.route(live);
    else {
      const text = `There is no agent ${quoted(agent_id.slice(0, limits.agent_id_chars))} on this host.`;
      this.#runs.end(live, { code: 'agent.not_found', message: text, retryable: false });
    }
  }
}

/** Ids of messages are names in their session; a run, which begins with one message, has a name of its own. */
function nameOf(message: SessionMessage): string {
  if (isTrigger(message) && message.run_id !== undefined) return message.run_id;
  return `${message.session_id} ${message.id}`;
}
