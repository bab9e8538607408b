import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { KeyScope } from '@rostra/protocol/config/entry-config';
import type { Operation } from '@rostra/protocol/run-api/operation';
import type { Context, Hono } from 'hono';
import type { Clock } from '../session/clock.ts';
import type { Principal } from '../session/session-gateway.ts';
import { readJsonBody, readQuery } from './api-call.ts';
import type { ApiAnswer, ApiRoute } from './api-route.ts';
import { HttpError } from './errors.ts';

export interface ApiEnv {
  Bindings: HttpBindings;
}

export interface RouterDeps {
  readonly auth: { authenticate(req: IncomingMessage, scope: KeyScope | 'any'): Principal | Promise<Principal> };
  readonly clock: Clock;
}

/** Whoever asks without a credential, where none is needed. */
const nobody: Principal = { workspace_id: '', user_id: '' };

export function jsonResponse(body: unknown, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body === null ? null : JSON.stringify(body), {
    status,
    headers: {
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
  });
}

export function refuseMethod(method: string, allowed: readonly string[]): never {
  throw new HttpError(405, 'invalid_argument', `${method} is not possible here`, {
    details: { hint: `Use ${allowed.join(' or ')}.` },
    headers: { Allow: allowed.join(', ') },
  });
}

/** `/api/v1/sessions/{sessionId}` as the framework writes it. */
function pattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** What is written out comes before what a parameter would match as well. */
function compare({ path: a }: Operation, { path: b }: Operation): number {
  const [first, second] = [a, b].map((path) => path.replaceAll('{', '\uffff'));
  return (first ?? '') < (second ?? '') ? -1 : Number(first !== second);
}

function searchOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

function prove({ auth }: RouterDeps, req: IncomingMessage, scope: Operation['scope']): Principal | Promise<Principal> {
  return scope === null ? nobody : auth.authenticate(req, scope);
}

async function serve(deps: RouterDeps, { operation, serve: handle }: ApiRoute, c: Context<ApiEnv>): Promise<Response> {
  const { incoming: req, outgoing: res } = c.env;
  const principal = await prove(deps, req, operation.scope);
  // It is asked for with GET by the framework, and a stream has no end that a head alone could have.
  if (req.method === 'HEAD' && operation.events !== undefined) refuseMethod('HEAD', [operation.method]);
  const query = readQuery(operation, searchOf(req));
  const body = operation.takes === undefined ? await readJsonBody(operation, req, res, deps.clock) : undefined;
  const answer: ApiAnswer<unknown> | 'answered' = await handle({
    principal,
    params: c.req.param(),
    query,
    body,
    req,
    res,
  });
  if (answer === 'answered') return RESPONSE_ALREADY_SENT;
  return jsonResponse(answer.body, answer.status, answer.headers);
}

/**
 * Serves every route. `described` are operations that are served before anything comes here; of those only the path is
 * known to this router, so that it can say how it is used.
 */
export function addApi(
  app: Hono<ApiEnv>,
  deps: RouterDeps,
  routes: readonly ApiRoute[],
  described: readonly Operation[],
): void {
  for (const route of routes.toSorted((a, b) => compare(a.operation, b.operation))) {
    const { method, path } = route.operation;
    app.on(method, pattern(path), (c) => serve(deps, route, c));
  }
  const all = [...described, ...routes.map(({ operation }) => operation)].toSorted(compare);
  for (const path of new Set(all.map((operation) => operation.path))) {
    const here = all.filter((operation) => operation.path === path);
    const allowed = [...new Set(here.map(({ method }) => method))];
    app.all(pattern(path), async (c) => {
      await prove(deps, c.env.incoming, here[0]?.scope ?? null);
      return refuseMethod(c.req.method, allowed);
    });
  }
  // What nobody thought of needs the owner, or an administrator.
  app.use('/api/*', async (c, next) => {
    await prove(deps, c.env.incoming, 'admin');
    await next();
  });
}
