import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { operation } from '@rostra/protocol/run-api/operation';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ApiRoute, route } from '../../src/http/api-route.ts';
import { type ApiEnv, addApi, type RouterDeps } from '../../src/http/api-router.ts';
import { HttpError, sendError } from '../../src/http/errors.ts';
import { ManualClock } from '../manual-clock.ts';

const described = { scope: 'runs', tag: 'Things', summary: 'A thing', refusals: [] } as const;
const get = operation({
  ...described,
  id: 'getThing',
  method: 'GET',
  path: '/api/v1/things/{thingId}',
  query: z.object({ n: z.coerce.number().int().max(9).default(1) }),
  answers: { 200: z.object({ thingId: z.string(), n: z.number(), who: z.string() }) },
});
const special = operation({
  ...described,
  id: 'getAll',
  method: 'GET',
  path: '/api/v1/things/all',
  answers: { 204: null },
});
const put = operation({
  ...described,
  id: 'changeThing',
  method: 'PATCH',
  path: '/api/v1/things/{thingId}',
  body: z.strictObject({ name: z.string().max(5), deep: z.object({ list: z.array(z.number()) }).optional() }),
  bytes: 200,
  answers: { 200: z.object({ name: z.string() }) },
});
const stream = operation({
  ...described,
  id: 'followThing',
  method: 'GET',
  path: '/api/v1/things/{thingId}/events',
  answers: { 200: null },
  events: z.object({}),
});
const open = operation({
  ...described,
  id: 'openThing',
  method: 'POST',
  path: '/api/v1/things',
  scope: null,
  body: z.strictObject({ title: z.string().optional() }).default({}),
  answers: { 200: z.object({ who: z.string() }) },
});
const raw = operation({ ...described, id: 'rawThing', method: 'GET', path: '/api/v1/raw', answers: { 200: null } });
const broken = operation({
  ...described,
  id: 'breakThing',
  method: 'GET',
  path: '/api/v1/broken',
  answers: { 200: null },
});

/** Served before anything comes to the router. */
const hot = operation({ ...described, id: 'hotThing', method: 'POST', path: '/api/v1/hot', answers: { 204: null } });

const routes: ApiRoute[] = [
  route(get, async ({ params, query, principal }) => ({
    status: 200,
    body: { ...params, ...query, who: principal.user_id },
  })),
  route(special, async () => ({ status: 204, body: null })),
  route(put, async ({ body }) => ({ status: 200, body: { name: body.name }, headers: { ETag: '"1"' } })),
  route(open, async ({ principal }) => ({ status: 200, body: { who: principal.user_id } })),
  route(stream, async () => {
    throw new Error('a stream was begun for its head');
  }),
  route(raw, async ({ res }) => {
    res.writeHead(200, { 'Content-Type': 'text/plain' });
    res.end('bytes');
    return 'answered';
  }),
  route(broken, async () => {
    throw new Error('a secret of the inside');
  }),
];

describe('the router of operations', () => {
  const asked: string[] = [];
  const reported: unknown[] = [];
  let server: Server;
  let base = '';

  beforeAll(async () => {
    const app = new Hono<ApiEnv>();
    app.onError((failure, c) => {
      sendError(c.env.outgoing, failure, (bug) => reported.push(bug));
      return RESPONSE_ALREADY_SENT;
    });
    app.notFound(() => {
      throw new HttpError(404, 'not_found', 'there is nothing here');
    });
    const auth: RouterDeps['auth'] = {
      authenticate: async (req, scope) => {
        asked.push(scope);
        if (req.headers.authorization === undefined) throw new HttpError(401, 'unauthorized', 'a key is required');
        return { workspace_id: 'w', user_id: 'u' };
      },
    };
    addApi(app, { auth, clock: new ManualClock() }, routes, [hot]);
    server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  });
  afterAll(() => server.close());

  async function ask(method: string, path: string, options: { body?: string; type?: string; key?: boolean } = {}) {
    const { body, type = 'application/json', key = true } = options;
    const headers: Record<string, string> = { ...(key && { authorization: 'Bearer x' }) };
    if (body !== undefined) headers['content-type'] = type;
    const answer = await fetch(`${base}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const text = await answer.text();
    const isJson = text !== '' && answer.headers.get('content-type') === 'application/json';
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : null };
  }

  it('hands over who asks, decoded parameters, and the query by its schema', async () => {
    const answer = await ask('GET', '/things/a%2Fb%20c?n=7&other=1');
    expect([answer.status, answer.json]).toEqual([200, { thingId: 'a/b c', n: 7, who: 'u' }]);
    expect((await ask('GET', '/things/x')).json.n).toBe(1);
  });

  it('what is written out goes before what a parameter would match', async () => {
    expect([(await ask('GET', '/things/all')).status, (await ask('GET', '/things/al')).status]).toEqual([204, 200]);
  });

  it.each([
    ['n=10', 'n'],
    ['n=x', 'n'],
    ['n=1&n=2', 'n'],
    ['n=', 'n'],
  ])('a bad query is 422 and names its place: %s', async (query, path) => {
    const { status, json } = await ask('GET', `/things/x?${query}`);
    expect([status, json]).toMatchObject([422, { code: 'invalid_argument', details: { in: 'query', path } }]);
  });

  it.each([
    ['{"name":5}', 'name'],
    ['{"name":"a","more":1}', 'more'],
    ['{"name":"a","deep":{"list":[1,"x"]}}', 'deep.list.1'],
    ['{"name":"a","__proto__":{"x":1}}', '__proto__'],
    ['[]', ''],
  ])('a bad body is 422 and names its place: %s', async (body, path) => {
    const { status, json } = await ask('PATCH', '/things/x', { body });
    expect([status, json.details]).toMatchObject([422, { in: 'body', path }]);
  });

  it('a body that is no JSON is 400, of another type 415, too large 413, none at all refused', async () => {
    const statuses = await Promise.all([
      ask('PATCH', '/things/x', { body: '{' }),
      ask('PATCH', '/things/x', { body: '{}', type: 'text/plain' }),
      ask('PATCH', '/things/x', { body: JSON.stringify({ name: 'x'.repeat(300) }) }),
      ask('PATCH', '/things/x'),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([400, 415, 413, 415]);
    expect((await ask('PATCH', '/things/x', { body: '{"name":"a"}' })).headers.get('etag')).toBe('"1"');
  });

  it('where no key is needed nobody is asked for one, and an empty body may do', async () => {
    const before = asked.length;
    const answer = await ask('POST', '/things', { key: false });
    expect([answer.status, answer.json, asked.length]).toEqual([200, { who: '' }, before]);
  });

  it('another method is 405 and Allow names those that there are, for whoever has a key', async () => {
    const answer = await ask('DELETE', '/things/x');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, PATCH']);
    expect((await ask('DELETE', '/things/x', { key: false })).status).toBe(401);
    expect((await ask('GET', '/hot')).headers.get('allow')).toBe('POST');
  });

  it('the head of a stream alone is 405: it would never end', async () => {
    const answer = await ask('HEAD', '/things/x/events');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await ask('HEAD', '/things/x')).status).toBe(200);
  });

  it('what nobody serves needs an administrator before it is 404', async () => {
    expect((await ask('GET', '/nothing', { key: false })).status).toBe(401);
    asked.length = 0;
    expect((await ask('GET', '/nothing')).status).toBe(404);
    expect(asked).toEqual(['admin']);
  });

  it('a handler may answer by itself', async () => {
    expect(await ask('GET', '/raw')).toMatchObject({ status: 200, text: 'bytes' });
  });

  it('a bug is reported and told without its words', async () => {
    const { status, text } = await ask('GET', '/broken');
    expect([status, text.includes('secret'), reported.length]).toEqual([500, false, 1]);
  });
});
