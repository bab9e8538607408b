import { fileURLToPath } from 'node:url';
import { runnerSocket } from '../discovery/runner-socket.ts';
import { HttpError } from '../http/errors.ts';
import { logSource } from '../http/log-source.ts';
import type { HostStatus } from '../http/ports.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { streamAccess } from '../http/sse/stream-access.ts';
import type { HostReadings } from '../metrics/host-metrics.ts';
import type { Principal } from '../session/session-gateway.ts';
import { attachmentSide } from './attachment-side.ts';
import type { HttpGround } from './http-ground.ts';
import type { HttpParts } from './http-parts.ts';
import { intakeSide } from './intake-side.ts';
import { programs } from './programs.ts';
import type { Settings } from './settings.ts';

export function httpSide(ground: HttpGround): HttpParts {
  const { settings, log, store, clock, bus, agents, orchestrator, gateway, entries, watch, version } = ground;
  const startedAt = clock.now();
  const status = () => statusOf(ground, startedAt);
  const readings = (): HostReadings => ({
    ...gateway.stats(),
    ...orchestrator.stats(),
    streams: http.hub.streams,
    runners: agents.states(),
  });
  const attachments = attachmentSide(ground, () => addressOf(http, settings));
  const intake = intakeSide(ground, attachments);
  const parts = (): HttpParts => ({ http, attachments, intake, status });
  const http: HttpServer = createHttpServer({
    ...intake,
    transcript: store.transcript,
    interactions: store.interactions,
    attachments,
    gateway,
    bus,
    clock,
    ...accessDeps(ground),
    routes: async () => (await import('./api-side.ts')).apiRoutes(ground, parts()),
    send: async (...sent) => (await import('./conversation-side.ts')).sendMessage(ground, ...sent),
    events: entries.events,
    hooks: entries.hooks,
    console: fileURLToPath(programs.console),
    status,
    metrics: () => watch.page(version, readings()),
    report: (failure) => log.fault('http', failure),
    log: logSource(gateway, store),
    boundary: boundaryOf(settings),
    isDraining: ground.isDraining,
    upgrade: runnerSocket(
      (token) => agents.runners.door(token),
      (request, status, { code, message }) => ground.access.refused(request, new HttpError(status, code, message)),
    ),
  });
  return parts();
}

/** Where the host listens, for urls that no request asks for. */
function addressOf({ server }: HttpServer, { host }: Settings): string {
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function statusOf({ version, gateway, agents, keeping }: HttpGround, started_at: number): HostStatus {
  const missing = agents.missing();
  return {
    version,
    started_at,
    ...gateway.stats(),
    agents: agents.default_agents,
    runner: missing.length === 0 ? 'ready' : 'not running',
    missing: [...missing, ...keeping.missing()],
    notes: keeping.notes(),
  };
}

/** Whoever knows the host by its public address may call it by that. */
function boundaryOf({ host, hosts, origins, public_url }: Settings) {
  const own = public_url === null ? null : new URL(public_url);
  return {
    bind: host,
    hosts: own === null ? hosts : [...hosts, own.hostname],
    origins: own === null ? origins : [...origins, own.origin],
  };
}

/** Who may ask, how much, and what is written down of those who may not. */
function accessDeps({ settings, access: { access, auth, refused, acted } }: HttpGround) {
  return {
    auth,
    refused,
    login: { access, public_url: settings.public_url, acted },
    checkRun: (principal: Principal) => access.checkRun(principal),
    streams: streamAccess(access),
  };
}
