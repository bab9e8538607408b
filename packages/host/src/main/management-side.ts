import type { HostStatusAnswer } from '@rostra/protocol/run-api/host-status';
import { limits } from '@rostra/protocol/wire/limits';
import { LedgerUsage } from '../budget/usage-report.ts';
import type { ApiRoute } from '../http/api-route.ts';
import { logSource } from '../http/log-source.ts';
import { agentRoutes } from '../http/routes/agents.ts';
import { managementRoutes } from '../http/routes/management.ts';
import { referenceRoutes } from '../http/routes/reference.ts';
import { runDossierRoutes } from '../http/routes/run-dossier.ts';
import { ManagedAgents } from './agent-desk.ts';
import type { HttpGround } from './http-ground.ts';
import type { HttpParts } from './http-parts.ts';
import { ManagedRunners } from './runner-desk.ts';
import { ManagedSettings } from './setting-desk.ts';

/** What whoever runs the host sees and changes, and what is kept of runs. */
export function managementSide(ground: HttpGround, parts: HttpParts): ApiRoute[] {
  const { live, agents, store, clock, proxy, gateway, entries, log } = ground;
  const now = () => clock.now();
  const audit = {
    page: store.audit.page.bind(store.audit),
    flush: () => proxy.audit.flush(),
  };
  const apply = async () => {
    await ground.capabilities.refresh();
    await agents.apply(live.current, live.stored_agents);
    await entries.apply();
  };
  return [
    ...referenceRoutes({ version: ground.version }),
    ...agentRoutes({ agents: new ManagedAgents({ live, agents, sessions: store.sessions, audit: proxy.audit, now }) }),
    ...managementRoutes({
      runners: new ManagedRunners(agents.runners, log.lines, { audit: proxy.audit, now }),
      settings: new ManagedSettings({ live, audit: proxy.audit, now, apply }),
      usage: new LedgerUsage(store.runs, () => live.config.prices),
      audit,
      now,
      status: () => statusAnswer(ground, parts),
    }),
    ...runDossierRoutes({
      gateway,
      runs: store.runs,
      dossiers: proxy.dossiers,
      log: logSource(gateway, store),
      audit,
    }),
  ];
}

async function statusAnswer({ store, clock, agents, live }: HttpGround, parts: HttpParts): Promise<HostStatusAnswer> {
  const status = parts.status();
  const { state, problems, damaged_sessions } = store.health();
  const { commits, flushes } = await store.stats();
  const { runs_per_process, sessions_in_memory, artifact_bytes } = live.config.limits;
  return {
    version: status.version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    pid: process.pid,
    startedAt: new Date(status.started_at).toISOString(),
    uptimeSeconds: Math.max(0, clock.now() - status.started_at) / 1000,
    memoryBytes: process.memoryUsage().rss,
    isReady: status.missing.length === 0,
    missing: [...status.missing],
    notes: [...(status.notes ?? [])],
    sessions: { inMemory: status.sessions, liveTurns: status.live_turns, waitingMessages: status.mailbox ?? 0 },
    streams: parts.http.hub.streams,
    agents: [...status.agents],
    runners: agents.states(),
    store: { state, problems: [...problems], damagedSessions: [...damaged_sessions], commits, flushes },
    limits: {
      runsPerProcess: runs_per_process,
      sessionsInMemory: sessions_in_memory,
      artifactBytes: artifact_bytes,
      streams: limits.sse_streams,
    },
  };
}
