import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { limits } from '@rostra/protocol/wire/limits';
import { WebSocketServer } from 'ws';
import type { Principal } from '../../session/session-gateway.ts';
import { HttpError, toAnswer } from '../errors.ts';
import { SessionSocket, type SocketDeps } from '../sse/session-socket.ts';
import type { StreamAccess } from '../sse/stream-access.ts';

export interface SocketDoorDeps extends SocketDeps {
  access: StreamAccess;
  /** Throws for host names and origins that are not served. */
  checkBoundary(req: IncomingMessage): void;
  authenticate(req: IncomingMessage): Principal | Promise<Principal>;
  /** Learns of everything that was refused. */
  refused(req: IncomingMessage, failure: unknown): void;
}

/** Where frontends open websockets. Whoever asks is proved before there is one. */
export class SocketDoor {
  readonly #deps: SocketDoorDeps;
  readonly #sockets = new Set<SessionSocket>();
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.socket_message_bytes,
    perMessageDeflate: false,
  });

  constructor(deps: SocketDoorDeps) {
    this.#deps = deps;
  }

  get sockets(): number {
    return this.#sockets.size;
  }

  async upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const onError = () => socket.destroy();
    socket.on('error', onError);
    try {
      const principal = await this.#admit(req);
      let one: SessionSocket | null = null;
      // A connection that follows nothing takes a place as well.
      const release = this.#deps.access.open(principal, () => (one === null ? socket.destroy() : one.terminate()));
      socket.once('close', release);
      if (socket.destroyed) {
        release();
        return;
      }
      socket.off('error', onError);
      this.#server.handleUpgrade(req, socket, head, (opened) => {
        const made: SessionSocket = new SessionSocket(opened, principal, this.#deps, () => {
          this.#sockets.delete(made);
        });
        one = made;
        this.#sockets.add(made);
      });
    } catch (failure) {
      this.#deps.refused(req, failure);
      refuse(socket, failure, this.#deps.report);
    }
  }

  close(): void {
    for (const one of this.#sockets) one.close();
  }

  terminate(): void {
    for (const one of this.#sockets) one.terminate();
  }

  async #admit(req: IncomingMessage): Promise<Principal> {
    this.#deps.checkBoundary(req);
    const principal = await this.#deps.authenticate(req);
    if (req.headers.upgrade?.toLowerCase() !== 'websocket') {
      throw new HttpError(426, 'invalid_argument', 'this path is a websocket', { headers: { Upgrade: 'websocket' } });
    }
    if (this.#sockets.size >= limits.sse_streams) {
      throw new HttpError(429, 'rate_limited', `${limits.sse_streams} websockets are open`, { retryable: true });
    }
    return principal;
  }
}

function refuse(socket: Duplex, failure: unknown, report: (failure: unknown) => void): void {
  const { status, headers, body } = toAnswer(failure, report);
  const lines = Object.entries({ ...headers, Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
