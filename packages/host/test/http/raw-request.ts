import { connect } from 'node:net';
import type { TestHost } from './test-host.ts';

/** What the host says to these bytes, sent one piece after the other, until it closes the connection. */
export function say(host: Pick<TestHost, 'port'>, ...pieces: string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(host.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    // The host may close before it has read all: what it said is there nevertheless.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    const next = () => {
      const [piece] = pieces.splice(0, 1);
      if (piece !== undefined) socket.write(piece, () => setTimeout(next, 5));
    };
    socket.once('connect', next);
  });
}
