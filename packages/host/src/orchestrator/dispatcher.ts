import type { RecentMessages } from '@rostra/kernel/context/bootstrap';
import { envelopeOf, type RunTrigger } from '@rostra/kernel/context/event-envelope';
import { buildRunContext, emptyState } from '@rostra/kernel/context/run-context';
import { grantOf } from '@rostra/kernel/grant/grant';
import { type HostOffers, nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { sendRun } from '@rostra/kernel/run/run';
import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import type { AgentRunRequest } from '@rostra/protocol/runner/wire-params';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { AgentBinding } from '../discovery/agent-catalog.ts';
import type { RunnerConnection, RunnerDescriptor, RunnerPool } from '../discovery/runner-pool.ts';
import { RunnerStartError } from '../discovery/runner-start-error.ts';
import { hit } from '../failpoint.ts';
import type { LiveRun } from './live-run.ts';
import { readRecent, type TranscriptReader } from './recent-messages.ts';
import type { Failure } from './run-message.ts';
import { RunPlans } from './run-plan.ts';
import type { RunSupervisor } from './run-supervisor.ts';
import { RunnerLink } from './runner-link.ts';

export interface DispatcherOptions {
  readonly runners: Pick<RunnerPool, 'ready' | 'open'>;
  readonly workspace_id: string;
  /** Runs that one process may have at once. */
  readonly runs_max?: number;
  /** What the host has to grant; nothing unless told. */
  readonly offers?: HostOffers;
  /** Where earlier messages are read for agents that get some of them; without it nobody does. */
  readonly transcript?: TranscriptReader;
  /** What runs are told of people who say nothing about it. */
  readonly locale?: string | null;
  readonly timezone?: string | null;
}

/** What a run is made from. */
export interface RunOrder {
  readonly trigger: RunTrigger;
  readonly binding: AgentBinding;
}

/** From an agent's turn to RUN_AGENT on a warm process: a place, a grant, a context. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #runs: RunSupervisor;
  readonly #plans: RunPlans;
  readonly #links = new WeakMap<RunnerConnection, RunnerLink>();
  #dispatched = 0;

  constructor(options: DispatcherOptions, runs: RunSupervisor) {
    this.#options = options;
    this.#runs = runs;
    this.#plans = new RunPlans(options.offers ?? nothingOffered);
  }

  get dispatched(): number {
    return this.#dispatched;
  }

  /** Finds a process for the run, at once if one is warm. */
  route(live: LiveRun, order: RunOrder): void {
    const { runner_id, processes, packages } = order.binding;
    const { workspace_id, runners } = this.#options;
    const { run_id, session_id } = live.run.identity;
    const key = { runner_id, workspace_id, session_id, run_id, processes, packages };
    const ready = runners.ready(key);
    if (ready !== null) {
      this.#enter(live, order, ready);
      return;
    }
    runners.open(key).then(
      (runner) => this.#enter(live, order, runner),
      (error: unknown) => {
        if (!(error instanceof RunnerStartError)) throw error;
        const { code, message, retryable } = error;
        this.#runs.end(live, { code, message, retryable });
      },
    );
  }

  #enter(live: LiveRun, order: RunOrder, runner: RunnerDescriptor): void {
    if (live.over) {
      runner.connection.leave(live.run_id);
      return;
    }
    const link = this.#linkOf(runner);
    if (link.enter(live, () => this.#begin(live, link, runner, order))) return;
    runner.connection.leave(live.run_id);
    const message = `The runner ${order.binding.runner_id} has more runs waiting than it can take.`;
    this.#runs.end(live, { code: 'runner.busy', message, retryable: true });
  }

  #begin(live: LiveRun, link: RunnerLink, { manifest }: RunnerDescriptor, order: RunOrder): void {
    const { turn_id, session_id } = live.run.identity;
    const { transcript } = this.#options;
    const { trigger, binding } = order;
    const envelope = envelopeOf(trigger, turn_id);
    const parts = this.#plans.of(binding, manifest).partsFor(envelope);
    const send = (recent: RecentMessages | null) => {
      const context = this.#context(live, order, { envelope, parts, recent });
      this.#send(live, link, { runner_id: binding.runner_id, runner_name: manifest.name, context });
    };
    if (parts.recent === 0 || transcript === undefined) send(null);
    else {
      void readRecent(transcript, session_id, parts.recent).then((recent) => {
        if (!live.over) send(recent);
      });
    }
  }

  #context(live: LiveRun, { trigger, binding }: RunOrder, { envelope, parts, recent }: Made): AgentRunContext {
    const { run_id, turn_id, trace_id, session_id } = live.run.identity;
    const { workspace_id, locale = null, timezone = null } = this.#options;
    const { agent_id, runner_id } = binding;
    const scope = {
      workspace_id,
      bot_id: envelope.conversation?.bot_id ?? null,
      conversation_id: session_id,
      thread_id: envelope.conversation?.thread_id ?? null,
      actor_id: envelope.actor?.actor_id ?? null,
      subject_id: envelope.subject?.subject_id ?? null,
    };
    const attachments = envelope.input?.attachments ?? [];
    return buildRunContext({
      envelope,
      turn_id,
      trace_id,
      event_seq: trigger.seq ?? null,
      grant: grantOf(parts.terms, { run_id, runner_id, agent_id, scope, attachments }),
      agent: parts.agent,
      deadline_at: live.run.deadline_at,
      recent,
      state: emptyState,
      resume: trigger.payload.resume ?? null,
      locale,
      timezone,
    });
  }

  #send(live: LiveRun, link: RunnerLink, request: AgentRunRequest): void {
    live.run = sendRun(live.run);
    this.#dispatched += 1;
    link.request('RUN_AGENT', request).then(
      () => this.#answered(live),
      (error: unknown) => this.#refused(live, error),
    );
    hit('run.sent');
  }

  /** The answer closes the run; a runner that has not ended it by a result has failed it. */
  #answered(live: LiveRun): void {
    this.#runs.answered(live);
    const message = 'The runner ended the run without a result.';
    this.#runs.end(live, { code: 'runner.error', message, retryable: false });
  }

  /** RUN_AGENT was answered by an error, or could not be sent. A lost connection ends its runs when it is known how. */
  #refused(live: LiveRun, error: unknown): void {
    if (!(error instanceof ApiError)) throw error;
    if (live.place?.closed === true) return;
    this.#runs.answered(live);
    this.#runs.end(live, failureOf(error));
  }

  #linkOf(runner: RunnerDescriptor): RunnerLink {
    const known = this.#links.get(runner.connection);
    if (known !== undefined) return known;
    const link = new RunnerLink(runner, this.#runs, this.#options.runs_max ?? limits.runner_runs);
    this.#links.set(runner.connection, link);
    return link;
  }
}

/** The parts of a context that are known before it is put together. */
interface Made {
  readonly envelope: ReturnType<typeof envelopeOf>;
  readonly parts: ReturnType<ReturnType<RunPlans['of']>['partsFor']>;
  readonly recent: RecentMessages | null;
}

function failureOf({ code, message, retryable, details }: ApiError): Failure {
  if (details.connection !== undefined) return { code: 'runner.exited', message, retryable: true };
  if (code === 'payload_too_large') return { code, message, retryable: false };
  if (code === 'rate_limited') return { code: 'runner.busy', message, retryable: true };
  return { code: 'runner.error', message, retryable };
}
