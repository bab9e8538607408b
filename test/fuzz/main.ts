/**
 * `npm run fuzz -- --cases 10000 --seed 1 [--target "ids"]`: generated bodies, cursors, ids, signed urls and frames at a
 * real host. No crash, no 5xx, no unhandled rejection, nothing that costs more than 50 ms of CPU; unknown and foreign ids
 * take the same time.
 */

import { commandLine } from '../command-line.ts';
import { HostProcess } from '../e2e/host-process.ts';
import { prepare } from './ground.ts';
import { besiege, type TargetReport, type Violation } from './siege.ts';
import { aguiBodies, strictBodies } from './targets/bodies.ts';
import { cursors } from './targets/cursors.ts';
import { besiegeSocket } from './targets/frames.ts';
import { ids } from './targets/ids.ts';
import { signedUrls } from './targets/signed-urls.ts';
import { compareTimes } from './timing.ts';

const targets = [strictBodies, aguiBodies, cursors, ids, signedUrls];
const names = [...targets.map(({ name }) => name), 'frames', 'timing'];
const { values, whole, refuse } = commandLine('fuzz', 'Throws generated input at the real server.', {
  cases: { type: 'string', default: '10000', about: 'how many for each target' },
  seed: { type: 'string', default: '1', about: 'what they are made from' },
  target: { type: 'string', about: `one target, of ${names.join(', ')}` },
});
const [cases, seed] = [whole('cases', 1), whole('seed')];
if (values.target !== undefined && !names.includes(values.target)) {
  refuse(`there is no target ${values.target}; targets are ${names.join(', ')}.`);
}
const isChosen = (name: string) => values.target === undefined || values.target === name;

function say({ name, cases: done, statuses, slowest_ms, seconds, violations }: TargetReport): void {
  const told = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  const rate = Math.round(done / seconds);
  console.log(`${name.padEnd(14)} ${done} cases, ${rate}/s, slowest ${slowest_ms} ms, ${violations.length} violations`);
  console.log(`${' '.repeat(15)}${told.join(', ')}`);
}

const host = new HostProcess({ ROSTRA_LOG_LEVEL: 'error' });
const violations: Violation[] = [];
await host.start();
try {
  const ground = await prepare(host);
  const progress = (done: number) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} `);
  };
  for (const target of targets.filter(({ name }) => isChosen(name))) {
    const report = await besiege(host, ground, target, { cases, seed, progress });
    say(report);
    violations.push(...report.violations);
  }
  if (isChosen('frames')) {
    const report = await besiegeSocket(host, ground, { cases, seed });
    say(report);
    violations.push(...report.violations);
  }
  if (isChosen('timing')) violations.push(...(await compareTimes(host)));
  const { status } = await host.request('GET', '/readyz');
  if (status !== 200) violations.push({ target: 'host', seed, why: `not ready afterwards: ${status}`, request: '' });
  if (/unhandled/i.test(host.output)) {
    violations.push({ target: 'host', seed, why: 'an unhandled rejection', request: host.output.slice(-500) });
  }
} finally {
  await host.dispose();
}
for (const { target, seed: at, why, request } of violations) {
  console.log(`VIOLATION ${target}, seed ${at}: ${why}\n    ${request}`);
}
console.log(violations.length === 0 ? '0 violations' : `${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
