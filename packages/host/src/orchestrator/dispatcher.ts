import type { RecentMessages } from '@rostra/kernel/context/bootstrap';
import { entryOf, envelopeOf, type RunTrigger } from '@rostra/kernel/context/event-envelope';
import { type EventIdentities, identitiesOf } from '@rostra/kernel/context/event-identity';
import { type AgentParts, buildRunContext } from '@rostra/kernel/context/run-context';
import type { TranscriptCursors } from '@rostra/kernel/context/transcript-cursor';
import { clientTools } from '@rostra/kernel/grant/client-tool';
import { type Grant, type GrantScope, type GrantTerms, grantOf } from '@rostra/kernel/grant/grant';
import { type HostOffers, nothingOffered } from '@rostra/kernel/grant/grant-terms';
import type { TranscriptPlace } from '@rostra/kernel/projection/transcript-end';
import { sendRun } from '@rostra/kernel/run/run';
import type { StateSnapshot } from '@rostra/kernel/state/state-snapshot';
import type { ToolResource } from '@rostra/protocol/runner/resources';
import type { AgentEventEnvelope, AgentRunContext } from '@rostra/protocol/runner/run-context';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { JsonText } from '@rostra/transport/json-text';
import type { AgentBinding } from '../discovery/agent-catalog.ts';
import type { RunnerConnection, RunnerDescriptor, RunnerPool } from '../discovery/runner-pool.ts';
import { RunnerStartError } from '../discovery/runner-start-error.ts';
import { hit } from '../failpoint.ts';
import type { ApiDoor } from './api-door.ts';
import { type ContextText, contextText } from './context-text.ts';
import type { LiveRun } from './live-run.ts';
import { readRecent, type TranscriptReader } from './recent-messages.ts';
import type { RunAccounts } from './run-account.ts';
import type { RunCharter } from './run-charter.ts';
import type { RunDossiers } from './run-dossier.ts';
import type { Failure } from './run-message.ts';
import { RunPlans } from './run-plan.ts';
import type { RunSupervisor } from './run-supervisor.ts';
import { RunnerLink } from './runner-link.ts';
import { readState, type StateReader } from './state-reader.ts';

export interface DispatcherOptions {
  readonly runners: Pick<RunnerPool, 'ready' | 'open'>;
  readonly workspace_id: string;
  /** Runs that one process may have at once. */
  readonly runs_max?: number;
  /** What the host has to grant, another object when that changes; nothing unless told. */
  readonly offers?: HostOffers;
  /** Agents of a usual session: whom others may hand over to. */
  readonly peers?: () => readonly string[];
  /** Where earlier messages are read for agents that get some of them; without it nobody does. */
  readonly transcript?: TranscriptReader;
  /** How a run is told places in its conversation, so that it can page on from them. */
  readonly cursors?: (scope: GrantScope) => TranscriptCursors;
  /** Where `ctx.state` comes from; empty without it. */
  readonly state?: StateReader;
  /** Who keeps account of what runs use. */
  readonly accounts?: RunAccounts;
  /** Who keeps what they received; nobody unless told. */
  readonly dossiers?: RunDossiers;
  /** Where the calls of runners arrive; without it they are unknown. */
  readonly door?: ApiDoor;
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
  #plans: RunPlans | null = null;
  readonly #links = new WeakMap<RunnerConnection, RunnerLink>();
  #dispatched = 0;

  constructor(options: DispatcherOptions, runs: RunSupervisor) {
    this.#options = options;
    this.#runs = runs;
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

  #begin(live: LiveRun, link: RunnerLink, { manifest, package_name }: RunnerDescriptor, order: RunOrder): void {
    const { turn_id } = live.run.identity;
    const { transcript } = this.#options;
    const { trigger, binding } = order;
    const envelope = envelopeOf(trigger, turn_id);
    const offers = this.#options.offers ?? nothingOffered;
    if (this.#plans?.offers !== offers) this.#plans = new RunPlans(offers, this.#options.peers);
    const parts = this.#plans.of(binding, manifest).partsFor(envelope);
    const identities = identitiesOf(trigger, envelope);
    const tools =
      trigger.event === 'USER_INPUT' ? clientTools(trigger.payload.data.tools, parts.terms.client_tools) : [];
    const grant = this.#grant(live, binding, { envelope, identities, terms: parts.terms, tools });
    const charter = { grant, binding, envelope, package_name };
    const end = parts.needsEnd ? (trigger.transcript_end ?? null) : null;
    const send = (recent: RecentMessages | null, state: StateSnapshot) => {
      const context = this.#context(live, trigger, { charter, agent: parts.agent, recent, end, state });
      const text = contextText(context, parts.texts);
      live.dispatch(charter);
      this.#send(live, link, requestText(binding.runner_id, manifest.name, text, link.placeOf(parts.texts)));
      this.#options.dossiers?.keep({ context, own: text.own, grant, terms: parts.terms });
    };
    const state = readState(this.#options.state, charter);
    const isRead = parts.recent > 0 && end === null && transcript !== undefined;
    const reading = isRead ? readRecent(transcript, charter.grant.scope, parts.recent) : null;
    if (reading === null && !(state instanceof Promise)) send(null, state);
    else {
      void Promise.all([reading, state]).then(([recent, stored]) => {
        if (!live.over) send(recent, stored);
      });
    }
  }

  #grant(live: LiveRun, { runner_id, agent_id }: AgentBinding, { envelope, identities, terms, tools }: Granted): Grant {
    const { run_id, session_id } = live.run.identity;
    const scope = {
      workspace_id: this.#options.workspace_id,
      bot_id: envelope.conversation?.bot_id ?? null,
      conversation_id: session_id,
      thread_id: envelope.conversation?.thread_id ?? null,
      ...identities,
    };
    const attachments = envelope.input?.attachments ?? [];
    return grantOf(terms, { run_id, runner_id, agent_id, scope, attachments, tools });
  }

  #context(live: LiveRun, trigger: RunTrigger, { charter, agent, recent, end, state }: Made): AgentRunContext {
    const { turn_id, trace_id } = live.run.identity;
    const { locale = null, timezone = null } = this.#options;
    return buildRunContext({
      envelope: charter.envelope,
      entry: entryOf(trigger),
      turn_id,
      trace_id,
      event_seq: trigger.seq ?? null,
      grant: charter.grant,
      agent,
      deadline_at: live.run.deadline_at,
      recent,
      end,
      cursors: this.#options.cursors?.(charter.grant.scope) ?? null,
      state: state.state,
      state_omitted: state.omitted,
      resume: trigger.payload.resume ?? null,
      locale,
      timezone,
    });
  }

  #send(live: LiveRun, link: RunnerLink, request: JsonText): void {
    live.run = sendRun(live.run);
    this.#dispatched += 1;
    link.request('RUN_AGENT', request).then(
      () => this.#answered(live),
      (error: unknown) => this.#refused(live, error),
    );
    live.account = this.#options.accounts?.open(live) ?? null;
    hit('run.sent');
  }

  /** The answer closes the run; a runner that has not ended it by a result has failed it. */
  #answered(live: LiveRun): void {
    this.#runs.answered(live);
    const message = 'The runner ended the run without a result.';
    this.#runs.endAfter(live, { code: 'runner.error', message, retryable: false });
  }

  /** RUN_AGENT was answered by an error, or could not be sent. A lost connection ends its runs when it is known how. */
  #refused(live: LiveRun, error: unknown): void {
    if (!(error instanceof ApiError)) throw error;
    if (live.place?.closed === true) return;
    this.#runs.answered(live);
    this.#runs.endAfter(live, failureOf(error));
  }

  #linkOf(runner: RunnerDescriptor): RunnerLink {
    const known = this.#links.get(runner.connection);
    if (known !== undefined) return known;
    const link = new RunnerLink(runner, this.#runs, this.#options);
    this.#links.set(runner.connection, link);
    return link;
  }
}

/** What a grant is made from beside the agent. */
interface Granted {
  readonly envelope: AgentEventEnvelope;
  readonly identities: EventIdentities;
  readonly terms: GrantTerms;
  readonly tools: readonly ToolResource[];
}

/** The parts of a context that are known before it is put together. */
interface Made {
  readonly charter: RunCharter;
  readonly agent: AgentParts;
  readonly recent: RecentMessages | null;
  readonly end: TranscriptPlace | null;
  readonly state: StateSnapshot;
}

/** An AgentRunRequest whose context is text already; `part` is where the runner keeps the rest of it, if it does. */
function requestText(runner_id: string, runner_name: string, text: ContextText, part: number | null): JsonText {
  const [runner, name] = [JSON.stringify(runner_id), JSON.stringify(runner_name)];
  const context = part === null ? `"context":${text.whole()}` : `"part":${part},"context":${text.besidePart()}`;
  return new JsonText(`{"runner_id":${runner},"runner_name":${name},${context}}`);
}

function failureOf({ code, message, retryable, details }: ApiError): Failure {
  if (details.connection !== undefined) return { code: 'runner.exited', message, retryable: true };
  if (code === 'payload_too_large') return { code, message, retryable: false };
  if (code === 'rate_limited') return { code: 'runner.busy', message, retryable: true };
  return { code: 'runner.error', message, retryable };
}
