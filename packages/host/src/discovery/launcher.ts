import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { type ChildChannel, type ChildCommand, spawnChild } from '@rostra/transport/child-process';
import type { Timers } from '@rostra/transport/timers';
import { type ControlGroup, makeControlGroup } from './isolation/control-group.ts';
import { watchFamily } from './isolation/family-watch.ts';
import { Sandbox } from './isolation/sandbox.ts';
import { programPath } from './program-path.ts';
import type { LaunchedPackage } from './runner-package.ts';
import { RunnerStartError } from './runner-start-error.ts';

export interface LauncherOptions {
  /** Where the homes of the packages and the list of their processes are. */
  readonly folder: string;
  /** What the allow-list is read from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What confined runners must not see even in a folder of theirs. */
  readonly hidden?: readonly string[];
  readonly sandbox?: Sandbox;
}

/** Starts one process of a package; what goes wrong before there is one is a RunnerStartError. */
export type Launch = (pkg: LaunchedPackage, onStderr: (line: string) => void, timers: Timers) => Promise<ChildChannel>;

/** Beside these only HOME and TMPDIR, which are private: nothing of the host's own environment leaks. */
const inherited = ['PATH', 'LANG', 'LC_ALL', 'TZ'] as const;

/** A package's own folder: its HOME, and below it its temporary files. */
export function homeOf(folder: string, package_name: string): string {
  return path.join(folder, encodeURIComponent(package_name));
}

export function launcherOf({ folder, environment, hidden = [], sandbox }: LauncherOptions): Launch {
  const walls = sandbox ?? new Sandbox(environment.PATH);
  return async (pkg, onStderr, timers) => {
    const home = homeOf(folder, pkg.name);
    try {
      mkdirSync(path.join(home, 'tmp'), { recursive: true, mode: 0o700 });
      const { command: file, args, cwd = home, env } = pkg.command;
      const command: ChildCommand = { file, args, cwd, env: { ...allowed(environment, home), ...env } };
      if (pkg.isolation === 'trusted') return spawnChild(command, { onStderr, timers });
      const place = { package_name: pkg.name, home, folders: pkg.folders, hidden: [folder, ...hidden] };
      const walled = await walls.wrap(command, pkg.isolation, place);
      if (pkg.isolation === 'confined') return spawnChild(walled, { onStderr, timers });
      return spawnLimited(walled, environment.PATH, onStderr, timers);
    } catch (error) {
      if (error instanceof RunnerStartError) throw error;
      // No folder, no file descriptors, arguments that are none: whatever it is, this start has failed.
      const why = error instanceof Error ? error.message : String(error);
      throw new RunnerStartError('runner.start_failed', `The runner could not be started: ${why}`, true, true);
    }
  };
}

/** Enters its control groups before it becomes the command, so that nothing of it is ever outside. */
const enter = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 126; shift; done; shift; exec "$@"';

/** Groups whose last processes were still dying when theirs ended. */
const leftovers = new Set<ControlGroup>();

/** Bounds what a process may use: files by prlimit; processes and memory by the kernel, or by looking now and then. */
function spawnLimited(
  { file, args, ...rest }: ChildCommand,
  search: string | undefined,
  onStderr: (line: string) => void,
  timers: Timers,
): ChildChannel {
  for (const group of leftovers) if (group.remove()) leftovers.delete(group);
  const group = makeControlGroup();
  const bounds = [`--fsize=${limits.strict_file_bytes}`, `--nofile=${limits.strict_open_files}`, '--core=0'];
  const limited = [programPath('prlimit', search) ?? 'prlimit', ...bounds, '--', file, ...args];
  const words = ['-c', enter, 'sh', ...(group?.entrances ?? []), '--', ...limited];
  const child = spawnChild({ ...rest, file: '/bin/sh', args: words }, { onStderr, timers });
  const { pid } = child;
  let callOff: (() => void) | null = null;
  if (group === null && pid !== undefined) {
    callOff = watchFamily(pid, timers, (what) => onStderr(`The runner is killed: ${what}.`));
  }
  void child.exited.then(() => {
    callOff?.();
    if (group === null || group.remove()) return;
    leftovers.add(group);
    timers.after(limits.runner_stop, () => {
      if (group.remove()) leftovers.delete(group);
    });
  });
  return child;
}

function allowed(environment: LauncherOptions['environment'], home: string): Record<string, string> {
  const env: Record<string, string> = { HOME: home, TMPDIR: path.join(home, 'tmp') };
  for (const name of inherited) {
    const value = environment[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
