import { randomUUID } from 'node:crypto';
import type { HostProcess } from '../e2e/host-process.ts';
import { send } from './send.ts';
import type { Violation } from './siege.ts';

const ROUNDS = 3000;
const SHARE_MAX = 0.05;
const DIFFERENCE_MAX_MS = 0.05;
/** One noisy minute proves nothing: a leak shows every time. */
const ATTEMPTS = 3;

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Another user with a key of their own. */
async function stranger(host: HostProcess): Promise<string> {
  const { body } = await host.request('POST', '/api/v1/keys', { body: { name: 'stranger', scopes: ['runs'] } });
  return String(body.key);
}

async function difference(host: HostProcess, key: string, paths: readonly [string, string]): Promise<number[]> {
  const times: [number[], number[]] = [[], []];
  const headers = { authorization: `Bearer ${key}` };
  for (let round = 0; round < ROUNDS; round += 1) {
    // The order changes, so that neither always comes after the other.
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { ms } = await send(host.url, { method: 'GET', path: paths[which], headers, body: null });
      times[which].push(ms);
    }
  }
  return times.map(median);
}

/** What belongs to somebody else and what never was must not be told apart by a clock (case 82). */
export async function compareTimes(host: HostProcess): Promise<Violation[]> {
  const threadId = randomUUID();
  const taskId = await host.accept('hello', { threadId });
  await host.events(taskId);
  const key = await stranger(host);
  const pairs: [what: string, path: (id: string) => string, found: string][] = [
    ['threads in history', (id) => `/api/v1/agent/history?threadId=${id}`, threadId],
    ['sessions', (id) => `/api/v1/sessions/${id}`, threadId],
    ['runs', (id) => `/api/v1/agent/runs/${id}`, taskId],
  ];
  const violations: Violation[] = [];
  for (const [what, path, found] of pairs) {
    let told = '';
    let isAlike = false;
    for (let attempt = 0; attempt < ATTEMPTS && !isAlike; attempt += 1) {
      const [own = 0, other = 0] = await difference(host, key, [path(found), path(randomUUID())]);
      const apart = Math.abs(own - other);
      told = `${own.toFixed(3)} ms for what is somebody else’s, ${other.toFixed(3)} ms for what is nobody’s`;
      isAlike = apart <= DIFFERENCE_MAX_MS || apart <= SHARE_MAX * Math.max(own, other);
    }
    console.log(`timing         ${what}: ${told}`);
    if (!isAlike) violations.push({ target: 'timing', seed: 0, why: `${what}: ${told}`, request: '' });
  }
  return violations;
}
