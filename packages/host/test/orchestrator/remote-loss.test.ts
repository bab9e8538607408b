import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { Peer } from '@rostra/transport/peer';
import { dialWebsocket } from '@rostra/transport/websocket';
import { expect, onTestFinished, test } from 'vitest';
import { RUNNER_SOCKET_PATH, runnerSocket } from '../../src/discovery/runner-socket.ts';
import { ManualClock } from '../manual-clock.ts';
import { fixture, World } from './world.ts';

const token = 'far-secret';
const delta = (sequence: number, content: string) => [sequence, 'message.delta', { chunk: { content } }];

/** A host that remote runners reach through a wire that the test can tear. */
async function hostBehindWire() {
  const world = new World(fixture('behaviours'), new ManualClock(), {
    packages: [{ name: 'far', origin: 'remote', source: 'far', enabled: true, processes: 'shared', token }],
    runner_of: { scout: 'far' },
  });
  const server = createHttpServer().on(
    'upgrade',
    runnerSocket((told) => world.pool.door(told)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const wire = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    wire.close();
    server.close();
  });
  const place = wire.address() as AddressInfo;
  const reset = () => {
    for (const socket of sockets.splice(0)) socket.resetAndDestroy();
  };
  return { world, url: `ws://127.0.0.1:${place.port}${RUNNER_SOCKET_PATH}`, reset };
}

/** A runner that dials in; what it does with a run is the test's own. */
async function dialIn(url: string, run: (peer: Peer, run_id: string) => Promise<unknown> | unknown): Promise<Peer> {
  const peer = new Peer(await dialWebsocket({ url, token }));
  onTestFinished(() => peer.close());
  const manifest = { id: 'far', name: 'far', label: {}, capabilities: {}, permissions: {}, context: {} };
  peer.onRequest('LIST_AGENT_RUNNERS', () => ({ protocol_version: '1.2', runners: [manifest] }));
  peer.onRequest('PING', () => ({}));
  peer.onRequest('RUN_AGENT', (params) => {
    const { run_id } = AgentRunContext.parse((params as { context: unknown }).context);
    peer.notify('RUN_ACCEPTED', { run_id });
    return run(peer, run_id);
  });
  return peer;
}

test('a remote runner whose TCP connection is reset in mid-stream fails its run once, and what it sends again is not heard (fault 16)', async () => {
  const { world, url, reset } = await hostBehindWire();
  const isReady = () => world.pool.status().some(({ name, state }) => name === 'far' && state === 'ready');
  await dialIn(url, (peer, run_id) => {
    peer.notify('RESULTS', { run_id, results: [delta(1, 'one '), delta(2, 'two ')] });
    return new Promise(() => undefined);
  });
  await expect.poll(isReady).toBe(true);
  const cut = world.input('go', 'scout');
  await world.bus.until(() => world.pieces(cut).length === 2);
  reset();
  const { payload } = await world.heard(cut, 'RUN_FAILED');
  expect(payload).toMatchObject({ code: 'runner.exited', retryable: true });

  const resent = [delta(1, 'one '), delta(2, 'two '), delta(3, 'three'), [4, 'run.completed', {}]];
  await dialIn(url, (peer, run_id) => {
    peer.notify('RUN_ACCEPTED', { run_id: `${cut}.1` });
    peer.notify('RESULTS', { run_id: `${cut}.1`, results: resent });
    peer.notify('RESULTS', { run_id, results: [delta(1, 'whole'), [2, 'run.completed', {}]] });
    return { run_id };
  });
  await expect.poll(isReady).toBe(true);
  const next = world.input('go', 'scout');
  await world.heard(next, 'final');
  expect(world.orchestrator.stats().misdeeds).toEqual({ foreign_run: 2 });
  expect(world.pieces(cut)).toEqual(['one ', 'two ']);
  expect(world.kinds(cut).at(-1)).toBe('ERROR:RUN_FAILED');
  expect(world.kinds(cut).filter((kind) => kind === 'ERROR:RUN_FAILED')).toHaveLength(1);
  expect(world.pieces(next)).toEqual(['whole']);
});
