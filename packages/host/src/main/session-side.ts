import type { SessionSettings } from '@rostra/protocol/session/roster';
import { limits } from '@rostra/protocol/wire/limits';
import { MemoryBus } from '../bus/memory/memory-bus.ts';
import type { Bus } from '../bus/port.ts';
import { newId } from '../new-id.ts';
import { Orchestrator } from '../orchestrator/orchestrator.ts';
import { AgentGateway } from '../session/agent-gateway.ts';
import { type Principal, SessionGateway } from '../session/session-gateway.ts';
import { SessionManager } from '../session/session-manager.ts';
import { SessionRuntime } from '../session/session-runtime.ts';
import type { HostStore } from '../store/host-store.ts';
import { CapabilitySide } from './capability-side.ts';
import { HostAgents } from './host-agents.ts';
import type { HostLog } from './host-log.ts';
import type { HostWatch } from './host-watch.ts';
import type { LiveConfig } from './live-config.ts';
import type { Detection } from './model-detection.ts';
import { ProxySide } from './proxy-side.ts';
import type { Settings } from './settings.ts';
import { settle } from './shutdown.ts';
import type { SystemClock } from './system-clock.ts';

export interface SessionGround {
  readonly settings: Settings;
  readonly live: LiveConfig;
  readonly log: HostLog;
  readonly key: string;
  readonly store: HostStore;
  readonly detection: Detection;
  readonly owner: Principal;
  readonly version: string;
  readonly clock: SystemClock;
  readonly watch: HostWatch;
}

let zone: string | null = null;

/** Asked for the first time it takes 20 ms, which nobody should wait for at the start. */
export function localZone(): string {
  zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone;
}

export type SessionSide = ReturnType<typeof sessionSide>;

/** Where sessions and runs meet. What they are told of the configuration they read when they need it. */
export function sessionSide(ground: SessionGround) {
  const { settings, live, log, key, store, detection, owner, version, clock, watch } = ground;
  const { workspace_id } = owner;
  const bus = watch.observe(new MemoryBus((error) => log.fault('bus', error)));
  const agents = new HostAgents({
    configuration: live.current,
    stored: live.stored_agents,
    clock,
    log,
    environment: process.env,
    detected: detection.found,
  });
  // What acts for runs needs the orchestrator's voice, so it is made after it.
  const orchestrator = orchestratorOf(ground, bus, agents, () => proxy);
  const manager = new SessionManager(bus, agents);
  const runtime = runtimeOf(ground, bus, agents);
  const gateway = new SessionGateway(runtime, store, newId);
  const capabilities = new CapabilitySide({
    live,
    store,
    clock,
    log,
    detection,
    environment: live.current.environment,
    data: settings.data,
    workspace_id,
    version,
    audit: (entry) => proxy.audit.add(entry),
  });
  const proxy: ProxySide = new ProxySide({
    capabilities,
    store,
    clock,
    log,
    live,
    key,
    data: settings.data,
    workspace_id,
    voice: orchestrator.voice,
    runners: agents.runners,
    gateway,
    sessions: new AgentGateway(runtime, newId),
    bus,
  });
  return { bus, agents, orchestrator, manager, runtime, gateway, proxy, capabilities };
}

function orchestratorOf(
  { live, store, owner, clock }: SessionGround,
  bus: Bus,
  agents: HostAgents,
  proxy: () => ProxySide,
): Orchestrator {
  return new Orchestrator({
    bus,
    clock,
    agents: agents.catalog,
    runners: agents.runners,
    workspace_id: owner.workspace_id,
    transcript: store.transcript,
    peers: () => agents.default_agents,
    resumable: (agent_id) => agents.find(agent_id)?.policy.resumable === true,
    cursors: (scope) => proxy().cursors.ofRun(scope),
    state: (charter) => proxy().state(charter),
    get offers() {
      return proxy().offers;
    },
    get door() {
      return proxy().gate;
    },
    get effects() {
      return proxy().effects;
    },
    get dossiers() {
      return proxy().dossiers;
    },
    get accounts() {
      return proxy().budget;
    },
    get timezone() {
      return localZone();
    },
    get turn_timeout() {
      return live.config.session.timeouts.turn;
    },
    get runs_max() {
      return live.config.limits.runs_per_process;
    },
  });
}

function runtimeOf({ live, log, store, clock, watch }: SessionGround, bus: Bus, agents: HostAgents): SessionRuntime {
  return new SessionRuntime({
    store,
    bus,
    clock,
    holder: newId(),
    get settings(): SessionSettings {
      return live.sessionSettings(agents.default_agents[0] ?? null);
    },
    get idle() {
      return live.config.session.idle;
    },
    get sessions_in_memory() {
      return live.config.limits.sessions_in_memory;
    },
    report: (event: string, details: Record<string, unknown>) => log.fault(event, details),
    commits: watch.commits,
  });
}

/** Runs and sessions come to rest, and what is kept of them is written. */
export async function endSessions(
  { orchestrator, runtime, agents, manager, proxy, capabilities }: SessionSide,
  clock: SystemClock,
  closeHttp: () => Promise<void>,
): Promise<void> {
  await orchestrator.stop({ drain: 0 });
  await settle(clock, () => runtime.isIdle, limits.linger);
  // Remote runners hold connections of the server: it is closed only when they are gone.
  await Promise.all([closeHttp(), agents.runners.stop(), capabilities.close()]);
  runtime.close();
  manager.close();
  await proxy.stop();
}
