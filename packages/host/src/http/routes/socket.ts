import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { sessionOperations } from '@rostra/protocol/run-api/operations/sessions';
import { SOCKET_PATH } from '@rostra/protocol/run-api/socket-path';
import { limits } from '@rostra/protocol/wire/limits';
import { WebSocketServer } from 'ws';
import type { Principal } from '../../session/session-gateway.ts';
import { askedBy } from '../auth.ts';
import { HttpError } from '../errors.ts';
import type { RefusedAsk } from '../refused.ts';
import { SessionSocket, type SocketDeps } from '../sse/session-socket.ts';
import type { StreamAccess } from '../sse/stream-access.ts';
import { refuseUpgrade } from '../upgrade.ts';

const { listSessions: sessions } = sessionOperations;

export interface SocketDoorDeps extends SocketDeps {
  access: StreamAccess;
  /** Throws for host names and origins that are not served. */
  checkBoundary(req: IncomingMessage): void;
  authenticate(req: IncomingMessage): Principal | Promise<Principal>;
  /** Learns of everything that was refused. */
  refused(req: IncomingMessage | RefusedAsk, failure: unknown): void;
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
    this.#server.on('wsClientError', ({ message }, socket, req) => {
      const details = { hint: 'Connect with a client for websockets, version 13.' };
      this.#refuse(
        req,
        socket,
        new HttpError(400, 'invalid_argument', `this is no websocket: ${message}`, { details }),
      );
    });
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
        const made: SessionSocket = new SessionSocket(opened, principal, this.#deps, {
          closed: () => this.#sockets.delete(made),
          refused: (failure, session_id) => this.#refuseCommand(req, principal, failure, session_id),
        });
        one = made;
        this.#sockets.add(made);
      });
    } catch (failure) {
      this.#refuse(req, socket, failure);
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
    if (this.#sockets.size >= limits.sse_streams) {
      throw new HttpError(429, 'rate_limited', `${limits.sse_streams} websockets are open`, { retryable: true });
    }
    return principal;
  }

  /** Written down as if it had been a request of its own. */
  #refuseCommand({ socket }: IncomingMessage, principal: Principal, failure: unknown, session_id?: string): void {
    const url = session_id === undefined ? SOCKET_PATH : `${sessions.path}/${encodeURIComponent(session_id)}`;
    this.#deps.refused(askedBy(principal, { method: 'socket', url, socket }), failure);
  }

  #refuse(req: IncomingMessage, socket: Duplex, failure: unknown): void {
    this.#deps.refused(req, failure);
    refuseUpgrade(socket, failure, this.#deps.report);
  }
}
