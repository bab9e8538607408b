import { readdirSync, readFileSync } from 'node:fs';

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // It ended while we looked, or is another user's.
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? -1 : Number(parent);
}

/** Processes that were given a home below `folder`: runners of whatever host served it. */
export function runnersOf(folder: string): { pid: number; parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => read(`/proc/${name}/environ`).includes(`HOME=${folder}`))
    .map((name) => ({ pid: Number(name), parent: parentOf(Number(name)) }))
    .filter(({ parent }) => parent > 0);
}

/** Runners whose host is gone: those that do not descend from `host`. */
export function orphansOf(folder: string, host: number | null): number[] {
  const runners = runnersOf(folder);
  const own = new Set(host === null ? [] : [host]);
  for (let grown = true; grown; ) {
    const children = runners.filter(({ pid, parent }) => own.has(parent) && !own.has(pid));
    for (const { pid } of children) own.add(pid);
    grown = children.length > 0;
  }
  return runners.map(({ pid }) => pid).filter((pid) => !own.has(pid));
}
