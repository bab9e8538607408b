import { limits } from '@rostra/protocol/wire/limits';
import type { Timers } from '@rostra/transport/timers';
import { type ProcessFacts, processFacts } from './process-table.ts';

/** A process group that somebody named, and when its leader was started. */
export interface ProcessGroup {
  readonly pid: number;
  readonly started: string | null;
}

const STEP = 50;
/** How far below its runner a process may be that counts as its own. */
const GENERATIONS = 16;

/** Signals a group; false if nobody is left in it. Signal 0 only asks. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // ESRCH: everyone in the group is gone. EPERM: macOS says so of a group that is only zombies.
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')) return false;
    throw error;
  }
}

/**
 * The group that a runner claims to have started; null if it is none of its own: only a leader that descends from the
 * runner counts, so that naming a pid is no way to have something else killed.
 */
export function groupOf(pid: number, runner: number): ProcessGroup | null {
  if (!Number.isSafeInteger(pid) || pid <= 1 || pid === process.pid || pid === runner) return null;
  if (process.platform !== 'linux') return { pid, started: null };
  const facts = processFacts(pid);
  return facts === null || facts.group !== pid || !descends(facts, runner) ? null : { pid, started: facts.started };
}

/** Looks upwards, a few steps, because a runner may say this often and a look at every process would hold up the host. */
function descends(facts: ProcessFacts, ancestor: number): boolean {
  let above: ProcessFacts | null = facts;
  for (let steps = 0; above !== null && steps < GENERATIONS; steps += 1) {
    if (above.parent === ancestor) return true;
    above = processFacts(above.parent);
  }
  return false;
}

/** A group whose leader's id is now somebody else's is over. */
function isSame({ pid, started }: ProcessGroup): boolean {
  const facts = started === null ? null : processFacts(pid);
  return facts === null || facts.started === started;
}

/** SIGTERM, a moment later SIGKILL; resolves with how many were alive. */
export async function endGroups(groups: readonly ProcessGroup[], timers: Timers): Promise<number> {
  const alive = groups.filter((group) => isSame(group) && signalGroup(group.pid, 'SIGTERM'));
  let left = alive;
  for (let waited = 0; left.length > 0 && waited < limits.runner_stop; waited += STEP) {
    await new Promise<void>((resolve) => timers.after(STEP, resolve));
    left = left.filter(({ pid }) => signalGroup(pid, 0));
  }
  for (const { pid } of left) signalGroup(pid, 'SIGKILL');
  return alive.length;
}
