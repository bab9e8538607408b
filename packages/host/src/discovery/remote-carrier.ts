import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { limits } from '@rostra/protocol/wire/limits';
import type { ChildChannel, ChildExit } from '@rostra/transport/child-process';
import { websocketChannel } from '@rostra/transport/websocket';
import { type WebSocket, WebSocketServer } from 'ws';

const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.frame_bytes, perMessageDeflate: false });

/** Makes a carrier of runs of a connection that asks to become a websocket. */
export function carry(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  admit: (carrier: ChildChannel) => void,
): void {
  sockets.handleUpgrade(request, socket, head, (opened) => admit(carrierOf(opened)));
}

/** To whoever keeps it, a connection is a process like any other; that it has no pid is all that differs. */
function carrierOf(socket: WebSocket): ChildChannel {
  const exited = new Promise<ChildExit>((resolve) => {
    socket.once('close', () => resolve({ code: null, signal: null, error: null }));
  });
  return { ...websocketChannel(socket), pid: undefined, exited, kill: () => socket.terminate() };
}
