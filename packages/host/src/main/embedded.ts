import type { PipelineAdapter } from '../entries/pipeline-adapter.ts';
import type { HostStore } from '../store/host-store.ts';
import type { StoreLock } from '../store/store-lock.ts';
import { openAccessSide } from './access-side.ts';
import { ClockWatch } from './clock-watch.ts';
import type { Configuration } from './configuration.ts';
import { EntrySide } from './entry-side.ts';
import type { HostLog } from './host-log.ts';
import { HostWatch } from './host-watch.ts';
import { httpSide } from './http-side.ts';
import { type Listening, listen } from './listen.ts';
import { LiveConfig } from './live-config.ts';
import { type Detection, detectModel, modelKeysIn } from './model-detection.ts';
import { ownerKey } from './owner-key.ts';
import type { ReloadReport } from './reload.ts';
import { secretKeyIn } from './secret-key.ts';
import { endSessions, localZone, sessionSide } from './session-side.ts';
import type { Settings } from './settings.ts';
import { drain } from './shutdown.ts';
import { StoreKeeping } from './store-keeping.ts';
import { beginStore } from './store-opening.ts';
import { SystemClock } from './system-clock.ts';
import { VERSION } from './version.ts';
import { welcome } from './welcome.ts';

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
  /** Greets the owner of a host that was never used; does nothing in any other. */
  welcome(): Promise<void>;
  /** Reads the configuration anew; new runs and sessions see what changed. */
  reload(): Promise<ReloadReport>;
  /** Takes no more runs, waits for the live ones up to `limit`, then ends everything in order. */
  stop(limit: number): Promise<void>;
}

/** Everything in one process: sessions, bus and HTTP here, the store in its threads, runners in child processes. */
export async function startEmbedded(
  configuration: Configuration,
  log: HostLog,
  opening = beginStore(configuration),
): Promise<EmbeddedHost> {
  const { settings, config } = configuration;
  const { lock } = opening;
  try {
    const key = ownerKey(settings, config.auth.keys);
    log.conceal(key);
    log.conceal(...modelKeysIn(configuration.environment), ...secretKeyIn(configuration.environment));
    const [store, detection] = await Promise.all([opening.store, lookForModel(configuration)]);
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

async function assemble(ground: Ground): Promise<EmbeddedHost> {
  const { settings, live, log, lock, store, detection } = ground;
  const clock = new SystemClock();
  const watch = new HostWatch(log);
  const side = sessionSide({ ...ground, owner, version: VERSION, clock, watch });
  const { agents, orchestrator, runtime, gateway } = side;
  let draining = false;

  const entries = new EntrySide({ gateway, artifacts: store.artifacts, agents, clock, live, owner, log });
  const keeping = new StoreKeeping({ store, clock, log, policy: () => live.config.retention });

  const access = await openAccessSide({ ...ground, owner, clock, audit: side.proxy.audit });
  const { http } = httpSide({
    ...ground,
    ...side,
    version: VERSION,
    owner,
    clock,
    entries,
    keeping,
    access,
    watch,
    isDraining: () => draining,
  });

  const clocks = new ClockWatch({ clock, workingTurns: () => gateway.workingTurns, log });

  async function stop(limit: number): Promise<void> {
    draining = true;
    clocks.close();
    entries.stop();
    await drain({ clock, liveTurns: () => gateway.workingTurns, say: (line) => log.say(line), limit });
    await endSessions(side, clock, () => http.close());
    await keeping.stop();
    await access.access.close();
    await store.close();
    watch.close();
    lock.release();
  }

  const reload = () =>
    live.reload(clock.now(), async () => {
      await side.capabilities.refresh();
      await agents.apply(live.current, live.stored_agents);
      await entries.apply();
    });

  try {
    await side.capabilities.refresh();
    orchestrator.start();
    // A turn that goes on after a restart needs its agent, and so does the first message: both may be of a runner that
    // has yet to say what it is. The demo's agents are known without asking it, so nobody waits for those.
    if (agents.isAwaited) await agents.start();
    for (const session_id of await store.listUnfinished()) runtime.recover(session_id);
    const listening = await listen(http.server, settings);
    const address = settings.public_url ?? addressOf(settings.host, listening.port);
    lock.update({ address });
    await entries.apply();
    // Who waited for the host comes first; what it does unasked begins behind them.
    setImmediate(() => {
      if (draining) return;
      keeping.start();
      if (!agents.isAwaited) void agents.start();
      localZone();
    });
    const loginLink = () => `${address}${access.loginPath()}`;
    const { environment } = live.current;
    const greet = () => welcome({ sessions: store.sessions, gateway, agents, owner, environment, log });
    return { ...listening, address, loginLink, detection, pipeline: entries.pipeline, welcome: greet, reload, stop };
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
