import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOfMachine } from './cpu.ts';
import type { Conversation, Subject } from './subject.ts';

export interface Round {
  runsPerSecond: number;
  /** Milliseconds of CPU per run, server side. */
  cpuPerRun: number;
  /** Cores that programs outside the measurement kept busy. */
  disturbance: number;
  /** 99 % of the runs had their first event by then, in milliseconds. */
  firstEventP99: number;
}

/** Milliseconds between two looks, longer than rows of a journal wait, and how often one looks at most. */
const LOOK = 300;
const LOOKS_MAX = 5;

/**
 * What a server puts off while it is busy belongs to its runs all the same: the rows of its journal do. The index for
 * searches, which waits until nothing is written for a second, is not waited for (`limits.index_idle`).
 */
async function restOf(subject: Subject): Promise<void> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const before = subject.cpu();
    await sleep(LOOK);
    if (subject.cpu() === before) return;
  }
}

/** Lets `clients` conversations run one run after another for `seconds`. */
export async function measureLoad(subject: Subject, clients: Conversation[], seconds: number): Promise<Round> {
  const own = process.cpuUsage();
  const machine = cpuOfMachine();
  const cpu = subject.cpu();
  const started = performance.now();
  const until = started + seconds * 1000;
  let runs = 0;
  const firsts: number[] = [];
  const work = async (client: Conversation) => {
    while (performance.now() < until) {
      await client.run();
      runs += 1;
      firsts.push(client.firstEvent);
    }
  };
  await Promise.all(clients.map(work));
  const elapsed = (performance.now() - started) / 1000;
  await restOf(subject);
  const used = subject.cpu() - cpu;
  const { user, system } = process.cpuUsage(own);
  const others = cpuOfMachine() - machine - used - (user + system) / 1e6;
  firsts.sort((a, b) => a - b);
  return {
    runsPerSecond: runs / elapsed,
    cpuPerRun: (used * 1000) / runs,
    disturbance: Math.max(0, others) / elapsed,
    firstEventP99: firsts[Math.floor(firsts.length * 0.99)] ?? Number.NaN,
  };
}

/** The host has far more code to compile than its anchor. */
const WARM_UP_ROUNDS = 10;
const HOST_SECONDS = 3;
const ANCHOR_SECONDS = 0.5;

/** Both are measured as they run, not as they warm up. In turns: a server closes connections that are idle for some seconds. */
export async function warmUp(
  host: Subject,
  ours: Conversation[],
  anchor: Subject,
  theirs: Conversation[],
): Promise<void> {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    await measureLoad(host, ours, HOST_SECONDS);
    await measureLoad(anchor, theirs, ANCHOR_SECONDS);
  }
}

/** The median time to the first event of a lone client, in milliseconds. */
export async function measureFirstEvent(client: Conversation, runs: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    await client.run();
    times.push(client.firstEvent);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? Number.NaN;
}
