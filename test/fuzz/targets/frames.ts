import { WebSocket } from 'ws';
import type { HostProcess } from '../../e2e/host-process.ts';
import { Chance } from '../chance.ts';
import type { TargetReport, Violation } from '../siege.ts';
import type { Ground } from '../target.ts';

/** Messages that one socket sends before it is closed, if the host has not closed it. */
const PER_SOCKET = 50;
const PARALLEL = 8;

function frame(chance: Chance, { threadId, eventId }: Ground): Buffer {
  const subscribe = { type: 'subscribe', session_id: threadId, after: eventId, format: 'messages' };
  const unsubscribe = { type: 'unsubscribe', session_id: threadId };
  const message = { id: chance.id(), event: 'CONTROL', subtype: 'CANCEL', payload: {} };
  const sent = { type: 'send', session_id: threadId, message };
  return chance.text(chance.flawed(chance.of<object>([subscribe, unsubscribe, sent])));
}

/** One socket until it is closed; null when it ended in order. */
function attack({ url, key }: Ground, frames: readonly Buffer[]): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/socket`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const patience = setTimeout(() => {
      resolve('the socket hangs');
      socket.terminate();
    }, 20_000);
    socket.on('open', () => {
      for (const each of frames) socket.send(each, { binary: false });
      socket.close();
    });
    socket.on('unexpected-response', (_request, { statusCode = 0 }) =>
      resolve(statusCode >= 500 ? `${statusCode}` : null),
    );
    socket.on('error', () => resolve(null));
    socket.on('close', (code) => {
      clearTimeout(patience);
      resolve(code === 1011 ? 'the host closed it with 1011' : null);
    });
  });
}

/** Generated messages over websockets, many to a connection. */
export async function besiegeSocket(
  host: HostProcess,
  ground: Ground,
  { cases, seed }: { cases: number; seed: number },
): Promise<TargetReport> {
  const violations: Violation[] = [];
  const begun = performance.now();
  let next = 0;
  let slowest = 0;
  const work = async () => {
    while (next < cases && host.isUp) {
      const from = next;
      next += PER_SOCKET;
      const frames = Array.from({ length: PER_SOCKET }, (_, n) => frame(new Chance(seed + from + n), ground));
      const at = performance.now();
      const why = await attack(ground, frames);
      slowest = Math.max(slowest, performance.now() - at);
      if (why !== null) violations.push({ target: 'frames', seed: seed + from, why, request: '' });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  if (!host.isUp)
    violations.push({ target: 'frames', seed, why: 'the host is gone', request: host.output.slice(-300) });
  const seconds = (performance.now() - begun) / 1000;
  return { name: 'frames', cases: next, statuses: {}, slowest_ms: Math.round(slowest), seconds, violations };
}
