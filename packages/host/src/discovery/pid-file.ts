import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { errnoOf } from '../store/artifacts/file-error.ts';
import { type ProcessGroup, signalGroup } from './process-group.ts';
import { allProcesses, type ProcessFacts, processFacts } from './process-table.ts';

interface Recorded {
  readonly boot: string;
  readonly groups: readonly ProcessGroup[];
}

function isGroup(value: unknown): value is ProcessGroup {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value)) return false;
  const { pid, started } = value;
  return (
    typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 1 && (started === null || typeof started === 'string')
  );
}

function decode(value: unknown): Recorded | null {
  if (typeof value !== 'object' || value === null || !('boot' in value) || !('groups' in value)) return null;
  const { boot, groups } = value;
  return typeof boot === 'string' && Array.isArray(groups) ? { boot, groups: groups.filter(isGroup) } : null;
}

/** Ids of processes mean nothing after the machine was started again. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

/** Which process groups this host has started, on disk, so that the next one can end what a crash left behind. */
export class PidFile {
  readonly #path: string;
  readonly #boot = bootId();
  readonly #groups = new Map<number, ProcessGroup>();

  constructor(path: string) {
    this.#path = path;
  }

  add(pid: number, started = processFacts(pid)?.started ?? null): void {
    this.#groups.set(pid, { pid, started });
    this.#write();
  }

  remove(pid: number): void {
    if (this.#groups.delete(pid)) this.#write();
  }

  /** Kills what an earlier host left running; returns the leaders. Whoever calls holds the lock of the data folder. */
  reap(): number[] {
    const recorded = this.#read();
    rmSync(this.#path, { force: true });
    if (recorded === null || recorded.boot !== this.#boot || recorded.groups.length === 0) return [];
    const processes = allProcesses();
    return recorded.groups.filter((group) => isOurs(group, processes) && signalGroup(group.pid, 'SIGKILL')).map(pidOf);
  }

  #read(): Recorded | null {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null;
      throw error;
    }
    try {
      return decode(JSON.parse(text));
    } catch {
      // Half a file cannot be, as it is renamed into place; whatever this is, it names no process of ours.
      return null;
    }
  }

  /** On a full disk the list stays as it was, and is right again with the next process: no host ends for its sake. */
  #write(): void {
    const recorded: Recorded = { boot: this.#boot, groups: [...this.#groups.values()] };
    try {
      writeFileSync(`${this.#path}.new`, JSON.stringify(recorded), { mode: 0o600 });
      renameSync(`${this.#path}.new`, this.#path);
    } catch (error) {
      if (errnoOf(error) === null) throw error;
    }
  }
}

const pidOf = ({ pid }: ProcessGroup): number => pid;

/**
 * The leader is the one that was recorded; or it is gone and others of its group are left, none of them older than it:
 * the system gives no new process the id of a group that still has members.
 */
function isOurs({ pid, started }: ProcessGroup, processes: readonly ProcessFacts[]): boolean {
  const leader = processes.find((each) => each.pid === pid);
  if (leader !== undefined) return leader.started === started;
  const members = processes.filter(({ group }) => group === pid);
  return started !== null && members.length > 0 && members.every((each) => Number(each.started) >= Number(started));
}
