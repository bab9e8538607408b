import type { IncomingMessage } from 'node:http';

/** The address at which a host was asked; behind a proxy that changes it, ROSTRA_PUBLIC_URL says what it is. */
export function originOf(req: IncomingMessage): string {
  const isSecure = 'encrypted' in req.socket && req.socket.encrypted === true;
  return `${isSecure ? 'https' : 'http'}://${req.headers.host ?? ''}`;
}
