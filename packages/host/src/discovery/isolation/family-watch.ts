import { limits } from '@rostra/protocol/wire/limits';
import type { Timers } from '@rostra/transport/timers';
import { errnoOf } from '../../store/artifacts/file-error.ts';
import { allProcesses, familyOf, type ProcessFacts, processFacts } from '../process-table.ts';

/** Bytes of a page of memory, by what this process is said to have in both units. */
function pageBytes(): number {
  const pages = processFacts(process.pid)?.memory_pages ?? 0;
  const guess = pages === 0 ? 4096 : process.memoryUsage.rss() / pages;
  return 2 ** Math.round(Math.log2(guess));
}

/** What is wrong with a family of processes; null while it keeps within its bounds. */
export function excessOf(family: readonly ProcessFacts[]): string | null {
  if (family.length > limits.strict_pids)
    return `it has ${family.length} processes, and ${limits.strict_pids} are allowed`;
  const bytes = family.reduce((sum, { memory_pages }) => sum + memory_pages, 0) * pageBytes();
  if (bytes <= limits.strict_memory_bytes) return null;
  return `it uses ${bytes} bytes of memory, and ${limits.strict_memory_bytes} are allowed`;
}

/**
 * Looks at a process and its descendants now and then, where no control group can bound them. A pid namespace keeps
 * them one family, whatever they do to leave it. Returns how to call it off.
 */
export function watchFamily(pid: number, timers: Timers, onExcess: (what: string) => void): () => void {
  let callOff = timers.after(limits.strict_sample, look);
  function look(): void {
    const family = familyOf(pid, allProcesses());
    const excess = excessOf(family);
    if (excess !== null) {
      for (const member of family) end(member);
      onExcess(excess);
    } else callOff = timers.after(limits.strict_sample, look);
  }
  return () => callOff();
}

/** With the first of a namespace all others go, and some leave by themselves. */
function end({ pid }: ProcessFacts): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}
