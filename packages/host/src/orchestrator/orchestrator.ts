import { buildRunContext, type RunTrigger } from '@rostra/kernel/context/run-context';
import { newRun, sendRun } from '@rostra/kernel/run/run';
import type { AgentRunRequest } from '@rostra/protocol/runner/wire-params';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits, timeouts } from '@rostra/protocol/wire/limits';
import type { Bus, Unsubscribe } from '../bus/port.ts';
import type { AgentBinding, AgentCatalog } from '../discovery/agent-catalog.ts';
import type { RunnerClock } from '../discovery/runner-clock.ts';
import { quoted } from '../discovery/runner-log.ts';
import type { RunnerConnection } from '../discovery/runner-process.ts';
import type { RunnerDescriptor, RunnerRegistry } from '../discovery/runner-registry.ts';
import { RunnerStartError } from '../discovery/runner-start-error.ts';
import { LiveRun } from './live-run.ts';
import type { Failure } from './run-message.ts';
import { RunSupervisor } from './run-supervisor.ts';
import { type Misdeed, RunnerLink } from './runner-link.ts';
import { SeenIds } from './seen-ids.ts';

export interface OrchestratorOptions {
  readonly bus: Bus;
  readonly clock: RunnerClock;
  readonly agents: AgentCatalog;
  readonly runners: RunnerRegistry;
  readonly workspace_id: string;
  /** T_turn in milliseconds: the deadline that a run is told. */
  readonly turn_timeout?: number;
  /** Runs that one process may have at once. */
  readonly runs_max?: number;
}

/** What is live now, and counters since the start. */
export interface OrchestratorStats {
  readonly live: number;
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
  readonly #links = new WeakMap<RunnerConnection, RunnerLink>();
  readonly #seen = new SeenIds(limits.seen_messages);
  #dispatched = 0;
  #repeated = 0;
  #stopping = false;
  #unsubscribe: Unsubscribe | null = null;

  constructor(options: OrchestratorOptions) {
    this.#options = options;
    this.#runs = new RunSupervisor(options.bus, options.clock);
  }

  start(): void {
    this.#unsubscribe = this.#options.bus.subscribe('orchestrator', (message) => this.#receive(message));
  }

  stats(): OrchestratorStats {
    return {
      live: this.#runs.live.length,
      dispatched: this.#dispatched,
      repeated: this.#repeated,
      misdeeds: this.#runs.misdeeds,
    };
  }

  /** Takes no more runs and waits up to `drain` ms for the live ones; what is left then fails visibly. */
  async stop({ drain }: { drain: number }): Promise<void> {
    this.#stopping = true;
    if (drain > 0) await this.#drained(drain);
    for (const live of this.#runs.live) this.#runs.end(live, stopping);
    this.#unsubscribe?.();
    this.#unsubscribe = null;
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
    // The outbox sends at least once: an id that was seen in its session is done (SR-INV-D4).
    if (!this.#seen.add(`${message.session_id} ${message.id}`)) {
      this.#repeated += 1;
      return;
    }
    if (message.event === 'USER_INPUT') {
      if (message.subtype === 'INPUT') this.#begin(message);
      return;
    }
    if (message.event !== 'CONTROL') return;
    if (message.subtype === 'HANDOVER_CONTEXT') {
      this.#begin(message);
      return;
    }
    const run_id = message.subtype === 'REQUEST_TERMINATE_RUN' ? message.payload.run_id : message.run_id;
    const live = this.#runs.find(run_id);
    // A run that is over has been heard of: whatever ended it is on its way to the session.
    if (live === undefined) return;
    if (message.subtype === 'CANCEL') this.#runs.cancel(live);
    else if (message.subtype === 'REQUEST_TERMINATE_RUN') this.#runs.end(live, 'abandoned');
    else if (message.subtype === 'INTERACTION_ANSWERED' || message.subtype === 'INTERACTION_EXPIRED') {
      this.#runs.resume(live, message.payload.interaction_id);
    }
  }

  #begin(message: RunTrigger): void {
    const { run_id, turn_id, session_id, epoch, target_id: agent_id } = message;
    if (run_id === undefined || turn_id === undefined || agent_id === undefined) {
      throw new Error(`${message.id} starts a run and does not say which`);
    }
    if (this.#runs.has(run_id)) return;
    const trace_id = message.trace_id ?? run_id;
    const sender = { kind: 'agent' as const, id: agent_id };
    const deadline_at = message.ts + (this.#options.turn_timeout ?? timeouts.turn);
    const run = newRun({ run_id, turn_id, session_id, agent_id, trace_id, epoch, sender }, deadline_at);
    const live = new LiveRun(run, this.#options.clock.now());
    this.#runs.add(live);
    const binding = this.#options.agents.find(agent_id);
    if (this.#stopping) this.#runs.end(live, stopping);
    else if (binding === null) {
      const text = `There is no agent ${quoted(agent_id.slice(0, limits.agent_id_chars))} on this host.`;
      this.#runs.end(live, { code: 'agent.not_found', message: text, retryable: false });
    } else this.#route(live, message, binding);
  }

  #route(live: LiveRun, trigger: RunTrigger, binding: AgentBinding): void {
    const ready = this.#options.runners.ready(binding.runner_id);
    if (ready !== null) {
      this.#dispatch(live, trigger, binding, ready);
      return;
    }
    this.#options.runners.open(binding.runner_id).then(
      (runner) => this.#dispatch(live, trigger, binding, runner),
      (error: unknown) => {
        if (!(error instanceof RunnerStartError)) throw error;
        const { code, message, retryable } = error;
        this.#runs.end(live, { code, message, retryable });
      },
    );
  }

  #dispatch(live: LiveRun, trigger: RunTrigger, binding: AgentBinding, runner: RunnerDescriptor): void {
    if (live.over) return;
    const link = this.#linkOf(runner.connection);
    const runner_name = runner.manifest.name;
    if (link.enter(live, () => this.#send(live, link, runner_name, { trigger, binding }))) return;
    const message = `The runner ${binding.runner_id} has more runs waiting than it can take.`;
    this.#runs.end(live, { code: 'runner.busy', message, retryable: true });
  }

  #send(
    live: LiveRun,
    link: RunnerLink,
    runner_name: string,
    { trigger, binding }: { trigger: RunTrigger; binding: AgentBinding },
  ): void {
    const { run_id, turn_id, trace_id, agent_id } = live.run.identity;
    const { runner_id, config } = binding;
    const { workspace_id } = this.#options;
    const ids = { run_id, turn_id, trace_id, agent_id, runner_id, workspace_id };
    const context = buildRunContext({ trigger, ...ids, config, deadline_at: live.run.deadline_at });
    live.run = sendRun(live.run);
    this.#dispatched += 1;
    const request: AgentRunRequest = { runner_id, runner_name, context };
    link.request('RUN_AGENT', request).then(
      () => this.#answered(live),
      (error: unknown) => this.#refused(live, error),
    );
  }

  /** The answer closes the run; a runner that has not ended it by a result has failed it. */
  #answered(live: LiveRun): void {
    live.answered = true;
    const message = 'The runner ended the run without a result.';
    this.#runs.end(live, { code: 'runner.error', message, retryable: false });
  }

  /** RUN_AGENT was answered by an error, or could not be sent. A lost connection ends its runs when it is known how. */
  #refused(live: LiveRun, error: unknown): void {
    if (!(error instanceof ApiError)) throw error;
    if (live.over || live.place?.closed === true) return;
    live.answered = true;
    this.#runs.end(live, failureOf(error));
  }

  #linkOf(connection: RunnerConnection): RunnerLink {
    const known = this.#links.get(connection);
    if (known !== undefined) return known;
    const link = new RunnerLink(connection, this.#runs, this.#options.runs_max ?? limits.runner_runs);
    this.#links.set(connection, link);
    return link;
  }
}

function failureOf({ code, message, retryable, details }: ApiError): Failure {
  if (details.connection !== undefined) return { code: 'runner.exited', message, retryable: true };
  if (code === 'payload_too_large') return { code, message, retryable: false };
  if (code === 'rate_limited') return { code: 'runner.busy', message, retryable: true };
  return { code: 'runner.error', message, retryable };
}
