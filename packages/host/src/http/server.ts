import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { limits } from '@rostra/protocol/wire/limits';
import { type AppDeps, createApp } from './app.ts';
import { ClientGone } from './body.ts';
import { Boundary, type BoundaryOptions } from './boundary.ts';
import { HttpError, sendError } from './errors.ts';
import type { EventInbox, HookInbox, LogSource } from './ports.ts';
import { getEvents } from './routes/events.ts';
import { EVENTS_PATH, postEvent } from './routes/inbound.ts';
import { postRun, RUNS_PATH } from './routes/runs.ts';
import { hookTarget, postHook } from './routes/webhooks.ts';
import { StreamHub } from './sse/stream-hub.ts';

export interface HttpDeps extends AppDeps {
  log: LogSource;
  events: EventInbox;
  hooks: HookInbox;
  boundary: BoundaryOptions;
  isDraining(): boolean;
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

/** `/api/v1/agent/runs/{taskId}/events` → the taskId, or null for any other path. */
function eventsTarget(path: string): string | null {
  if (!path.startsWith(`${RUNS_PATH}/`) || !path.endsWith(EVENTS_SUFFIX)) return null;
  const taskId = path.slice(RUNS_PATH.length + 1, -EVENTS_SUFFIX.length);
  return taskId === '' || taskId.includes('/') ? null : taskId;
}

/** Refuses what never became a request, in the one shape of errors. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  let refusal = new HttpError(400, 'invalid_argument', 'this is no HTTP request');
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    refusal = new HttpError(431, 'payload_too_large', 'the headers are too large');
  } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    refusal = new HttpError(408, 'deadline_exceeded', 'the request took too long to arrive');
  }
  const body = JSON.stringify(refusal.toJSON());
  const head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`;
  const length = Buffer.byteLength(body);
  socket.end(
    `${head}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
}

const serverOptions = {
  maxHeaderSize: limits.header_bytes,
  headersTimeout: limits.header_timeout,
  requestTimeout: limits.body_timeout,
  connectionsCheckingInterval: 1000,
};

export type ServerTimes = Partial<
  Pick<typeof serverOptions, 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'>
>;

/** The framework routes all but the hot routes and large bodies; those have Node's own request and response. */
export function createHttpServer(deps: HttpDeps, times: ServerTimes = {}): HttpServer {
  const boundary = new Boundary(deps.boundary);
  const hub = new StreamHub(deps.bus, deps.log, deps.clock, deps.report);
  const route = getRequestListener(createApp(deps).fetch, { overrideGlobalObjects: false });

  /** Bodies that are larger than those of runs, or signed byte by byte; whether it was one of these. */
  async function postBytes(path: string, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const hook = hookTarget(path);
    if (hook !== null) await postHook(deps, hook, req, res);
    else if (path === EVENTS_PATH) await postEvent(deps, deps.auth.authenticate(req, 'events'), req, res);
    return hook !== null || path === EVENTS_PATH;
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (boundary.check(req, res)) return;
    const url = req.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    if (req.method === 'POST' && path === RUNS_PATH) {
      await postRun(deps, deps.auth.authenticate(req, 'runs'), req, res);
      return;
    }
    if (req.method === 'POST' && (await postBytes(path, req, res))) return;
    const taskId = req.method === 'GET' ? eventsTarget(path) : null;
    if (taskId === null) {
      await route(req, res);
      return;
    }
    const query = mark < 0 ? '' : url.slice(mark + 1);
    const principal = deps.auth.authenticate(req, 'runs');
    await getEvents({ gateway: deps.gateway, hub }, principal, { taskId, query }, req, res);
  }

  const server = createServer({ ...serverOptions, ...times }, (req, res) => {
    answer(req, res).catch((failure: unknown) => {
      if (!(failure instanceof ClientGone)) sendError(res, failure, deps.report);
    });
  });
  server.on('clientError', refuseConnection);
  if (deps.upgrade !== undefined) server.on('upgrade', deps.upgrade);
  return {
    server,
    hub,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        hub.close();
        server.closeIdleConnections();
        // What is still being answered gets a moment; nothing may hold up the end for longer.
        const callOff = deps.clock.at(deps.clock.now() + limits.linger, () => server.closeAllConnections());
        server.once('close', callOff);
      }),
  };
}
