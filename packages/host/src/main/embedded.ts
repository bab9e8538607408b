import path from 'node:path';
import type { SessionSettings } from '@rostra/protocol/session/roster';
import { limits, timeouts } from '@rostra/protocol/wire/limits';
import { v7 } from 'uuid';
import manifest from '../../package.json' with { type: 'json' };
import { MemoryBus } from '../bus/memory/memory-bus.ts';
import { AgentCatalog } from '../discovery/agent-catalog.ts';
import { RunnerProcess } from '../discovery/runner-process.ts';
import { RunnerRegistry } from '../discovery/runner-registry.ts';
import { Authenticator } from '../http/auth.ts';
import { logSource } from '../http/log-source.ts';
import type { HostStatus } from '../http/ports.ts';
import { createHttpServer } from '../http/server.ts';
import { Orchestrator } from '../orchestrator/orchestrator.ts';
import { SessionGateway } from '../session/session-gateway.ts';
import { SessionManager } from '../session/session-manager.ts';
import { SessionRuntime } from '../session/session-runtime.ts';
import type { SessionStore } from '../store/port.ts';
import { SqliteStore } from '../store/sqlite/sqlite-store.ts';
import { lockDataFolder, type StoreLock } from '../store/store-lock.ts';
import { demo } from './demo.ts';
import type { HostLog } from './host-log.ts';
import { type Listening, listen } from './listen.ts';
import { ensureOwnerKey, ownerKeyPath } from './owner-key.ts';
import { programs } from './programs.ts';
import type { Settings } from './settings.ts';
import { drain, settle } from './shutdown.ts';
import { SystemClock } from './system-clock.ts';

export const VERSION = manifest.version;

/** One owner, one workspace: what an embedded host has. */
const owner = { workspace_id: 'local', user_id: 'owner' };

const sessionSettings: SessionSettings = {
  default_agent_id: demo.agents[0]?.agent_id ?? null,
  auto_invite: false,
  timeouts,
};

export interface EmbeddedHost extends Listening {
  /** `http://127.0.0.1:8787` */
  readonly address: string;
  /** Takes no more runs, waits for the live ones up to `limit`, then ends everything in order. */
  stop(limit: number): Promise<void>;
}

function openSqlite({ data, durability }: Settings): Promise<SessionStore> {
  return SqliteStore.open({ path: path.join(data, 'rostra.db'), workerUrl: programs.sqliteWorker, durability });
}

/** Everything in one process: sessions, bus and HTTP here, the store in its threads, the runner in a child process. */
export async function startEmbedded(settings: Settings, log: HostLog, openStore = openSqlite): Promise<EmbeddedHost> {
  const lock = lockDataFolder(settings.data);
  try {
    const key = settings.api_key ?? ensureOwnerKey(settings.data);
    const store = await openStore(settings);
    return await assemble({ settings, log, lock, key, store });
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Ground {
  settings: Settings;
  log: HostLog;
  lock: StoreLock;
  key: string;
  store: SessionStore;
}

async function assemble({ settings, log, lock, key, store }: Ground): Promise<EmbeddedHost> {
  const clock = new SystemClock();
  const bus = new MemoryBus((error) => log.fault('bus', error));
  const agents = new AgentCatalog(demo.agents);
  const runner = new RunnerProcess({
    name: 'demo',
    command: demo.command,
    home: path.join(settings.data, 'runners', 'demo'),
    clock,
    log: (entry) => log.runner(entry),
    environment: process.env,
  });
  const runners = new RunnerRegistry([runner]);
  const orchestrator = new Orchestrator({ bus, clock, agents, runners, workspace_id: owner.workspace_id });
  const roster = {
    default_agents: agents.list().map(({ agent_id }) => agent_id),
    find: (agent_id: string) => agents.find(agent_id) ?? undefined,
  };
  const manager = new SessionManager(bus, roster);
  const report = (event: string, details: Record<string, unknown>) => log.fault(event, details);
  const runtime = new SessionRuntime({ store, bus, clock, settings: sessionSettings, report });
  const gateway = new SessionGateway(runtime, store, v7);
  const isFound = () => runners.ready(demo.runner_id) !== null;
  const startedAt = clock.now();
  let draining = false;

  const status = (): HostStatus => ({
    version: VERSION,
    started_at: startedAt,
    ...gateway.stats(),
    agents: roster.default_agents,
    runner: isFound() ? 'ready' : 'not running',
    missing: isFound() ? [] : ['the demo runner'],
  });
  const http = createHttpServer({
    gateway,
    bus,
    clock,
    auth: new Authenticator(key, owner, keyHint(settings)),
    home: { key: shellKey(settings), commands: demo.help },
    status,
    report: (failure) => log.fault('http', failure),
    log: logSource(gateway, store),
    boundary: { bind: settings.host, hosts: settings.hosts, origins: settings.origins },
    isDraining: () => draining,
  });

  async function stop(limit: number): Promise<void> {
    draining = true;
    const liveTurns = () => gateway.stats().live_turns;
    await drain({ clock, liveTurns, say: (line) => log.say(line), limit });
    await orchestrator.stop({ drain: 0 });
    await settle(clock, () => runtime.isIdle, limits.linger);
    await http.close();
    await runners.stop();
    runtime.close();
    manager.close();
    await store.close();
    lock.release();
  }

  try {
    orchestrator.start();
    for (const session_id of await store.listUnfinished()) runtime.recover(session_id);
    const listening = await listen(http.server, settings);
    const address = addressOf(settings.host, listening.port);
    lock.update({ address });
    // Warm before the first message asks for it; why it is not up is said by its log, and by each run that needs it.
    runners.open(demo.runner_id).catch((error: unknown) => log.fault('runner', error));
    return { ...listening, address, stop };
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

function keyHint({ api_key, data }: Settings): string {
  const where = api_key === null ? `in ${path.relative(process.cwd(), ownerKeyPath(data))}` : 'that of ROSTRA_API_KEY';
  return `Send the header Authorization: Bearer <key>; the key is ${where}.`;
}

function shellKey({ api_key, data }: Settings): string {
  return api_key === null ? `$(cat ${ownerKeyPath(data)})` : '$ROSTRA_API_KEY';
}
