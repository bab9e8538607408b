import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { say } from './raw-request.ts';
import { KEY, TestHost } from './test-host.ts';

let host: TestHost;
beforeEach(async () => {
  host = await TestHost.start();
});
afterEach(() => host.stop());

const own = `Host: 127.0.0.1\r\nAuthorization: Bearer ${KEY}\r\nConnection: close\r\n`;
const upgrade = `Host: 127.0.0.1\r\nAuthorization: Bearer ${KEY}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;

/** What is answered to a request with these headers: its status, and its body as an error. */
async function ask(headers: string, path = '/api/v1/me'): Promise<[number, { code?: string; details?: object }]> {
  const text = await say(host, `GET ${path} HTTP/1.1\r\n${headers}\r\n`);
  return [Number(text.split(' ', 2)[1]), JSON.parse(text.slice(text.indexOf('\r\n\r\n')))];
}

const refused = (code: string) => ({ code, message: expect.any(String), details: { hint: expect.any(String) } });

describe('the head of a request', () => {
  it.each([
    ['headers of the limit', `x: ${'x'.repeat(limits.header_bytes - own.length - 5)}\r\n`, 200],
    ['a byte more', `x: ${'x'.repeat(limits.header_bytes - own.length - 4)}\r\n`, 431],
    ['as many bytes with what stands between names and values', `abcd: ${'x'.repeat(80)}\r\n`.repeat(190), 431],
    ['as many headers as are read', 'a:\r\n'.repeat(limits.header_fields - 3), 200],
    ['one more', 'a:\r\n'.repeat(limits.header_fields - 2), 431],
  ])('has a limit of bytes and of headers: %s', async (_name, more, status) => {
    const [answered, body] = await ask(own + more);
    expect(answered).toBe(status);
    if (status === 431) expect(body).toMatchObject(refused('payload_too_large'));
  });

  it('may name the whole address, as for a proxy, and has the answer of its path', async () => {
    const whole = `http://127.0.0.1:${host.port}`;
    for (const path of ['/api/v1/me?x=1', '/api/v1/agent/runs/none/events', '/nothing', '']) {
      expect(await ask(own, whole + path)).toEqual(await ask(own, path === '' ? '/' : path));
    }
    const body = JSON.stringify({ threadId: 'x' });
    const headers = `${own}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    for (const path of ['/api/v1/agent/runs', '/api/v1/agent/agui', '/api/v1/agents/guide/agui']) {
      expect(await say(host, `POST ${whole}${path} HTTP/1.1\r\n${headers}\r\n${body}`)).toContain(
        'threadId must be a valid UUID',
      );
    }
  });

  it('names a path: what is none is refused in words', async () => {
    expect(await ask(own, '*')).toMatchObject([400, refused('invalid_argument')]);
  });

  it('is read to its end: an origin behind thousands of headers does not go unseen', async () => {
    const origin = 'Origin: http://evil.example\r\n';
    expect(await ask(own + origin)).toMatchObject([403, refused('unauthorized')]);
    expect(await ask(`${own}${'a:\r\n'.repeat(2000)}${origin}`)).toMatchObject([431, refused('payload_too_large')]);
    const path = '/api/v1/socket';
    expect(await ask(`${upgrade}${'a:\r\n'.repeat(2000)}${origin}`, path)).toMatchObject([
      431,
      refused('payload_too_large'),
    ]);
    expect(host.audit).toMatchObject([403, 431, 431].map((status) => ({ details: { status } })));
  });

  it('without a host is 400, and with an expectation that nobody meets 417, in the one shape of errors', async () => {
    expect(await ask('Connection: close\r\n')).toMatchObject([400, refused('invalid_argument')]);
    expect(await ask('Host:\r\nConnection: close\r\n')).toMatchObject([400, refused('invalid_argument')]);
    expect(await ask(`${own}Expect: x\r\n`)).toMatchObject([417, refused('invalid_argument')]);
    expect(host.audit).toMatchObject([400, 400, 417].map((status) => ({ details: { status } })));
  });
});
