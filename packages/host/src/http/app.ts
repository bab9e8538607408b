import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { v4 } from 'uuid';
import type { Bus } from '../bus/port.ts';
import type { Clock } from '../session/clock.ts';
import type { Principal } from '../session/session-gateway.ts';
import { type Authenticator, scopeOf } from './auth.ts';
import { HttpError, toAnswer } from './errors.ts';
import type { HostStatus, RunGateway } from './ports.ts';
import { cancelTask } from './routes/cancel.ts';
import { health, readiness } from './routes/health.ts';
import { HOME_HEADERS, type HomeContent, homePage } from './routes/home.ts';
import { EVENTS_PATH } from './routes/inbound.ts';
import { INTERACTIONS_PATH, type InteractionInbox, inboxQuery, readAnswer } from './routes/interactions.ts';
import { metricsPage } from './routes/metrics.ts';
import { RUNS_PATH } from './routes/runs.ts';
import { HOOKS_PATH } from './routes/webhooks.ts';
import { findTask, taskResponse } from './task-response.ts';

export interface AppDeps {
  gateway: RunGateway;
  bus: Bus;
  clock: Clock;
  auth: Authenticator;
  home: HomeContent;
  /** The questions to people. */
  inbox: InteractionInbox;
  status(): HostStatus;
  /** The page for Prometheus. */
  metrics(): string;
  report(failure: unknown): void;
}

interface Env {
  Bindings: HttpBindings;
  Variables: { principal: Principal };
}

function json(body: object, status: number): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

function onlyBy(...methods: string[]) {
  return (c: Context<Env>): never => {
    throw new HttpError(405, 'invalid_argument', `${c.req.method} is not possible here`, {
      details: { hint: `Use ${methods.join(' or ')}.` },
      headers: { Allow: methods.join(', ') },
    });
  };
}

function addInbox(app: Hono<Env>, { inbox, clock }: AppDeps): void {
  app.get(INTERACTIONS_PATH, async (c) => {
    return json(
      await inbox.page(
        c.var.principal,
        inboxQuery((name) => c.req.query(name)),
      ),
      200,
    );
  });
  app.all(INTERACTIONS_PATH, onlyBy('GET'));
  app.get(`${INTERACTIONS_PATH}/:id`, async (c) => json(await inbox.get(c.var.principal, c.req.param('id')), 200));
  app.all(`${INTERACTIONS_PATH}/:id`, onlyBy('GET'));
  app.post(`${INTERACTIONS_PATH}/:id/answer`, async (c) => {
    const answer = await readAnswer(c.env.incoming, c.env.outgoing, clock);
    return json(await inbox.answer(c.var.principal, c.req.param('id'), answer), 200);
  });
  app.all(`${INTERACTIONS_PATH}/:id/answer`, onlyBy('POST'));
}

/** Everything but the two hot routes, which the server serves by itself; here they only say how they are used. */
export function createApp(deps: AppDeps): Hono<Env> {
  const app = new Hono<Env>();
  const { gateway } = deps;

  app.onError((failure) => {
    const { status, headers, body } = toAnswer(failure, deps.report);
    return new Response(body, { status, headers });
  });
  app.notFound(() => {
    throw new HttpError(404, 'not_found', 'there is nothing here', {
      details: { hint: `Runs are at POST ${RUNS_PATH}; / shows how to use them.` },
    });
  });

  app.get('/', (c) => {
    const view = { now: deps.clock.now(), address: `http://${c.req.header('host') ?? ''}`, threadId: v4() };
    return new Response(homePage(deps.status(), deps.home, view), { headers: HOME_HEADERS });
  });
  app.get('/healthz', () => {
    const { status, body } = health(deps.status());
    return json(body, status);
  });
  app.get('/readyz', () => {
    const { status, body } = readiness(deps.status());
    return json(body, status);
  });
  app.get('/metrics', (c) => {
    deps.auth.authenticate(c.env.incoming, 'admin');
    return metricsPage(deps.metrics());
  });
  for (const path of ['/', '/healthz', '/readyz', '/metrics']) app.all(path, onlyBy('GET'));

  // Whoever delivers has no key: what is delivered is signed.
  app.all(`${HOOKS_PATH}/:id`, onlyBy('POST'));
  app.use('/api/*', async (c, next) => {
    c.set('principal', deps.auth.authenticate(c.env.incoming, scopeOf(c.req.path)));
    await next();
  });
  app.all(EVENTS_PATH, onlyBy('POST'));
  addInbox(app, deps);
  app.all(RUNS_PATH, onlyBy('POST'));
  app.get(`${RUNS_PATH}/:taskId`, async (c) => {
    const turn = await findTask(gateway, c.req.param('taskId'), c.var.principal);
    return json(taskResponse(turn), 200);
  });
  app.all(`${RUNS_PATH}/:taskId`, onlyBy('GET'));
  app.post(`${RUNS_PATH}/:taskId/cancel`, async (c) => {
    const target = { taskId: c.req.param('taskId'), wait: c.req.query('wait') === '1' };
    const { status, turn } = await cancelTask(deps, c.var.principal, target);
    return json(taskResponse(turn), status);
  });
  app.all(`${RUNS_PATH}/:taskId/cancel`, onlyBy('POST'));
  app.all(`${RUNS_PATH}/:taskId/events`, onlyBy('GET'));
  return app;
}
