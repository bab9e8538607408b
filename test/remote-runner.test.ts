import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limits } from '@rostra/protocol/wire/limits';
import { defineRunner, serve, text } from '@rostra/runner-sdk';
import { testContext } from '@rostra/runner-sdk/test-context';
import { ManualTimers } from '@rostra/transport/manual-timers';
import { Peer } from '@rostra/transport/peer';
import { websocketChannel } from '@rostra/transport/websocket';
import { afterEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';

const echo = defineRunner({
  manifest: { id: 'test/remote/default', name: 'default', label: {} },
  async *run({ input }) {
    yield text(input.text ?? '');
  },
});
/** Lets everything that can happen without time passing happen. */
async function settle(): Promise<void> {
  for (let k = 0; k < 10; k += 1) await new Promise((resolve) => setImmediate(resolve));
}
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** The host's end: it takes whoever brings the token, one connection after another. */
async function host(token: string) {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const peers: Peer[] = [];
  const waiting: ((peer: Peer) => void)[] = [];
  server.on('upgrade', (request, socket, head) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      const peer = new Peer(websocketChannel(accepted));
      const next = waiting.shift();
      if (next === undefined) peers.push(peer);
      else next(peer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/`,
    connection: () =>
      new Promise<Peer>((resolve) => {
        const peer = peers.shift();
        if (peer === undefined) waiting.push(resolve);
        else resolve(peer);
      }),
  };
}

test('a remote runner dials in, runs, and dials again when it is cut off', async () => {
  const { url, connection } = await host('secret');
  const timers = new ManualTimers();
  const stop = new AbortController();
  const served = serve([echo], { url, token: 'secret', timers, signal: stop.signal, warn: () => undefined });
  const first = await connection();
  const results: unknown[] = [];
  first.onNotification('RESULTS', (params) => void results.push(params));
  const request = {
    runner_id: 'test/remote/default',
    runner_name: 'default',
    context: testContext({ run_id: 'r1', text: '数据库'.repeat(20_000) }),
  };
  expect(await first.request('RUN_AGENT', request)).toEqual({ run_id: 'r1' });
  expect(JSON.stringify(results)).toContain('数据库数据库');
  first.close();
  let second: Peer | undefined;
  void connection().then((peer) => {
    second = peer;
  });
  await settle();
  // Not at once: the next attempt waits for its time.
  expect(second).toBeUndefined();
  while (second === undefined) {
    timers.advance(limits.redial_min);
    await settle();
  }
  expect(await second.request('PING')).toEqual({});
  stop.abort();
  await served;
});

test('a token that the host does not know ends serving with a sentence', async () => {
  const { url } = await host('secret');
  await expect(serve([echo], { url, token: 'wrong' })).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a host that is not there is dialled again, ever more seldom', async () => {
  const timers = new ManualTimers();
  const warnings: string[] = [];
  const stop = new AbortController();
  const served = serve([echo], {
    url: 'ws://127.0.0.1:1/',
    token: 'x',
    timers,
    signal: stop.signal,
    warn: (line) => void warnings.push(line),
  });
  for (const pause of [limits.redial_min, limits.redial_min * 2, limits.redial_min * 4]) {
    const before = warnings.length;
    while (warnings.length === before || timers.waiting === 0) await settle();
    timers.advance(pause - 1);
    await settle();
    expect(warnings).toHaveLength(before + 1);
    timers.advance(1);
  }
  stop.abort();
  await served;
  expect(warnings[0]).toMatch(/^no connection: /);
});
