import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { Peer } from '../src/peer.ts';
import { dialWebsocket, websocketChannel } from '../src/websocket.ts';

async function serve(verify: (authorization: string | undefined) => boolean = () => true) {
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    maxPayload: limits.frame_bytes,
    verifyClient: ({ req }: { req: IncomingMessage }) => verify(req.headers.authorization),
  });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, url: `ws://127.0.0.1:${port}/` };
}

async function connected() {
  const { server, url } = await serve();
  const accepted = once(server, 'connection');
  const near = new Peer(await dialWebsocket({ url, token: 't' }));
  const [socket] = (await accepted) as [WebSocket];
  return { near, far: new Peer(websocketChannel(socket)), socket };
}

test('requests and notifications cross both ways, each line as one message', async () => {
  const { near, far, socket } = await connected();
  const messages: string[] = [];
  socket.on('message', (data) => messages.push(String(data)));
  far.onRequest('ECHO', (params) => params ?? null);
  near.onRequest('ECHO', (params) => params ?? null);
  const long = '漢字 '.repeat(40_000);
  expect(await near.request('ECHO', [long])).toEqual([long]);
  expect(await far.request('ECHO', { deep: [1, { a: null }] })).toEqual({ deep: [1, { a: null }] });
  near.notify('ONE');
  near.notify('TWO');
  await near.request('ECHO', 1);
  expect(messages.map((text) => JSON.parse(text).method)).toEqual(['ECHO', undefined, 'ONE', 'TWO', 'ECHO']);
});

test('closing one end lets what was said before arrive and ends the other', async () => {
  const { near, far } = await connected();
  const heard: unknown[] = [];
  far.onNotification('SAY', (params) => void heard.push(params));
  const over = new Promise((resolve) => far.onClose(resolve));
  for (let n = 0; n < 100; n++) near.notify('SAY', n);
  near.close();
  expect(await over).toMatchObject({ why: 'ended' });
  expect(heard).toHaveLength(100);
});

test('a connection that breaks fails what waits for an answer', async () => {
  const { near, far, socket } = await connected();
  far.onRequest('NEVER', () => new Promise(() => undefined));
  const waiting = near.request('NEVER');
  socket.terminate();
  await expect(waiting).rejects.toMatchObject({ code: 'runtime_error', retryable: true });
});

test.each([
  ['of bytes', Buffer.from('bytes')],
  ['beyond the frame limit', 'x'.repeat(limits.frame_bytes + 1)],
])('a message %s ends the connection', async (_, message) => {
  const { near, socket } = await connected();
  const over = new Promise((resolve) => near.onClose(resolve));
  socket.send(message);
  expect(await over).toMatchObject({ why: 'failed' });
});

test('the token travels in a header, and a host that does not know it is told apart from one that is away', async () => {
  const seen: (string | undefined)[] = [];
  const { url } = await serve((authorization) => {
    seen.push(authorization);
    return authorization === 'Bearer right';
  });
  await dialWebsocket({ url, token: 'right' });
  await expect(dialWebsocket({ url, token: 'wrong' })).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(dialWebsocket({ url: 'ws://127.0.0.1:1/', token: 'x' })).rejects.toMatchObject({
    code: 'runtime_error',
    retryable: true,
  });
  expect(seen).toEqual(['Bearer right', 'Bearer wrong']);
});
