import { randomUUID } from 'node:crypto';
import type { Operation } from '@rostra/protocol/run-api/operation';
import { operations } from '@rostra/protocol/run-api/operations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './e2e/host-process.ts';
import type { Call, Walk } from './http-api/call.ts';
import { calls } from './http-api/calls.ts';
import { ApiDocument, type Received } from './http-api/document.ts';

const hookSecret = 'a-secret-of-some-length-0123456789';
const keyOf = { events: 'rostra_for-events-0123456789', runs: 'rostra_for-runs-0123456789' };
const host = new HostProcess(
  {},
  {
    agents: { written: { runner: 'rostra/demo/default', config: { name: 'written' } } },
    session: { agents: ['guide', 'scout'] },
    auth: {
      keys: [
        { name: 'events', key: keyOf.events, scopes: ['events'] },
        { name: 'runs', key: keyOf.runs, scopes: ['runs'] },
      ],
    },
    bindings: [{ id: 'walk', agent: 'guide', events: ['message.received'] }],
    webhooks: [{ id: 'walk', secret: hookSecret, agent: 'guide' }],
  },
);
let document: ApiDocument;
let walk: Walk;
const all: readonly Operation[] = Object.values(operations);

function urlOf({ path }: Operation, { path: names = {}, query, url }: Call): string {
  if (url !== undefined) return new URL(url, host.url).href.replace(/^https?:\/\/[^/]+/, host.url);
  const named = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(names[name] ?? (name === 'agentId' ? 'guide' : 'nothing')),
  );
  return `${host.url}${named}${query === undefined ? '' : `?${query}`}`;
}

/** Reads an answer to its end, or until a stream has said what it was followed for. */
async function textOf(response: Response, cutAfter: string | undefined): Promise<string> {
  if (cutAfter === undefined || response.body === null) return response.text();
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes(cutAfter)) break;
  }
  return text.slice(0, text.lastIndexOf('\n\n') + 1);
}

async function ask(operation: Operation, call: Omit<Call, 'status'>, key: string | null = host.key): Promise<Received> {
  const headers: Record<string, string> = { ...call.headers };
  if (key !== null && operation.scope !== null) headers.authorization = `Bearer ${key}`;
  const init: RequestInit = { method: operation.method, headers };
  if (call.raw !== undefined) {
    init.body = call.raw.bytes;
    if (call.raw.type !== '') headers['content-type'] = call.raw.type;
  } else if (call.body !== undefined) {
    init.body = JSON.stringify(call.body);
    headers['content-type'] = 'application/json';
  }
  const response = await fetch(urlOf(operation, { status: 0, ...call }), init);
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  return { status: response.status, type, text: await textOf(response, call.cutAfter) };
}

/** Asks, and holds the answer against the document. */
async function check(operation: Operation, call: Call, key?: string | null): Promise<Received> {
  const received = await ask(operation, call, key);
  const what = `${operation.id} ${call.query ?? ''} ${JSON.stringify(call.body ?? '')} → ${received.text.slice(0, 500)}`;
  expect(received.status, what).toBe(call.status);
  expect(document.fault(operation.id, received)).toBeNull();
  return received;
}

async function openQuestion(): Promise<string> {
  const threadId = randomUUID();
  await host.accept('/ask', { threadId });
  for (;;) {
    const { body } = await host.request('GET', `/api/v1/interactions?status=pending&sessionId=${threadId}`);
    const [item] = body.items as { id: string }[];
    if (item !== undefined) return item.id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A run that called a tool of its client. */
async function openToolCall(found: Record<string, string>): Promise<string> {
  const body = {
    threadId: randomUUID(),
    runId: 'r',
    messages: [{ id: 'm', role: 'user', content: '/client-tool colour {}' }],
    tools: [{ name: 'colour', description: 'A colour', parameters: { type: 'object' } }],
  };
  const { body: accepted } = await host.request('POST', '/api/v1/agent/runs', { body });
  const taskId = String(accepted.taskId);
  const headers = { authorization: `Bearer ${host.key}` };
  const response = await fetch(`${host.url}/api/v1/agent/runs/${taskId}/events?until=run_end`, { headers });
  found.toolCallId = /"toolCallId":"([^"]+)"/.exec(await response.text())?.[1] ?? '';
  return taskId;
}

beforeAll(async () => {
  await host.start();
  document = new ApiDocument(await (await fetch(`${host.url}/api/v1/openapi.json`)).json());
  const threadId = randomUUID();
  const taskId = await host.accept('/stream 3', { threadId });
  await host.events(taskId);
  const found: Record<string, string> = {};
  const [interactionId, toolTaskId] = [await openQuestion(), await openToolCall(found)];
  walk = { host, threadId, taskId, toolTaskId, interactionId, hookSecret, found };
});
afterAll(() => host.dispose());

describe('the HTTP API and its document', () => {
  test('the document has every operation of the table and no other, each with calls here', () => {
    const ids = all.map(({ id }) => id).sort();
    expect(document.operationIds.toSorted()).toEqual(ids);
    expect(Object.keys(calls).sort()).toEqual(ids);
    expect(new Set(all.map(({ method, path }) => `${method} ${path}`)).size).toBe(all.length);
  });

  test('an answer that the document does not describe is a fault', () => {
    const type = 'application/json';
    const refusal = { code: 'not_found', message: 'x', retryable: false, details: {} };
    expect(document.fault('getAgent', { status: 404, type, text: JSON.stringify(refusal) })).toBeNull();
    expect(document.fault('getAgent', { status: 418, type, text: JSON.stringify(refusal) })).toMatch('not described');
    for (const wrong of [{ ...refusal, code: 'odd' }, { ...refusal, more: 1 }, { code: 'not_found' }]) {
      expect(document.fault('getAgent', { status: 404, type, text: JSON.stringify(wrong) })).toMatch('getAgent 404');
    }
  });

  // In the order of the calls, which learn from each other.
  test.each(Object.entries(calls))('%s answers as it is described', async (id, callsOf) => {
    const operation = all.find((each) => each.id === id);
    if (operation === undefined) throw new Error(`there is no operation ${id}`);
    for (const [index] of callsOf(walk).entries()) {
      // Made anew, because the call before may have learnt something.
      const call = callsOf(walk)[index];
      if (call === undefined) continue;
      const { text, type } = await check(operation, call);
      if (type === 'application/json') call.learn?.(JSON.parse(text), walk.found);
    }
  });

  test.each(all.filter(({ scope }) => scope !== null).map((each) => [each.id, each] as const))(
    '%s refuses whoever has no key, or one for something else',
    async (_, operation) => {
      await check(operation, { status: 401 }, null);
      await check(operation, { status: 401 }, 'rostra_unknown-0123456789');
      if (operation.scope === 'any') return;
      await check(operation, { status: 403 }, operation.scope === 'events' ? keyOf.runs : keyOf.events);
    },
  );

  test.each(all.filter(({ body }) => body !== undefined).map((each) => [each.id, each] as const))(
    '%s refuses a body that is not JSON, or says that it is something else',
    async (_, operation) => {
      await check(operation, { status: 400, raw: { type: 'application/json', bytes: '{"half":' } });
      await check(operation, { status: 415, raw: { type: 'text/plain', bytes: '{}' } });
    },
  );
});
