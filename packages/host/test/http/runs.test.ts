import { Agent } from 'node:http';
import { connect } from 'node:net';
import { TaskAcceptedResponse } from '@rostra/protocol/run-api/task';
import { AgentAPIError, ApiError } from '@rostra/protocol/wire/api-error';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEY, RUNS, run, TestHost, threadId } from './test-host.ts';

let host: TestHost;
beforeEach(async () => {
  host = await TestHost.start();
});
afterEach(() => host.stop());

const user = (content: unknown) => ({ id: 'msg-001', role: 'user', content });
const image = (more: object) => ({ type: 'binary', mimeType: 'image/png', url: 'https://x.example/i.png', ...more });

/** Sends raw bytes and reads until the server closes. */
function raw(bytes: string | Buffer[], keepOpen = false): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(host.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!keepOpen && text.includes('\r\n\r\n')) host.clock.advance(2_000);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    for (const part of Array.isArray(bytes) ? bytes : [bytes]) socket.write(part);
  });
}

describe('POST /api/v1/agent/runs', () => {
  it('answers 202 with the task after the commit, and names where it is', async () => {
    const answer = await host.post(run());
    expect(answer.status).toBe(202);
    const body = TaskAcceptedResponse.strict().parse(JSON.parse(answer.text));
    expect(body).toMatchObject({ threadId, runId: 'run-001', created: '2023-11-14T22:13:20.000Z' });
    expect(body.taskId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      location: `${RUNS}/${body.taskId}`,
      'content-location': `${RUNS}/${body.taskId}`,
    });
  });

  it('hands over the input with its names, its hash and the principal of the key', async () => {
    await host.post(run({ threadId: threadId.toUpperCase(), forwardedProps: { agentId: 'scout' } }));
    expect(host.session.submitted[0]).toMatchObject({
      session_id: threadId,
      principal: { workspace_id: 'local', user_id: 'owner' },
      message_id: 'run:run-001',
      payload: { input: { text: 'hello' }, mentioned_agent_id: 'scout', client_run_id: 'run-001' },
      open: { active_agent_id: 'scout' },
    });
  });

  it('answers the same body again with the same task, in whatever order its keys are', async () => {
    const { threadId: thread, ...rest } = run({ state: { a: 1, b: [2] } }) as Record<string, unknown>;
    const first = await host.post({ threadId: thread, ...rest });
    const again = await host.post({ ...rest, state: { b: [2], a: 1 }, threadId: thread });
    expect(again.status).toBe(202);
    expect(again.json().taskId).toBe(first.json().taskId);
  });

  it('answers another body under the same name with 409', async () => {
    await host.post(run());
    const other = await host.post(run({ messages: [user('other')] }));
    expect(other.status).toBe(409);
    expect(other.json()).toMatchObject({ code: 'invalid_argument', details: { reason: 'CONFLICT' } });
  });

  const others = (n: number) => Array.from({ length: n }, (_, i) => ({ id: `m${i}`, role: 'system', content: 'x' }));
  it.each<[string, object]>([
    ['threadId must be a valid UUID', { threadId: '../../x' }],
    ['runId exceeds length limit', { runId: 'r'.repeat(129) }],
    ['RunAgentInput.messages exceeds limit', { messages: [user('x'), ...others(200)] }],
    ['RunAgentInput user message text exceeds limit', { messages: [user('x'.repeat(10_001))] }],
    ['RunAgentInput.messages must contain exactly one user message', { messages: [] }],
    ['RunAgentInput.messages[0].role must be user', { messages: [...others(1), user('x')] }],
    ['binary content requires image mimeType', { messages: [user([image({ mimeType: 'text/html' })])] }],
    ['binary content requires url', { messages: [user([{ type: 'binary', mimeType: 'image/png' }])] }],
    ['binary content data is not allowed', { messages: [user([image({ data: 'AA' })])] }],
  ])('refuses with 422: %s', async (sentence, more) => {
    const answer = await host.post(run(more));
    expect(answer.status).toBe(422);
    expect(AgentAPIError.strict().parse(JSON.parse(answer.text))).toMatchObject({
      code: 'invalid_argument',
      message: sentence,
      retryable: false,
    });
    expect(host.session.submitted).toEqual([]);
  });

  it('takes 262,144 bytes and refuses one more with 413, before it looks at them', async () => {
    const body = JSON.stringify(run());
    const fits = body + ' '.repeat(262_144 - body.length);
    expect((await host.post(fits)).status).toBe(202);
    const answer = await host.post(`${fits} `);
    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({
      code: 'payload_too_large',
      message: 'RunAgentInput payload exceeds size limit',
    });
    expect((await host.post('x'.repeat(300_000))).status).toBe(413);
  });

  it('refuses an endless chunked body at the limit and closes the socket', async () => {
    const head = `POST ${RUNS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = Buffer.from(`10000\r\n${' '.repeat(65_536)}\r\n`);
    const answer = await raw([Buffer.from(head), ...Array.from({ length: 5 }, () => chunk)]);
    expect(answer).toContain('413 Payload Too Large');
    expect(answer).toContain('RunAgentInput payload exceeds size limit');
  });

  it('lets whoever sends too much send it to its end, hear the 413 and go on with the same connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { 'content-type': 'application/json' };
    let connections = 0;
    host.http.server.on('connection', () => {
      connections += 1;
    });
    const statuses: number[] = [];
    for (const body of [Buffer.alloc(4_000_000, ' '), Buffer.alloc(12_000_000, ' '), JSON.stringify(run())]) {
      statuses.push((await host.ask('POST', RUNS, { headers, body, agent })).status);
    }
    expect([statuses, connections]).toEqual([[413, 413, 202], 1]);
    agent.destroy();
  });

  it('refuses a declared length over the limit without waiting for the body', async () => {
    const answer = await raw(
      `POST ${RUNS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n{`,
    );
    expect(answer).toContain('413 Payload Too Large');
  });

  it('gives up on headers and bodies that never come, with 408, and closes the connection (case 30)', async () => {
    await host.stop();
    host = await TestHost.start({}, { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 });
    const answer = await raw(
      `POST ${RUNS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
      true,
    );
    expect(answer).toContain('408 Request Timeout');
    expect(answer).toContain('"code":"deadline_exceeded"');
    expect(await raw('GET /healthz HTTP/1.1\r\nHost: loc', true)).toContain('408 Request Timeout');
  });

  it('refuses headers over 16 KiB with 431 and noise with 400, in the one shape', async () => {
    const large = await raw(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`);
    expect(large).toContain('431 Request Header Fields Too Large');
    expect(large).toContain('"retryable":false');
    expect(await raw('\u0001\u0002\r\n\r\n')).toContain('400 Bad Request');
  });

  it.each<[string, string | Buffer]>([
    ['no JSON', '{"threadId": '],
    ['nothing', ''],
    ['a byte order mark', `\uFEFF${JSON.stringify(run())}`],
    ['invalid UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['half a surrogate pair', JSON.stringify(run({ runId: 'X' })).replace('X', '\\ud83d')],
  ])('refuses %s with 400', async (_name, body) => {
    const answer = await host.post(body);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_argument', retryable: false });
  });

  it('refuses a depth bomb and a node bomb with 422', async () => {
    const deep = await host.post(`{"state":${'['.repeat(200_000)}`);
    expect([deep.status, deep.json().message]).toEqual([422, 'the body is nested deeper than 32 levels']);
    const wide = await host.post(run({ state: Array.from({ length: 10_000 }, () => ({})) }));
    expect([wide.status, wide.json().message]).toEqual([422, 'the body has more than 10000 values']);
  });

  it('refuses keys that reach a prototype', async () => {
    const text = JSON.stringify(run({ state: { X: { polluted: 1 } } })).replace('"X"', '"__proto__"');
    const answer = await host.post(text);
    expect(answer.status).toBe(422);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('refuses whoever takes neither JSON nor a stream', async () => {
    const answer = await host.post(run(), { accept: 'text/html' });
    expect([answer.status, answer.json().message]).toEqual([
      406,
      'this path answers with application/json or text/event-stream',
    ]);
  });

  it.each(['*/*', 'application/json', 'application/*;q=0.5', 'text/html, */*;q=0.1', 'text/event-stream;q=0, */*'])(
    'accepts Accept: %s',
    async (accept) => {
      expect((await host.post(run(), { accept })).status).toBe(202);
    },
  );

  it('wants application/json in UTF-8', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
      const answer = await host.post(run(), { 'content-type': type });
      expect(answer.status).toBe(415);
      expect(answer.json().details.hint).toContain('Content-Type: application/json');
    }
    expect((await host.post(run(), { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await host.post(run(), { 'content-type': 'application/json; charset="UTF-8"' })).status).toBe(202);
  });

  it('takes no runs while it shuts down', async () => {
    host.draining = true;
    const answer = await host.post(run());
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBeDefined();
    expect(answer.json()).toMatchObject({ code: 'runtime_error', retryable: true });
  });

  it('refuses an agent that the host does not have, and names those it has', async () => {
    const answer = await host.post(run({ forwardedProps: { agentId: 'nobody' } }));
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ code: 'not_found', details: { agents: ['guide', 'scout'] } });
    expect(host.session.submitted).toEqual([]);
  });

  it.each<[number, ApiError]>([
    [404, new ApiError('not_found', 'x')],
    [409, new ApiError('invalid_argument', 'x', { details: { reason: 'SESSION_NOT_OPEN' } })],
    [409, new ApiError('invalid_argument', 'x', { details: { reason: 'BUSY' }, retryable: true })],
    [422, new ApiError('invalid_argument', 'x', { details: { reason: 'INVALID_MENTION' } })],
    [429, new ApiError('rate_limited', 'x', { details: { reason: 'QUEUE_FULL' }, retryable: true })],
    [403, new ApiError('unauthorized', 'x')],
    [500, new ApiError('runtime_error', 'x')],
    [503, new ApiError('runtime_error', 'x', { retryable: true })],
    [504, new ApiError('deadline_exceeded', 'x')],
  ])('answers a refusal of the session with its status %i', async (status, refusal) => {
    host.session.refusal = refusal;
    const answer = await host.post(run());
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(Object.keys(answer.json())).toEqual(['code', 'message', 'retryable', 'details']);
    expect(answer.json()).toEqual(JSON.parse(JSON.stringify(refusal)));
    expect(answer.headers['retry-after']).toBe([429, 503].includes(status) ? '1' : undefined);
  });

  it('tells nothing of a failure of its own but that it failed', async () => {
    host.session.submitRun = () => Promise.reject(new Error('secret path /etc/x'));
    const answer = await host.post(run());
    expect(answer.status).toBe(500);
    expect(answer.json().code).toBe('runtime_error');
    expect(answer.text).not.toContain('secret');
    expect(host.reported).toHaveLength(1);
  });
});
