import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { RemoteDoor } from './remote-keeper.ts';

/** Where remote runners dial in. */
export const RUNNER_SOCKET_PATH = '/api/v1/runners/socket';

export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const bearer = /^Bearer ([\x21-\x7e]{1,4096})$/;

/** Learns of a connection that was refused, and of the status that it was told. */
export type RefusedRunner = (request: IncomingMessage, status: number, refusal: ApiError) => void;

/** Takes websockets of runners that show their token in the Authorization header; everything else is refused. */
export function runnerSocket(
  doorOf: (token: string) => RemoteDoor | null,
  refused: RefusedRunner = () => undefined,
): Upgrade {
  return (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const refuse = (status: number) => refused(request, status, refuseBy(socket, status));
    const [path = ''] = (request.url ?? '').split('?', 1);
    const token = bearer.exec(request.headers.authorization ?? '')?.[1];
    if (path !== RUNNER_SOCKET_PATH) refuse(404);
    // A browser names the page that asks; no page is a runner.
    else if (request.headers.origin !== undefined) refuse(403);
    else {
      const door = token === undefined ? null : doorOf(token);
      if (door === null) refuse(401);
      else {
        // Most hosts have no such runner, and start without what it takes.
        import('./remote-carrier.ts').then(
          ({ carry }) => carry(request, socket, head, (carrier) => door.admit(carrier)),
          // Nothing else of the host depends on it: the runner dials again.
          () => socket.destroy(),
        );
      }
    }
  };
}

function refuseBy(socket: Duplex, status: number): ApiError {
  const message = status === 404 ? 'there is nothing here' : 'this is for runners, by the token of one';
  const details = { hint: 'Send the header Authorization: Bearer <token>, as the configuration names it.' };
  const refusal = new ApiError(status === 404 ? 'not_found' : 'unauthorized', message, { details });
  const body = JSON.stringify(refusal.toJSON());
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return refusal;
}
