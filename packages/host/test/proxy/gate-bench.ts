import { type Grant, grantOf } from '@rostra/kernel/grant/grant';
import { grantTerms, type HostOffers, type TermsInput } from '@rostra/kernel/grant/grant-terms';
import type { ApiMethodName } from '@rostra/protocol/api/api-methods';
import { AgentGrants } from '@rostra/protocol/config/agent-config';
import { AgentRunnerCapabilities, AgentRunnerPermissions } from '@rostra/protocol/runner/manifest';
import { KnowledgeBaseResource, ModelResource, ToolResource } from '@rostra/protocol/runner/resources';
import { AgentEventEnvelope, ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import type { IncomingCall } from '../../src/orchestrator/api-door.ts';
import { type ActiveRun, noSuchRun } from '../../src/orchestrator/run-charter.ts';
import type { Failure } from '../../src/orchestrator/run-message.ts';
import type { ApiServices } from '../../src/proxy/api-family.ts';
import { CallMeter, type CallRates } from '../../src/proxy/call-meter.ts';
import { AgentRunAPIProxy } from '../../src/proxy/gate.ts';
import { RefusalCount } from '../../src/proxy/refusal-count.ts';
import type { AuditEntry } from '../../src/store/ports/audit.ts';
import { ManualClock } from '../manual-clock.ts';
import { agent } from '../orchestrator/world.ts';

export const everything: HostOffers = {
  models: [
    ModelResource.parse({ model_id: 'large', operations: ['invoke', 'stream', 'rerank', 'count_tokens'] }),
    ModelResource.parse({ model_id: 'small', operations: ['invoke'] }),
  ],
  tools: [ToolResource.parse({ tool_name: 'weather', owner: 'host', operations: ['detail', 'call'] })],
  knowledge_bases: [KnowledgeBaseResource.parse({ kb_id: 'manual', operations: ['list', 'retrieve'] })],
  apis: ContextAPICapabilities.keyof().options,
  platform_api: ['message.edit', 'message.delete'],
};

export const asksForAll = {
  permissions: AgentRunnerPermissions.parse({
    models: ['invoke', 'stream', 'rerank', 'count_tokens'],
    tools: ['detail', 'call'],
    knowledge_bases: ['list', 'retrieve'],
    history: ['page', 'search'],
    events: ['get', 'page'],
    artifacts: ['metadata', 'read'],
    storage: ['plugin', 'workspace', 'binding'],
    interactions: ['form', 'confirmation', 'choice'],
    platform_api: ['message.edit', 'message.delete'],
  }),
  capabilities: AgentRunnerCapabilities.parse({ platform_api: true, interactions: true, steering: true }),
};

export const asksForNothing = {
  permissions: AgentRunnerPermissions.parse({}),
  capabilities: AgentRunnerCapabilities.parse({}),
};

/** What the agent's owner grants where nothing is to be granted. */
export const grantsNothing = AgentGrants.parse({
  models: [],
  tools: [],
  knowledge_bases: [],
  history: [],
  events: [],
  artifacts: [],
  storage: [],
  interactions: [],
  platform_api: [],
  state_scopes: [],
});

export const scope = {
  workspace_id: 'w',
  bot_id: null,
  conversation_id: 'c',
  thread_id: null,
  actor_id: 'ann',
  subject_id: 'a parcel',
};

/** The grant of a run for which manifest, policy and host say yes to everything, unless told. */
export function grant(run_id: string, change: Partial<TermsInput> = {}): Grant {
  const terms = grantTerms({
    manifest: asksForAll,
    grants: AgentGrants.parse({}),
    steering: true,
    prompt: true,
    offers: everything,
    identities: { bot: false, actor: true, subject: true },
    ...change,
  });
  return grantOf(terms, { run_id, runner_id: 'fixture', agent_id: 'guide', scope, attachments: [] });
}

export interface TestRun extends ActiveRun {
  deadline_at: number;
  end(): void;
}

export function activeRun(run_id: string, terms: Partial<TermsInput> = {}, package_name = 'fixture'): TestRun {
  const ending = new AbortController();
  const binding = agent('guide', 'fixture');
  const envelope = AgentEventEnvelope.parse({
    event: { event_id: 'e', event_type: 'message.received', source: 'api' },
  });
  return {
    run_id,
    turn_id: `turn of ${run_id}`,
    session_id: 'c',
    agent_id: 'guide',
    charter: { grant: grant(run_id, terms), binding, envelope, package_name },
    deadline_at: Number.MAX_SAFE_INTEGER,
    waited: () => 0,
    signal: ending.signal,
    end: () => ending.abort(noSuchRun()),
  };
}

/** The gate with services of the test's own, time that stands still, and everything that it tells kept. */
export class GateBench {
  readonly clock = new ManualClock();
  readonly rows: AuditEntry[] = [];
  readonly failed: [run_id: string, failure: Failure][] = [];
  readonly quarantined: [package_name: string, why: string][] = [];
  readonly pushed: Json[] = [];
  readonly gate: AgentRunAPIProxy;

  constructor(services: ApiServices, rates?: CallRates) {
    const { clock } = this;
    this.gate = new AgentRunAPIProxy({
      services,
      workspace_id: 'w',
      clock,
      meter: new CallMeter(rates),
      audit: { add: (row) => void this.rows.push(row) },
      refusals: new RefusalCount({
        clock,
        fail: (run_id, failure) => void this.failed.push([run_id, failure]),
        quarantine: (name, why) => void this.quarantined.push([name, why]),
      }),
    });
  }

  /** A call as the connection of the run's own package makes it, unless told. */
  call(
    run: ActiveRun | null,
    method: ApiMethodName,
    params: JsonObject,
    change: Partial<IncomingCall> = {},
  ): Promise<unknown> {
    return this.gate.call({
      method,
      params: run === null ? params : { run_id: run.run_id, ...params },
      bytes: 100,
      run,
      caller: 'fixture',
      push: async (piece) => void this.pushed.push(piece),
      ...change,
    });
  }
}

/** The refusal that a call gets. */
export function refusal(calling: Promise<unknown>): Promise<unknown> {
  return calling.then(
    (answer) => {
      throw new Error(`it was answered: ${JSON.stringify(answer)}`);
    },
    (error: unknown) => error,
  );
}
