import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { operations } from '@rostra/protocol/run-api/operations';
import { type Context, Hono } from 'hono';
import type { ApiRoute } from './api-route.ts';
import { type ApiEnv, addApi, jsonResponse, type RouterDeps, refuseMethod } from './api-router.ts';
import { ConsoleFiles } from './console-files.ts';
import { HttpError } from './errors.ts';
import type { HostStatus } from './ports.ts';
import { unreadableAddress } from './request-head.ts';
import { health, readiness } from './routes/health.ts';
import { LOGIN_PATH, type LoginDeps, openLogin } from './routes/login.ts';
import { metricsPage } from './routes/metrics.ts';
import { PAGE_HEADERS, plainPage } from './routes/plain-page.ts';
import { RUNS_PATH } from './routes/runs.ts';
import { HOOKS_PATH } from './routes/webhooks.ts';

export interface AppDeps extends RouterDeps {
  /** The folder of the built console. */
  readonly console: string;
  status(): HostStatus;
  /** The page for Prometheus. */
  metrics(): string;
  readonly login: LoginDeps;
}

/** What people and probes look at, beside the API. */
function addPages(app: Hono<ApiEnv>, deps: AppDeps): void {
  app.get('/healthz', () => {
    const { status, body } = health(deps.status());
    return jsonResponse(body, status);
  });
  app.get('/readyz', () => {
    const { status, body } = readiness(deps.status());
    return jsonResponse(body, status);
  });
  app.get('/metrics', async (c) => {
    await deps.auth.authenticate(c.env.incoming, 'admin');
    return metricsPage(deps.metrics());
  });
  app.get(`${LOGIN_PATH}/:code`, (c) => openLogin(deps.login, c.req.raw, c.req.param('code')));
  for (const path of ['/healthz', '/readyz', '/metrics', `${LOGIN_PATH}/:code`]) {
    app.all(path, (c) => refuseMethod(c.req.method, ['GET']));
  }
}

/** The console finds its way by itself: every address of its own gets the same page. */
function addConsole(app: Hono<ApiEnv>, files: ConsoleFiles): void {
  const answer = (name: string) => (c: Context<ApiEnv>) => {
    const asked = { accepts: c.req.header('accept-encoding') ?? '', known: c.req.header('if-none-match') };
    return files.answer(name, asked) ?? c.notFound();
  };
  for (const path of ['/', '/chat/:id']) {
    app.get(path, answer('index.html'));
    app.all(path, (c) => refuseMethod(c.req.method, ['GET']));
  }
  for (const name of files.names) app.get(`/${name}`, answer(name));
}

const missingPage = plainPage(
  'Nothing is here',
  `<h1>Nothing is here</h1>
<p class="dim">This host has no page at this address.</p>
<p><a href="/">Go on to Rostra</a></p>`,
);

/** Whether a person opened the address, who can do nothing with JSON. */
function isBrowser({ req }: Context<ApiEnv>): boolean {
  return req.method === 'GET' && (req.header('accept') ?? '').includes('text/html');
}

/** What went wrong with a request, for the one place that answers for it. */
const failures = new WeakMap<ServerResponse, unknown>();

function createApp(deps: AppDeps, routes: readonly ApiRoute[]): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.onError((failure, c) => {
    failures.set(c.env.outgoing, failure);
    return RESPONSE_ALREADY_SENT;
  });
  app.notFound((c) => {
    throw new HttpError(404, 'not_found', 'there is nothing here', {
      details: { hint: `Runs are at POST ${RUNS_PATH}; GET /api/v1/reference lists everything else.` },
      ...(isBrowser(c) && { page: missingPage, headers: PAGE_HEADERS }),
    });
  });
  addPages(app, deps);
  addConsole(app, new ConsoleFiles(deps.console));
  // Whoever delivers has no key: what is delivered is signed.
  app.all(`${HOOKS_PATH}/:id`, (c) => refuseMethod(c.req.method, ['POST']));
  addApi(app, deps, routes, Object.values(operations));
  return app;
}

export type Listener = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** The framework answers what it cannot read with nothing: it is refused like anything else, and written down. */
function unreadable(failure: unknown): never {
  throw failure instanceof RequestError ? unreadableAddress() : failure;
}

/** Everything but the hot routes, which the server serves by itself; of those it only says how they are used. */
export function createListener(deps: AppDeps, routes: readonly ApiRoute[]): Listener {
  const { fetch } = createApp(deps, routes);
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false, errorHandler: unreadable });
  return async (req, res) => {
    await listener(req, res);
    if (failures.has(res)) throw failures.get(res);
  };
}
