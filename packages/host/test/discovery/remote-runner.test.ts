import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limits } from '@rostra/protocol/wire/limits';
import { Peer } from '@rostra/transport/peer';
import { dialWebsocket } from '@rostra/transport/websocket';
import { expect, onTestFinished, test } from 'vitest';
import type { RemotePackage } from '../../src/discovery/runner-package.ts';
import { RUNNER_SOCKET_PATH, runnerSocket } from '../../src/discovery/runner-socket.ts';
import { keyOf, PoolWorld } from './pool-world.ts';

const remote = (name: string, token: string): RemotePackage => ({
  name,
  origin: 'remote',
  source: name,
  enabled: true,
  processes: 'shared',
  token,
});

async function host(...packages: RemotePackage[]) {
  const w = new PoolWorld(packages);
  const server = createServer();
  const refused: number[] = [];
  server.on(
    'upgrade',
    runnerSocket(
      (token) => w.pool.door(token),
      (_request, status) => refused.push(status),
    ),
  );
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { w, refused, url: `ws://127.0.0.1:${port}${RUNNER_SOCKET_PATH}` };
}

async function dialIn(url: string, token: string, runner_id = 'far'): Promise<Peer> {
  const peer = new Peer(await dialWebsocket({ url, token }));
  onTestFinished(() => peer.close());
  const manifest = { id: runner_id, name: runner_id, label: {}, capabilities: {}, permissions: {}, context: {} };
  peer.onRequest('LIST_AGENT_RUNNERS', () => ({ protocol_version: '1.0', runners: [manifest] }));
  peer.onRequest('PING', () => ({}));
  return peer;
}

test('a remote runner is a process like any other; when it is lost its runs know, and it may come back', async () => {
  const { w, url } = await host(remote('far', 'secret'));
  expect(w.state('far')).toMatchObject({ state: 'stopped', isolation: null });
  const absent = w.pool.open(keyOf('far'));
  await expect(absent).rejects.toMatchObject({ retryable: true });
  await expect(absent).rejects.toThrow('The remote runner far has not dialled in yet.');
  const first = await dialIn(url, 'secret');
  await expect.poll(() => w.state('far')?.state).toBe('ready');
  const { connection, manifest } = await w.pool.open(keyOf('far'));
  expect(manifest.id).toBe('far');
  expect(connection.pid).toBeUndefined();
  expect(await connection.ping(1000)).toBe(true);
  expect(w.pool.ready(keyOf('far'))?.connection).toBe(connection);
  expect(w.pool.ready(keyOf('far', { workspace_id: 'other' }))).toBeNull();
  first.close();
  expect(await connection.lost).toBe('The connection to the runner was lost.');
  expect(w.pool.ready(keyOf('far'))).toBeNull();
  await expect(w.pool.open(keyOf('far'))).rejects.toThrow('The remote runner far is not connected.');
  await dialIn(url, 'secret');
  await expect.poll(() => w.pool.ready(keyOf('far'))).not.toBeNull();
  expect(w.state('far')).toMatchObject({ state: 'ready', restarts: 1, reason: null });
});

test('only the right token opens the door, it opens only its own, and who was refused is told', async () => {
  const { w, refused, url } = await host(remote('one', 'first'), remote('two', 'second'));
  await expect(dialIn(url, 'third')).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(dialIn(url, '')).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(dialIn(`${url}?token=first`, 'x')).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(dialIn(url.replace(RUNNER_SOCKET_PATH, '/api/v1/other'), 'first')).rejects.toThrow('404');
  expect(refused).toEqual([401, 401, 401, 404]);
  await dialIn(url, 'second', 'b');
  await expect.poll(() => w.state('two')?.state).toBe('ready');
  expect(w.state('one')?.state).toBe('stopped');
  expect(w.pool.list().map(({ package_name, manifest }) => [package_name, manifest.id])).toEqual([['two', 'b']]);
});

test('a web page cannot be a runner', async () => {
  const { url } = await host(remote('far', 'secret'));
  const address = url.replace('ws:', 'http:');
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const headers = { ...upgrade, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', authorization: 'Bearer secret' };
  const { request } = await import('node:http');
  const asked = request(address, { headers: { ...headers, origin: 'https://evil.example' } });
  asked.end();
  const [response] = await once(asked, 'response');
  expect(response.statusCode).toBe(403);
});

test('a remote runner that does not answer the regular ping is cut off', async () => {
  const { w, url } = await host(remote('far', 'secret'));
  const peer = await dialIn(url, 'secret');
  await expect.poll(() => w.state('far')?.state).toBe('ready');
  peer.onRequest('PING', () => new Promise(() => undefined));
  const { connection } = await w.pool.open(keyOf('far'));
  w.clock.advance(limits.runner_ping);
  w.clock.advance(limits.runner_pong);
  expect(await connection.lost).toContain('It did not answer a ping within 30 s.');
});

test('a token that was taken away admits nobody, and who came with it is let go after its last run', async () => {
  const { w, url } = await host(remote('far', 'secret'));
  await dialIn(url, 'secret');
  await expect.poll(() => w.state('far')?.state).toBe('ready');
  const { connection } = await w.pool.open(keyOf('far'));
  connection.enter('r');
  w.packages = [remote('far', 'another')];
  w.pool.reload();
  expect(w.pool.ready(keyOf('far'))).toBeNull();
  await expect(dialIn(url, 'secret')).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await connection.ping(1000)).toBe(true);
  connection.leave('r');
  await connection.lost;
});

test('a remote runner that is put aside is let go and stays out until its quarantine is over', async () => {
  const { w, url } = await host(remote('far', 'secret'));
  await dialIn(url, 'secret');
  await expect.poll(() => w.state('far')?.state).toBe('ready');
  const { connection } = await w.pool.open(keyOf('far'));
  expect(w.pool.quarantine('nobody', 'No reason.')).toBe(false);
  expect(w.pool.quarantine('far', 'It went too far.')).toBe(true);
  await connection.lost;
  expect(w.state('far')).toMatchObject({ state: 'quarantined', reason: expect.stringContaining('It went too far.') });
  await expect(w.pool.open(keyOf('far'))).rejects.toMatchObject({ code: 'runner.quarantined', retryable: true });
  const refused = await dialIn(url, 'secret');
  await new Promise<void>((resolve) => refused.onClose(() => resolve()));
  w.clock.advance(limits.runner_quarantine);
  await dialIn(url, 'secret');
  await expect.poll(() => w.pool.ready(keyOf('far'))).not.toBeNull();
});
