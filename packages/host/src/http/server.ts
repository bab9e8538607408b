import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SOCKET_PATH } from '@rostra/protocol/run-api/socket-path';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { Attachments } from '../attachments/attachments.ts';
import type { Bus } from '../bus/port.ts';
import type { Principal } from '../session/session-gateway.ts';
import type { InteractionStore } from '../store/ports/interaction.ts';
import type { TranscriptStore } from '../store/ports/transcript.ts';
import { type AguiTarget, aguiTarget, decoded } from './agui-target.ts';
import type { ApiRoute } from './api-route.ts';
import type { AppDeps, Listener } from './app.ts';
import { ClientGone } from './body.ts';
import { Boundary, type BoundaryOptions } from './boundary.ts';
import { HttpError, sendError } from './errors.ts';
import type { EventInbox, HookInbox, LogSource, RunGateway } from './ports.ts';
import type { RefusedAsk } from './refused.ts';
import { hasLargeHeaders, headersTooLarge, noSuchExpectation, targetOf } from './request-head.ts';
import type { AguiIntake } from './routes/agui.ts';
import { getEvents } from './routes/events.ts';
import { EVENTS_PATH, postEvent } from './routes/inbound.ts';
import { postRun, RUNS_PATH, type RunsDeps, wantsStream } from './routes/runs.ts';
import type { SocketDoor } from './routes/socket.ts';
import { hookTarget, postHook } from './routes/webhooks.ts';
import type { StreamAccess } from './sse/stream-access.ts';
import { type HubDeps, StreamHub } from './sse/stream-hub.ts';
import { HostRequest, refuseUpgrade } from './upgrade.ts';

export interface HttpDeps extends AppDeps, RunsDeps {
  gateway: RunGateway;
  /** What AG-UI clients need beside. */
  agui: AguiIntake;
  /** What threads are given back from, with urls of what is attached. */
  transcript: Pick<TranscriptStore, 'page'>;
  interactions: Pick<InteractionStore, 'get'>;
  attachments: Pick<Attachments, 'sign'>;
  bus: Bus;
  /** All that is not hot; asked for once, when the first such request comes, so that no start waits for it. */
  routes(): Promise<readonly ApiRoute[]>;
  log: LogSource;
  report(failure: unknown): void;
  streams: StreamAccess;
  /** Posts a frontend's message to a session of its own, and answers what the session decided. */
  send(session_id: string, message: JsonObject, principal: Principal): Promise<JsonObject>;
  events: EventInbox;
  hooks: HookInbox;
  boundary: BoundaryOptions;
  isDraining(): boolean;
  /** Counts a run of whoever asks, and refuses it beyond their rate. */
  checkRun(principal: Principal): void | Promise<void>;
  refused(req: IncomingMessage | RefusedAsk, failure: unknown): void;
  /** Takes connections that are to become something else than HTTP; without it they are refused. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export interface HttpServer {
  readonly server: Server;
  readonly hub: StreamHub;
  /** Stops listening, ends the streams and closes every connection. */
  close(): Promise<void>;
}

const EVENTS_SUFFIX = '/events';
const anyAgent: AguiTarget = { kind: 'run', agent_id: null };

/** `/api/v1/agent/runs/{taskId}/events` → the taskId, or null for any other path. */
function eventsTarget(path: string): string | null {
  if (!path.startsWith(`${RUNS_PATH}/`) || !path.endsWith(EVENTS_SUFFIX)) return null;
  const taskId = path.slice(RUNS_PATH.length + 1, -EVENTS_SUFFIX.length);
  return taskId === '' || taskId.includes('/') ? null : decoded(taskId);
}

/** Refuses what never became a request, in the one shape of errors. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): HttpError | null {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return null;
  }
  let refusal = new HttpError(400, 'invalid_argument', 'this is no HTTP request');
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    refusal = headersTooLarge();
  } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    refusal = new HttpError(408, 'deadline_exceeded', 'the request took too long to arrive');
  }
  const body = JSON.stringify(refusal.toJSON());
  const head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`;
  const length = Buffer.byteLength(body);
  socket.end(
    `${head}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
  return refusal;
}

/** The framework, the routes and their schemas are loaded by the first request that needs them. */
function lazyListener(deps: HttpDeps): Listener {
  let loaded: Promise<Listener> | null = null;
  const load = async () => {
    const [{ createListener }, routes] = await Promise.all([import('./app.ts'), deps.routes()]);
    return createListener(deps, routes);
  };
  return async (req, res) => {
    loaded ??= load();
    const listener = await loaded.catch((failure: unknown) => {
      loaded = null;
      throw failure;
    });
    return listener(req, res);
  };
}

const serverOptions = {
  maxHeaderSize: limits.header_bytes,
  headersTimeout: limits.header_timeout,
  requestTimeout: limits.request_timeout,
  connectionsCheckingInterval: 1000,
  // Its absence is refused like anything else (`Boundary`), and not with an empty answer.
  requireHostHeader: false,
};

export type ServerTimes = Partial<
  Pick<typeof serverOptions, 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'>
>;

function streamHub({ bus, log, clock, streams, gateway, report }: HttpDeps): StreamHub {
  const cancel: HubDeps['cancel'] = (task, principal) => {
    gateway.cancelTurn(task, principal).catch(report);
  };
  return new StreamHub({ bus, log, clock, access: streams, cancel, report });
}

/** Websockets of frontends; what they need is loaded when the first one comes. */
function socketDoor(deps: HttpDeps, hub: StreamHub, boundary: Boundary) {
  let door: SocketDoor | null = null;
  const open = async () => {
    const { SocketDoor: Door } = await import('./routes/socket.ts');
    door ??= new Door({
      hub,
      gateway: deps.gateway,
      clock: deps.clock,
      access: deps.streams,
      checkBoundary: (req) => boundary.admit(req),
      authenticate: (req) => deps.auth.authenticate(req, 'runs'),
      refused: deps.refused,
      send: deps.send,
      report: deps.report,
    });
    return door;
  };
  return {
    upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      open()
        .then((opened) => opened.upgrade(req, socket, head))
        .catch((failure: unknown) => {
          deps.report(failure);
          socket.destroy();
        });
    },
    close: () => door?.close(),
    terminate: () => door?.terminate(),
  };
}

/** Whoever may start a run now: nothing of it is read before that is clear. At once for keys without a rate. */
function startsRun(
  { auth, checkRun }: HttpDeps,
  req: IncomingMessage,
  scope: 'runs' | 'events',
): Principal | Promise<Principal> {
  const allowed = (principal: Principal) => {
    const checked = checkRun(principal);
    return checked instanceof Promise ? checked.then(() => principal) : principal;
  };
  const found = auth.authenticate(req, scope);
  return found instanceof Promise ? found.then(allowed) : allowed(found);
}

/** Where AG-UI clients come in: loaded when the first one comes, at hand from then on. */
function aguiDoor(deps: HttpDeps, hub: StreamHub) {
  const all = { ...deps, hub };
  let door: typeof import('./agui-door.ts') | null = null;
  const load = async () => {
    door = await import('./agui-door.ts');
    return door;
  };
  return (target: AguiTarget, principal: Principal, req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (door !== null) return door.postTarget(all, principal, target, req, res);
    return load().then(({ postTarget }) => postTarget(all, principal, target, req, res));
  };
}

/** What is no request: connections that are to become something else, and those that never came so far. */
function serveOthers(
  server: Server<typeof HostRequest>,
  deps: HttpDeps,
  sockets: Pick<ReturnType<typeof socketDoor>, 'upgrade'>,
): void {
  const refuse = (req: IncomingMessage, socket: Duplex, failure: HttpError) => {
    deps.refused(req, failure);
    refuseUpgrade(socket, failure, deps.report);
  };
  server.on('upgrade', (req, socket, head) => {
    const [path] = (req.url ?? '').split('?', 1);
    if (hasLargeHeaders(req)) refuse(req, socket, headersTooLarge());
    else if (path === SOCKET_PATH) sockets.upgrade(req, socket, head);
    else if (deps.upgrade !== undefined) deps.upgrade(req, socket, head);
    else refuse(req, socket, new HttpError(404, 'not_found', 'there is nothing here'));
  });
  server.on('connect', (req, socket) => {
    const details = { hint: 'Ask the host for its own paths.' };
    refuse(req, socket, new HttpError(400, 'invalid_argument', 'this host is no proxy', { details }));
  });
  server.on('clientError', (error, socket) => {
    const refusal = refuseConnection(error, socket);
    if (refusal !== null) deps.refused({ socket: socket instanceof Socket ? socket : {} }, refusal);
  });
}

/** The framework routes all but the hot routes and large bodies; those have Node's own request and response. */
export function createHttpServer(deps: HttpDeps, times: ServerTimes = {}): HttpServer {
  const boundary = new Boundary(deps.boundary);
  const hub = streamHub(deps);
  const route = lazyListener(deps);
  const postAgui = aguiDoor(deps, hub);

  /** Bodies that are larger than those of runs, or signed byte by byte; whether it was one of these. */
  async function postBytes(path: string, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const hook = hookTarget(path);
    if (hook !== null) await postHook(deps, hook, req, res);
    else if (path === EVENTS_PATH) await postEvent(deps, await startsRun(deps, req, 'events'), req, res);
    return hook !== null || path === EVENTS_PATH;
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (hasLargeHeaders(req)) throw headersTooLarge();
    if (boundary.check(req, res)) return;
    const url = targetOf(req);
    req.url = url;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    if (req.method === 'POST') {
      const isRun = path === RUNS_PATH;
      const target = isRun && wantsStream(req) ? anyAgent : aguiTarget(path);
      if (target !== null || isRun) {
        const found =
          target?.kind === 'copilot_connect' ? deps.auth.authenticate(req, 'runs') : startsRun(deps, req, 'runs');
        const principal = found instanceof Promise ? await found : found;
        if (target === null) await postRun(deps, principal, req, res);
        else await postAgui(target, principal, req, res);
        return;
      }
    }
    if (req.method === 'POST' && (await postBytes(path, req, res))) return;
    const taskId = req.method === 'GET' ? eventsTarget(path) : null;
    if (taskId === null) {
      await route(req, res);
      return;
    }
    const query = mark < 0 ? '' : url.slice(mark + 1);
    const principal = await deps.auth.authenticate(req, 'runs');
    await getEvents({ gateway: deps.gateway, hub }, principal, { taskId, query }, req, res);
  }

  const refuse = (req: IncomingMessage, res: ServerResponse, failure: unknown) => {
    if (failure instanceof ClientGone) return;
    deps.refused(req, failure);
    sendError(res, failure, deps.report);
  };

  const server = createServer({ ...serverOptions, ...times, IncomingMessage: HostRequest }, (req, res) => {
    // With an upgrade that is passed over, Node drops what came right behind the request: nothing may come there.
    if (req.offersUpgrade) res.setHeader('Connection', 'close');
    answer(req, res).catch((failure: unknown) => refuse(req, res, failure));
  });
  // Node drops what comes after so many headers without a word: all of them are looked at, and too many are refused.
  server.maxHeadersCount = 0;
  server.on('checkExpectation', (req, res) => refuse(req, res, noSuchExpectation()));
  const sockets = socketDoor(deps, hub, boundary);
  serveOthers(server, deps, sockets);
  return {
    server,
    hub,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        hub.close();
        sockets.close();
        server.closeIdleConnections();
        // What is still being answered gets a moment; nothing may hold up the end for longer.
        const callOff = deps.clock.at(deps.clock.now() + limits.linger, () => {
          server.closeAllConnections();
          sockets.terminate();
        });
        server.once('close', callOff);
      }),
  };
}
