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

/** A server and those who talk to it. */
export interface Side {
  readonly subject: Subject;
  readonly clients: Conversation[];
}

/** Both are measured as they run, not as they warm up. In turns: a server closes connections that are idle for some seconds. */
async function warmUp(host: Side, anchor: Side): Promise<void> {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    await measureLoad(host.subject, host.clients, HOST_SECONDS);
    await measureLoad(anchor.subject, anchor.clients, ANCHOR_SECONDS);
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

/** The host and its anchor under the same load, one after the other. */
export interface Pair {
  host: Round;
  anchor: Round;
}

const ROUNDS = 9;
const TRIES = 21;
const SECONDS = 3;
/** A round in which other programs took more than this many cores says nothing. */
const DISTURBED = 0.25;

/** Rounds in turns, those without a disturbance; all of them, and `quiet` is false, when there was none without. */
export async function measurePairs(
  host: Side,
  anchor: Side,
  tell: (pair: Pair) => string,
  say: (line: string) => void,
): Promise<{ pairs: Pair[]; quiet: boolean }> {
  const load = ({ subject, clients }: Side) => measureLoad(subject, clients, SECONDS);
  await warmUp(host, anchor);
  const all: Pair[] = [];
  const undisturbed: Pair[] = [];
  for (let round = 0; round < TRIES && undisturbed.length < ROUNDS; round += 1) {
    const pair = { anchor: await load(anchor), host: await load(host) };
    const quiet = Math.max(pair.anchor.disturbance, pair.host.disturbance) <= DISTURBED;
    all.push(pair);
    if (quiet) undisturbed.push(pair);
    say(`round ${round + 1}: ${tell(pair)}${quiet ? '' : ' (dropped: the machine was busy)'}`);
  }
  for (const client of [...host.clients, ...anchor.clients]) client.close();
  if (undisturbed.length < ROUNDS) say(`Only ${undisturbed.length} rounds were quiet: do not trust these figures.`);
  return { pairs: undisturbed.length > 0 ? undisturbed : all, quiet: undisturbed.length > 0 };
}
