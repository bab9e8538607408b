import { readdirSync, readFileSync } from 'node:fs';

/** What the system says of a process. `started` tells a process from a later one with the same id. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly started: string;
  readonly memory_pages: number;
}

/** Who is not there, or cannot be seen: a process without a file descriptor left has nothing to look with. */
const unseen: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH', 'ENOTDIR', 'EMFILE', 'ENFILE']);

function isUnseen(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unseen.has(error.code);
}

/** Null if it is gone or cannot be seen, or where the system has no /proc. */
export function processFacts(pid: number): ProcessFacts | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return null;
    return {
      pid,
      parent: Number(fields[1]),
      group: Number(fields[2]),
      started: String(fields[19]),
      memory_pages: Number(fields[21]),
    };
  } catch (error) {
    if (isUnseen(error)) return null;
    throw error;
  }
}

/** Every process of the machine that can be seen; none where the system has no /proc. */
export function allProcesses(): ProcessFacts[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch (error) {
    if (isUnseen(error)) return [];
    throw error;
  }
  return names.flatMap((name) => {
    const facts = /^\d+$/.test(name) ? processFacts(Number(name)) : null;
    return facts === null ? [] : [facts];
  });
}

/** The process and all that descend from it. */
export function familyOf(pid: number, processes: readonly ProcessFacts[] = allProcesses()): ProcessFacts[] {
  const children = childrenByParent(processes);
  const family = processes.filter((each) => each.pid === pid);
  for (const member of family) family.push(...(children.get(member.pid) ?? []));
  return family;
}

function childrenByParent(processes: readonly ProcessFacts[]): Map<number, ProcessFacts[]> {
  const children = new Map<number, ProcessFacts[]>();
  for (const each of processes) {
    const siblings = children.get(each.parent);
    if (siblings === undefined) children.set(each.parent, [each]);
    else siblings.push(each);
  }
  return children;
}
