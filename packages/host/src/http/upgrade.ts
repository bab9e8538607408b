import { IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { toAnswer } from './errors.ts';

/**
 * A request of which only a websocket is an upgrade. Node hands whatever names another protocol to the listener for
 * upgrades as soon as there is one; Java's client and curl do so with plain requests, offering HTTP/2, and a server may
 * pass that over (RFC 9110, 7.8). Node asks this property whether it should: the option for that is in newer ones only.
 */
export class HostRequest extends IncomingMessage {
  /** Node writes it once before this class has anything of its own: hence no private field. */
  offersUpgrade = false;

  get upgrade(): boolean {
    if (this.method === 'CONNECT') return true;
    return this.offersUpgrade && this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  set upgrade(offered: boolean) {
    this.offersUpgrade = offered;
  }
}

/** Answers a connection that was to become something else than HTTP, in the one shape of errors. */
export function refuseUpgrade(socket: Duplex, failure: unknown, report: (failure: unknown) => void): void {
  socket.on('error', () => socket.destroy());
  const { status, headers, body } = toAnswer(failure, report);
  const lines = Object.entries({ ...headers, Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
