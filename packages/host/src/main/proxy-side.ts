import { type HostOffers, nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { availableApiOf } from '@rostra/protocol/api/available-apis';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { BudgetKeeper } from '../budget/budget-keeper.ts';
import type { Bus } from '../bus/port.ts';
import type { RunnerPool } from '../discovery/runner-pool.ts';
import { logSource } from '../http/log-source.ts';
import { consoleActions } from '../interactions/console-surface.ts';
import { newId } from '../new-id.ts';
import type { ResultEffects } from '../orchestrator/result-effects.ts';
import type { RunVoice } from '../orchestrator/run-voice.ts';
import type { StateReader } from '../orchestrator/state-reader.ts';
import { readRecords } from '../projection/log-records.ts';
import type { ApiServices } from '../proxy/api-family.ts';
import { AuditTrail } from '../proxy/audit-trail.ts';
import { CallMeter } from '../proxy/call-meter.ts';
import { DossierTrail } from '../proxy/dossier-trail.ts';
import { eventsFamily } from '../proxy/families/events.ts';
import { historyFamily } from '../proxy/families/history.ts';
import { promptFamily } from '../proxy/families/prompt.ts';
import { runsFamily } from '../proxy/families/runs.ts';
import { steeringFamily } from '../proxy/families/steering.ts';
import { AgentRunAPIProxy } from '../proxy/gate.ts';
import { RefusalCount } from '../proxy/refusal-count.ts';
import { RunResults } from '../proxy/run-results.ts';
import { watchRequeued } from '../proxy/steering-watch.ts';
import type { AgentGateway } from '../session/agent-gateway.ts';
import type { Clock } from '../session/clock.ts';
import type { SessionGateway } from '../session/session-gateway.ts';
import { Cursors } from '../store/cursor.ts';
import type { HostStore } from '../store/host-store.ts';
import { configWithoutSecrets } from './agent-secrets.ts';
import type { CapabilitySide } from './capability-side.ts';
import type { HostLog } from './host-log.ts';
import { inboxSide } from './inbox-side.ts';
import { runnerData } from './runner-data.ts';

export interface ProxySideOptions {
  readonly store: HostStore;
  readonly clock: Clock;
  readonly log: Pick<HostLog, 'fault'>;
  readonly live: { readonly config: Pick<HostConfig, 'limits' | 'prices'> };
  readonly workspace_id: string;
  /** Where bytes lie that are on their way. */
  readonly data: string;
  /** The host's own secret: what cursors are sealed with. */
  readonly key: string;
  readonly voice: RunVoice;
  readonly runners: Pick<RunnerPool, 'quarantine'>;
  readonly gateway: Pick<SessionGateway, 'tailAfter'>;
  readonly sessions: Pick<AgentGateway, 'takeInputs' | 'cancelRun' | 'isRequeued'>;
  readonly bus: Bus;
  /** Models, tools and knowledge; none unless told. */
  readonly capabilities?: Pick<CapabilitySide, 'offers' | 'services' | 'tools'>;
}

/** What runs can have of this host, and what is done in their name. */
export class ProxySide {
  readonly gate: AgentRunAPIProxy;
  readonly effects: ResultEffects;
  readonly state: StateReader;
  readonly cursors: Cursors;
  readonly budget: BudgetKeeper;
  /** Everything that the host writes down of who did what goes by this. */
  readonly audit: AuditTrail;
  readonly dossiers: DossierTrail;
  readonly #capabilities: ProxySideOptions['capabilities'];
  readonly #served: Pick<HostOffers, 'apis' | 'platform_api'>;
  #offers: { readonly from: object; readonly all: HostOffers } | null = null;

  constructor(options: ProxySideOptions) {
    const { store, clock, log, live, voice, runners, workspace_id, data, capabilities } = options;
    const audit = new AuditTrail({ store: store.audit, clock, failed: (error) => log.fault('audit', error) });
    const report = (failure: unknown) => log.fault('proxy', failure);
    const kept = runnerData({ store, clock, data, artifact_bytes: live.config.limits.artifact_bytes, voice });
    const inbox = inboxSide({ voice, store, audit, clock, newId, report, tools: capabilities?.tools });
    this.audit = audit;
    this.dossiers = new DossierTrail({
      store: store.dossiers,
      clock,
      conceal: configWithoutSecrets,
      failed: (error) => log.fault('dossiers', error),
    });
    watchRequeued({ bus: options.bus, sessions: options.sessions, audit, now: () => clock.now(), workspace_id });
    this.cursors = new Cursors(options.key);
    this.state = kept.state;
    this.effects = { ...kept.effects, ...inbox.effects };
    this.budget = new BudgetKeeper({
      clock,
      runs: store.runs,
      voice,
      desk: inbox.desk,
      prices: () => live.config.prices,
      report,
    });
    const services: ApiServices = {
      ...conversationServices(options, this.cursors),
      ...steeringFamily({ sessions: options.sessions, audit, now: () => clock.now() }),
      ...promptFamily,
      ...kept.services,
      ...inbox.services,
      ...capabilities?.services,
    };
    this.#capabilities = capabilities;
    this.#served = servedBy(services);
    this.gate = new AgentRunAPIProxy({
      services,
      workspace_id,
      clock,
      meter: new CallMeter(),
      budget: this.budget,
      audit,
      refusals: new RefusalCount({
        clock,
        fail: (run_id, failure) => void voice.fail(run_id, failure),
        quarantine: (package_name, why) => void runners.quarantine(package_name, why),
      }),
    });
  }

  /** Exactly what is served; another object whenever that changes. */
  get offers(): HostOffers {
    const from = this.#capabilities?.offers ?? nothingOffered;
    if (this.#offers?.from !== from) this.#offers = { from, all: { ...nothingOffered, ...from, ...this.#served } };
    return this.#offers.all;
  }

  /** What was done, and what runs received, is in the store then. */
  async stop(): Promise<void> {
    await Promise.all([this.audit.stop(), this.dossiers.stop()]);
  }
}

/** What was said and done, from the projections and the log. */
function conversationServices(options: ProxySideOptions, cursors: Cursors): ApiServices {
  const { store, clock, gateway, sessions } = options;
  const { transcript, artifacts, events, runs } = store;
  const log = logSource(gateway, store);
  const results = new RunResults((session_id, seq) => log.readAfter(session_id, seq));
  const records = (session_id: string, seqs: readonly number[]) => readRecords(store, session_id, seqs);
  return {
    ...historyFamily({ transcript, artifacts, cursors, sessions: store, now: () => clock.now() }),
    ...eventsFamily({ events, records, cursors, transcript, sessions: store }),
    ...runsFamily({ runs, results, cursors, sessions }),
  };
}

/** A flag for every call that is served, and the actions of the console's surface. */
function servedBy(services: ApiServices): Pick<HostOffers, 'apis' | 'platform_api'> {
  // By the names alone: the schemas of all calls are built when the first one is made.
  const served = Object.entries(availableApiOf).filter(([method]) => Object.hasOwn(services, method));
  const apis = new Set(served.map(([, flag]) => flag));
  return { apis: [...apis], platform_api: consoleActions };
}
