import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { processFacts } from '../process-table.ts';

const ROOT = '/sys/fs/cgroup';

/** A group of processes whose number and memory the kernel bounds. */
export interface ControlGroup {
  /** Whoever writes its own pid into these is in it, and so is whatever it starts. */
  readonly entrances: readonly string[];
  /** False while processes are left in it. */
  remove(): boolean;
}

let made = 0;

/** Null where this process may make none: then somebody else must watch. */
export function makeControlGroup(): ControlGroup | null {
  made += 1;
  const name = `rostra-${process.pid}-${made}`;
  const folders: string[] = [];
  try {
    for (const { folder, bounds } of existsSync(`${ROOT}/cgroup.controllers`) ? unified() : separate()) {
      if (made === 1) removeStale(folder);
      const own = path.join(folder, name);
      mkdirSync(own);
      folders.push(own);
      for (const [file, value] of bounds) writeFileSync(path.join(own, file), value);
    }
  } catch {
    // Not mounted, not writable, not delegated: each of them has its own error, and all mean the same.
    removeAll(folders);
    return null;
  }
  return { entrances: folders.map((folder) => path.join(folder, 'cgroup.procs')), remove: () => removeAll(folders) };
}

type Bounds = readonly (readonly [file: string, value: string])[];
const pids: Bounds = [['pids.max', String(limits.strict_pids)]];

function unified(): { folder: string; bounds: Bounds }[] {
  const folder = path.join(ROOT, ownGroups().get('') ?? '/');
  writeFileSync(path.join(folder, 'cgroup.subtree_control'), '+pids +memory');
  return [
    {
      folder,
      bounds: [...pids, ['memory.max', String(limits.strict_memory_bytes)], ['memory.oom.group', '1']],
    },
  ];
}

function separate(): { folder: string; bounds: Bounds }[] {
  const groups = ownGroups();
  const folderOf = (controller: string) => path.join(ROOT, controller, groups.get(controller) ?? '/');
  return [
    { folder: folderOf('pids'), bounds: pids },
    { folder: folderOf('memory'), bounds: [['memory.limit_in_bytes', String(limits.strict_memory_bytes)]] },
  ];
}

/** Controller → the group that this process is in; '' is the unified hierarchy. */
function ownGroups(): Map<string, string> {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, controllers = '', ...group] = line.split(':');
      return controllers.split(',').map((controller): [string, string] => [controller, group.join(':')]);
    }),
  );
}

/** Groups of hosts that are gone. */
function removeStale(folder: string): void {
  const stale = readdirSync(folder).filter((name) => {
    const [, pid] = /^rostra-(\d+)-\d+$/.exec(name) ?? [];
    return pid !== undefined && processFacts(Number(pid)) === null;
  });
  removeAll(stale.map((name) => path.join(folder, name)));
}

function removeAll(folders: readonly string[]): boolean {
  let isGone = true;
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch (error) {
      const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      isGone &&= isAbsent;
    }
  }
  return isGone;
}
