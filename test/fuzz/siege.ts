import { readFileSync } from 'node:fs';
import type { HostProcess } from '../e2e/host-process.ts';
import { Chance } from './chance.ts';
import { type Sent, send } from './send.ts';
import type { FuzzCase, Ground, Target } from './target.ts';

const PARALLEL = 16;
/** What one input may cost the host. */
const CPU_MAX_MS = 50;
const REPETITIONS = 3;
const TICK_MS = 10;

export interface Violation {
  readonly target: string;
  readonly seed: number;
  readonly why: string;
  readonly request: string;
}

export interface TargetReport {
  readonly name: string;
  readonly cases: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowest_ms: number;
  readonly seconds: number;
  readonly violations: readonly Violation[];
}

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function shown({ method, path, body }: FuzzCase): string {
  return `${method} ${path.slice(0, 300)} ${body?.toString('utf8').slice(0, 300) ?? ''}`;
}

/** Slow on a busy machine is no fault; costly three times, alone, is one. */
async function isCostly(host: HostProcess, sent: FuzzCase): Promise<boolean> {
  for (let again = 0; again < REPETITIONS; again += 1) {
    const before = cpuMs(host.pid);
    await send(host.url, sent);
    if (cpuMs(host.pid) - before <= CPU_MAX_MS) return false;
  }
  return true;
}

function faultOf(host: HostProcess, { status, text }: Sent): string | null {
  if (!host.isUp) return 'the host is gone';
  if (status >= 500) return `${status} ${text}`;
  return status === 0 && text !== '' ? text : null;
}

/** Throws generated requests of one kind at the host and collects what must not be. */
export async function besiege(
  host: HostProcess,
  ground: Ground,
  target: Target,
  options: { cases: number; seed: number; progress(done: number): void },
): Promise<TargetReport> {
  const statuses: Record<string, number> = {};
  const violations: Violation[] = [];
  const slow: { seed: number; sent: FuzzCase; ms: number }[] = [];
  const begun = performance.now();
  let next = 0;
  let slowest = 0;
  const work = async () => {
    while (next < options.cases && violations.length < 10) {
      const seed = options.seed + next;
      next += 1;
      const sent = target.make(new Chance(seed), ground);
      const answer = await send(host.url, sent);
      const { status, ms } = answer;
      statuses[status] = (statuses[status] ?? 0) + 1;
      slowest = Math.max(slowest, ms);
      const why = faultOf(host, answer) ?? target.fault?.(sent, status, ground) ?? null;
      if (why !== null) violations.push({ target: target.name, seed, why, request: shown(sent) });
      // Only what stands out can have cost that much; more of them than this is the machine.
      if (ms > CPU_MAX_MS && slow.length < 200) slow.push({ seed, sent, ms });
      if (next % 1000 === 0) options.progress(next);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  slow.sort((a, b) => b.ms - a.ms);
  for (const { seed, sent } of slow.slice(0, 20)) {
    if (host.isUp && (await isCostly(host, sent))) {
      const why = `more than ${CPU_MAX_MS} ms of CPU, three times`;
      violations.push({ target: target.name, seed, why, request: shown(sent) });
    }
  }
  const seconds = (performance.now() - begun) / 1000;
  return { name: target.name, cases: next, statuses, slowest_ms: Math.round(slowest), seconds, violations };
}
