import path from 'node:path';
import type { SessionSettings } from '@rostra/protocol/session/roster';
import { limits } from '@rostra/protocol/wire/limits';
import { v7 } from 'uuid';
import manifest from '../../package.json' with { type: 'json' };
import { MemoryBus } from '../bus/memory/memory-bus.ts';
import type { PipelineAdapter } from '../entries/pipeline-adapter.ts';
import { Orchestrator } from '../orchestrator/orchestrator.ts';
import { AgentGateway } from '../session/agent-gateway.ts';
import { SessionGateway } from '../session/session-gateway.ts';
import { SessionManager } from '../session/session-manager.ts';
import { SessionRuntime } from '../session/session-runtime.ts';
import type { HostStore } from '../store/host-store.ts';
import { SqliteStore } from '../store/sqlite/sqlite-store.ts';
import { lockDataFolder, type StoreLock } from '../store/store-lock.ts';
import { openAccessSide } from './access-side.ts';
import type { Configuration } from './configuration.ts';
import { EntrySide } from './entry-side.ts';
import { HostAgents } from './host-agents.ts';
import type { HostLog } from './host-log.ts';
import { HostWatch } from './host-watch.ts';
import { httpSide } from './http-side.ts';
import { type Listening, listen } from './listen.ts';
import { LiveConfig } from './live-config.ts';
import { type Detection, detectModel, modelKeysIn } from './model-detection.ts';
import { ensureOwnerKey } from './owner-key.ts';
import { programs } from './programs.ts';
import { ProxySide } from './proxy-side.ts';
import type { ReloadReport } from './reload.ts';
import type { Settings } from './settings.ts';
import { drain, settle } from './shutdown.ts';
import { StoreKeeping } from './store-keeping.ts';
import { SystemClock } from './system-clock.ts';

export const VERSION = manifest.version;

let zone: string | null = null;

/** Asked for the first time it takes 20 ms, which nobody should wait for at the start. */
function localZone(): string {
  zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone;
}

/** One owner, one workspace: what an embedded host has. */
const owner = { workspace_id: 'local', user_id: 'owner' };

export interface EmbeddedHost extends Listening {
  /** `http://127.0.0.1:8787` */
  readonly address: string;
  /** Where a browser is logged in as the owner: once, and within minutes. */
  loginLink(): string;
  /** The model that was looked for on this machine. */
  readonly detection: Detection;
  /** The entry for message pipelines. */
  readonly pipeline: PipelineAdapter;
  /** Reads the configuration anew; new runs and sessions see what changed. */
  reload(): Promise<ReloadReport>;
  /** Takes no more runs, waits for the live ones up to `limit`, then ends everything in order. */
  stop(limit: number): Promise<void>;
}

export type OpenStore = (configuration: Configuration) => Promise<HostStore>;

const openSqlite: OpenStore = ({ settings: { data, durability }, config }) =>
  SqliteStore.open({
    path: path.join(data, 'rostra.db'),
    workerUrl: programs.sqliteWorker,
    durability,
    artifact_bytes: config.limits.artifact_bytes,
    sole: true,
  });

/** Everything in one process: sessions, bus and HTTP here, the store in its threads, runners in child processes. */
export async function startEmbedded(
  configuration: Configuration,
  log: HostLog,
  openStore: OpenStore = openSqlite,
): Promise<EmbeddedHost> {
  const { settings } = configuration;
  const lock = lockDataFolder(settings.data);
  try {
    const key = settings.api_key ?? ensureOwnerKey(settings.data);
    log.conceal(key);
    log.conceal(...modelKeysIn(configuration.environment));
    const [store, detection] = await Promise.all([openStore(configuration), lookForModel(configuration)]);
    const live = await LiveConfig.open(configuration, store.registry, log);
    return await assemble({ settings, live, log, lock, key, store, detection });
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function lookForModel({ config, environment }: Configuration): Promise<Detection> {
  return config.detect ? await detectModel({ env: environment }) : { found: null, note: null };
}

interface Ground {
  settings: Settings;
  live: LiveConfig;
  log: HostLog;
  lock: StoreLock;
  key: string;
  store: HostStore;
  detection: Detection;
}

/** Where sessions and runs meet. What they are told of the configuration they read when they need it. */
function sessionSide({ settings, live, log, key, store, detection }: Ground, clock: SystemClock, watch: HostWatch) {
  const bus = watch.observe(new MemoryBus((error) => log.fault('bus', error)));
  const agents = new HostAgents({
    configuration: live.current,
    stored: live.stored_agents,
    clock,
    log,
    environment: process.env,
    detected: detection.found,
  });
  const orchestrator = new Orchestrator({
    bus,
    clock,
    agents: agents.catalog,
    runners: agents.runners,
    workspace_id: owner.workspace_id,
    transcript: store.transcript,
    cursors: (scope) => proxy.cursors.ofRun(scope),
    state: (charter) => proxy.state(charter),
    // What acts for runs needs the orchestrator's voice, so it is made after it.
    get offers() {
      return proxy.offers;
    },
    get door() {
      return proxy.gate;
    },
    get effects() {
      return proxy.effects;
    },
    get dossiers() {
      return proxy.dossiers;
    },
    get accounts() {
      return proxy.budget;
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
  const manager = new SessionManager(bus, agents);
  const runtime = new SessionRuntime({
    store,
    bus,
    clock,
    holder: v7(),
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
  const gateway = new SessionGateway(runtime, store, v7);
  const proxy: ProxySide = new ProxySide({
    store,
    clock,
    log,
    live,
    key,
    data: settings.data,
    workspace_id: owner.workspace_id,
    voice: orchestrator.voice,
    runners: agents.runners,
    gateway,
    sessions: new AgentGateway(runtime, v7),
    bus,
  });
  return { bus, agents, orchestrator, manager, runtime, gateway, proxy };
}

/** Runs and sessions come to rest, and what is kept of them is written. */
async function endSessions(
  { orchestrator, runtime, agents, manager, proxy }: ReturnType<typeof sessionSide>,
  clock: SystemClock,
  closeHttp: () => Promise<void>,
): Promise<void> {
  await orchestrator.stop({ drain: 0 });
  await settle(clock, () => runtime.isIdle, limits.linger);
  // Remote runners hold connections of the server: it is closed only when they are gone.
  await Promise.all([closeHttp(), agents.runners.stop()]);
  runtime.close();
  manager.close();
  await proxy.stop();
}

async function assemble(ground: Ground): Promise<EmbeddedHost> {
  const { settings, live, log, lock, key, store, detection } = ground;
  const clock = new SystemClock();
  const watch = new HostWatch(log);
  const side = sessionSide(ground, clock, watch);
  const { bus, agents, orchestrator, runtime, gateway } = side;
  let draining = false;

  const entries = new EntrySide({ gateway, artifacts: store.artifacts, agents, clock, live, owner, log });
  const keeping = new StoreKeeping({ store, clock, log, policy: () => live.config.retention });

  const access = await openAccessSide({ ...ground, owner, clock, audit: side.proxy.audit });
  const { http } = httpSide({
    version: VERSION,
    owner,
    key,
    settings,
    live,
    log,
    store,
    clock,
    bus,
    agents,
    orchestrator,
    runtime,
    gateway,
    proxy: side.proxy,
    entries,
    keeping,
    access,
    watch,
    isDraining: () => draining,
  });

  async function stop(limit: number): Promise<void> {
    draining = true;
    entries.stop();
    const liveTurns = () => (orchestrator.onlyWaitsForPeople ? 0 : gateway.stats().live_turns);
    await drain({ clock, liveTurns, say: (line) => log.say(line), limit });
    await endSessions(side, clock, () => http.close());
    await keeping.stop();
    await access.access.close();
    await store.close();
    watch.close();
    lock.release();
  }

  const reload = () =>
    live.reload(clock.now(), async () => {
      await agents.apply(live.current, live.stored_agents);
      await entries.apply();
    });

  try {
    orchestrator.start();
    // A turn that goes on after a restart needs its agent, and so does the first message: both may be of a runner that
    // has yet to say what it is. The demo's agents are known without asking it, so nobody waits for those.
    if (agents.isAwaited) await agents.start();
    for (const session_id of await store.listUnfinished()) runtime.recover(session_id);
    const listening = await listen(http.server, settings);
    const address = settings.public_url ?? addressOf(settings.host, listening.port);
    lock.update({ address });
    keeping.start();
    await entries.apply();
    if (!agents.isAwaited) void agents.start();
    setImmediate(localZone);
    const loginLink = () => `${address}${access.loginPath()}`;
    return { ...listening, address, loginLink, detection, pipeline: entries.pipeline, reload, stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

/** Where a browser finds a server that binds this address. */
function addressOf(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${everywhere ? 'localhost' : name}:${port}`;
}
