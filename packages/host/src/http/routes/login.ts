import { keyOperations as operations } from '@rostra/protocol/run-api/operations/keys';
import { limits } from '@rostra/protocol/wire/limits';
import type { Access } from '../../access/access.ts';
import type { Act } from '../../access/act-entry.ts';
import type { Principal } from '../../session/session-gateway.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { HttpError } from '../errors.ts';
import { PAGE_HEADERS, plainPage } from './plain-page.ts';

export const LOGIN_PATH = '/login';

export interface LoginDeps {
  readonly access: Pick<Access, 'logins'>;
  /** Where browsers find the host, when that is not where it listens. */
  readonly public_url: string | null;
  acted(principal: Principal, act: Act): void;
}

/** No script reads it, no other site sends it; over https alone where the host is found so. */
function cookieOf({ access, public_url }: LoginDeps, value: string, seconds: number): string {
  const secure = public_url?.startsWith('https:') === true ? '; Secure' : '';
  const { name } = access.logins.cookies;
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

const usedPage = plainPage(
  'This link has been used',
  `<h1>This link has been used</h1>
<p class="dim">Or it is older than ${limits.login_link / 60_000} minutes, or the host was restarted since. A login link works once.</p>
<h2>Get a new one</h2>
<p>In the folder where the host was started:</p>
<pre>npx rostra open</pre>
<p class="dim">Every start of the host prints one, too. A browser that is logged in stays so: <a href="/">go on to Rostra</a>.</p>`,
);

/** `GET /login/{code}`: logs the browser in and sends it to the first page; whoever only looks uses nothing up. */
export function openLogin(
  deps: LoginDeps,
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  code: string,
): Response {
  if (method === 'HEAD') return new Response(null, { status: 200, headers: PAGE_HEADERS });
  // A browser that fetches ahead of a click asks again at the click, unless it was given something.
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose') ?? '';
  if (/\bpre(?:fetch|render)\b/.test(purpose)) return new Response(null, { status: 503, headers: PAGE_HEADERS });
  const login = deps.access.logins.redeem(code);
  if (login === null) return new Response(usedPage, { status: 410, headers: PAGE_HEADERS });
  deps.acted(login.holder.principal, { action: 'login', resource: null });
  return new Response(null, {
    status: 303,
    headers: {
      Location: '/',
      'Set-Cookie': cookieOf(deps, login.value, limits.login / 1000),
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
  });
}

export function loginRoutes(deps: LoginDeps): ApiRoute[] {
  const { access, public_url, acted } = deps;
  return [
    route(operations.createLoginLink, async ({ principal, req }) => {
      const { credential } = principal;
      if (credential === undefined || credential.id.startsWith('jwt:')) {
        throw new HttpError(422, 'invalid_argument', 'whoever comes with a token logs in where they got it', {
          details: { hint: 'Use a key to make a login link.' },
        });
      }
      const { code, expires_at } = access.logins.link(credential.id);
      acted(principal, { action: 'login.link', resource: null });
      const address = public_url ?? `http://${req.headers.host ?? ''}`;
      const body = { url: `${address}${LOGIN_PATH}/${code}`, expiresAt: new Date(expires_at).toISOString() };
      return { status: 201, body };
    }),
    route(operations.logout, async ({ principal, req }) => {
      await access.logins.logOut(req.headers.cookie);
      acted(principal, { action: 'logout', resource: null });
      return { status: 204, body: null, headers: { 'Set-Cookie': cookieOf(deps, '', 0) } };
    }),
  ];
}
