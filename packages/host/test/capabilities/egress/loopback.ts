import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Listener {
  readonly port: number;
  /** Connections that were opened, whatever was said on them. */
  connections: number;
  readonly asked: { url: string; headers: NodeJS.Dict<string | string[]> }[];
}

/** A server on this machine that counts who connects to it. */
export async function listen(
  host: string,
  answer: RequestListener = (_request, response) => response.end('secret'),
  port = 0,
): Promise<Listener> {
  const server: Server = createServer((request, response) => {
    listener.asked.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const listener: Listener = { port: (server.address() as AddressInfo).port, connections: 0, asked: [] };
  server.on('connection', () => {
    listener.connections += 1;
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return listener;
}
