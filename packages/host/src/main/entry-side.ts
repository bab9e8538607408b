import { EventGateway } from '../entries/event-gateway.ts';
import { PipelineAdapter } from '../entries/pipeline-adapter.ts';
import { pipelineRun } from '../entries/pipeline-run.ts';
import { Scheduler } from '../entries/scheduler.ts';
import { Webhooks } from '../entries/webhooks.ts';
import type { Clock } from '../session/clock.ts';
import type { Principal, SessionGateway } from '../session/session-gateway.ts';
import { WallClock } from '../session/wall-clock.ts';
import type { ArtifactStore } from '../store/ports/artifact.ts';
import { secretsOf } from './config-view.ts';
import type { HostAgents } from './host-agents.ts';
import type { HostLog } from './host-log.ts';
import type { LiveConfig } from './live-config.ts';

export interface EntrySideOptions {
  readonly gateway: SessionGateway;
  readonly artifacts: ArtifactStore;
  readonly agents: HostAgents;
  readonly clock: Clock;
  readonly live: LiveConfig;
  readonly owner: Principal;
  readonly log: HostLog;
}

/** Where events come in: sent by clients, delivered by other systems, brought by the clock. */
export class EntrySide {
  readonly events: EventGateway;
  readonly hooks: Webhooks;
  /** For a pipeline in the same process. */
  readonly pipeline: PipelineAdapter;
  readonly #options: EntrySideOptions;
  #scheduler: Scheduler | null = null;
  #isStopped = false;

  constructor(options: EntrySideOptions) {
    this.#options = options;
    const { gateway, artifacts, agents, clock, live, owner } = options;
    const bindings = () => live.config.bindings;
    this.events = new EventGateway({
      sessions: gateway,
      artifacts,
      agents: agents.catalog,
      clock,
      bindings,
      roster: () => agents.default_agents,
    });
    this.hooks = new Webhooks({
      gateway: this.events,
      owner,
      hooks: () => live.config.webhooks,
      bindings,
      now: Date.now,
    });
    this.pipeline = new PipelineAdapter({
      run: pipelineRun({ gateway: this.events, agents: agents.catalog, owner }),
      secrets: () => secretsOf(live.current),
      conceal: (...secrets) => options.log.conceal(...secrets),
    });
  }

  /** From now on the schedules of the configuration hold. A host without any does not learn to read them. */
  async apply(): Promise<void> {
    const { schedules } = this.#options.live.config;
    if (schedules.length === 0 && this.#scheduler === null) return;
    const { nextCronTime } = await import('../entries/cron-time.ts');
    if (this.#isStopped) return;
    this.#scheduler ??= this.#makeScheduler(nextCronTime);
    this.#scheduler.apply(schedules);
  }

  stop(): void {
    this.#isStopped = true;
    this.#scheduler?.stop();
  }

  #makeScheduler(nextTime: ConstructorParameters<typeof Scheduler>[0]['nextTime']): Scheduler {
    const { owner, clock, live, log } = this.#options;
    return new Scheduler({
      gateway: this.events,
      owner,
      wall: new WallClock(clock),
      nextTime,
      bindings: () => live.config.bindings,
      refused: (schedule_id, planned, { message }) =>
        log.warn('schedule.refused', { schedule_id, planned, text: message }),
    });
  }
}
