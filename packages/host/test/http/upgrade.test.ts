import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { say } from './raw-request.ts';
import { KEY, RUNS, run, TestHost } from './test-host.ts';

let host: TestHost;
beforeEach(async () => {
  host = await TestHost.start();
});
afterEach(() => host.stop());

/** As Java's client and `curl --http2` begin a request. */
function offering(request: string, more = ''): string {
  const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n';
  return `${request} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${KEY}\r\n${upgrade}${more}\r\n`;
}

const json = 'Content-Type: application/json\r\n';
const body = JSON.stringify(run());

describe('a request that offers another protocol', () => {
  it('is answered as if it did not', async () => {
    const text = await say(host, offering('GET /api/v1/me'));
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toContain('"userId":"owner"');
    expect(text).toMatch(/\r\nConnection: close\r\n/i);
  });

  it.each([
    ['with its body', [offering(`POST ${RUNS}`, `${json}Content-Length: ${body.length}\r\n`) + body]],
    ['before its body', [offering(`POST ${RUNS}`, `${json}Content-Length: ${body.length}\r\n`), body]],
    [
      'with a body in pieces',
      [
        offering(`POST ${RUNS}`, `${json}Transfer-Encoding: chunked\r\n`),
        `${(10).toString(16)}\r\n${body.slice(0, 10)}\r\n`,
        `${(body.length - 10).toString(16)}\r\n${body.slice(10)}\r\n0\r\n\r\n`,
      ],
    ],
  ])('is read %s', async (_name, pieces) => {
    expect(await say(host, ...pieces)).toMatch(/^HTTP\/1\.1 202 Accepted\r\n/);
    expect(host.session.submitted).toHaveLength(1);
  });

  it('is refused as any other', async () => {
    expect(await say(host, offering('GET /api/v1/none'))).toMatch(/^HTTP\/1\.1 404 /);
    expect(await say(host, offering('GET /api/v1/socket'))).toMatch(/^HTTP\/1\.1 426 /);
    expect(host.audit.map(({ resource, actor }) => [resource, actor])).toEqual([
      ['/api/v1/none', 'user:owner'],
      ['/api/v1/socket', 'user:owner'],
    ]);
  });
});

describe('a connection that cannot become what it asks for', () => {
  const websocket = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  it.each([
    ['a websocket where there is none', `GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n${websocket}\r\n`, 404],
    [
      'a websocket without what makes one',
      `GET /api/v1/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${KEY}\r\n${websocket}\r\n`,
      400,
    ],
    ['a tunnel', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 400],
  ])('is refused in the one shape of errors, and that is written down: %s', async (_name, request, status) => {
    const text = await say(host, request);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ code: expect.any(String), details: {} });
    await vi.waitFor(() => expect(host.audit).toMatchObject([{ details: { status } }]));
  });
});
