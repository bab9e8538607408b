import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf, residentOf } from './cpu.ts';
import type { Row } from './rows.ts';
import type { Subject } from './subject.ts';
import { summarise } from './summary.ts';

const STREAMS = 1000;
const ROUNDS = 3;
const WARM_UP_STREAMS = 100;
const SETTLE_MS = 2000;

/** Kilobytes that each of many open streams takes. The process is a fresh one: memory that was grown is not given back. */
async function perStream(subject: Subject): Promise<number> {
  for (let run = 0; run < WARM_UP_STREAMS; run += 1) (await subject.hold())();
  await pause(SETTLE_MS);
  const before = residentOf(subject.pid);
  const held: (() => void)[] = [];
  while (held.length < STREAMS) held.push(...(await Promise.all(Array.from({ length: 50 }, () => subject.hold()))));
  await pause(SETTLE_MS);
  const grown = residentOf(subject.pid) - before;
  for (const close of held) close();
  return (grown * 1024) / STREAMS;
}

export interface MemorySubjects {
  startHost(): Promise<Subject>;
  startAnchor(): Promise<Subject>;
}

/** Row 6: what an open stream takes, and what the host takes before anybody came. */
export async function measureMemory(subjects: MemorySubjects, say: (line: string) => void): Promise<Row[]> {
  const idle: number[] = [];
  const pairs: { host: number; anchor: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const host = await subjects.startHost();
    await pause(SETTLE_MS);
    idle.push([host.pid, ...childrenOf(host.pid)].reduce((sum, pid) => sum + residentOf(pid), 0));
    const ours = await perStream(host);
    host.stop();
    const anchor = await subjects.startAnchor();
    const pair = { host: ours, anchor: await perStream(anchor) };
    anchor.stop();
    pairs.push(pair);
    say(
      `round ${round + 1}: ${pair.host.toFixed(1)} ÷ ${pair.anchor.toFixed(1)} KB per stream, ${idle.at(-1)?.toFixed(0)} MB idle`,
    );
  }
  const common = { row: 6, quiet: null };
  return [
    {
      ...common,
      measure: `KB per held stream, ${STREAMS} open ÷ node:http`,
      bounds: { is: '≤', goal: 1.5, floor: 1.5 },
      unit: 'KB',
      figure: summarise(pairs.map((pair) => pair.host / pair.anchor)),
      host: summarise(pairs.map((pair) => pair.host)),
      anchor: summarise(pairs.map((pair) => pair.anchor)),
    },
    {
      ...common,
      measure: 'idle memory with one warm runner, both processes',
      bounds: { is: '≤', goal: 140, floor: null },
      unit: 'MB',
      figure: summarise(idle),
      host: summarise(idle),
      anchor: null,
    },
  ];
}
