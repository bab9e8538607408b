import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { RunnerSource } from '@rostra/protocol/config/host-config';
import { limits } from '@rostra/protocol/wire/limits';
import { readFolder } from './folder-entry.ts';
import { realFolder, realPath, SourceFault } from './inside-folder.ts';
import { programPath } from './program-path.ts';
import { quoted } from './runner-log.ts';
import type { FoundPackages, LaunchedPackage, RunnerCommand, RunnerPackage, SkippedSource } from './runner-package.ts';
import type { PackageOrigin } from './runner-pool.ts';

export interface SourceGround {
  /** The folder of the configuration file: relative paths and package names are looked up from here. */
  readonly folder: string;
  /** Where the host's own packages are looked up, after those of the folder. */
  readonly host_folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type Source = Exclude<RunnerSource, string>;

const packageName = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** A line of the configuration: a path, or the name of a package. */
function spelledOut(source: RunnerSource): Source {
  if (typeof source !== 'string') return source;
  const isPath = /^[./~]/.test(source) || path.isAbsolute(source);
  return isPath ? { path: source, env: {}, enabled: true } : { package: source, env: {}, enabled: true };
}

/** Looks at every source; one that is none is left out with a reason and hides no other. Nothing is installed or run. */
export function readSources(sources: readonly RunnerSource[], ground: SourceGround): FoundPackages {
  const packages: RunnerPackage[] = [];
  const skipped: SkippedSource[] = [];
  for (const line of sources) {
    const source = spelledOut(line);
    const { origin, text, name } = shown(source);
    try {
      const found = readSource(source, ground);
      if (packages.some((pkg) => pkg.name === found.name)) {
        throw new SourceFault(`another package is named ${found.name}. Give one of them a "name"`);
      }
      packages.push(found);
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      const reason = `The runner source ${quoted(text)} is left out: ${error.message}.`;
      skipped.push({ name, origin, source: text, reason });
    }
  }
  return { packages, skipped };
}

function shown(source: Source): { origin: PackageOrigin; text: string; name: string } {
  if ('path' in source) return { origin: 'path', text: source.path, name: source.name ?? source.path };
  if ('package' in source) return { origin: 'package', text: source.package, name: source.name ?? source.package };
  if ('command' in source) return { origin: 'command', text: source.command.join(' '), name: source.name };
  return { origin: 'remote', text: source.remote, name: source.remote };
}

function readSource(source: Source, ground: SourceGround): RunnerPackage {
  const { enabled } = source;
  if ('remote' in source) {
    const name = checkedName(source.remote);
    return { name, origin: 'remote', source: name, enabled, processes: 'shared', token: source.token };
  }
  if ('command' in source) return commandPackage(source, ground);
  return 'path' in source ? pathPackage(source, ground) : namedPackage(source, ground);
}

function commandPackage(source: Extract<Source, { command: unknown }>, ground: SourceGround): LaunchedPackage {
  const { isolation = 'trusted', processes = 'shared', enabled, env } = source;
  const cwd = realFolder(path.resolve(ground.folder, expanded(source.cwd ?? '.')));
  const [program = '', ...args] = source.command.map(expanded);
  const isPath = program.includes('/');
  const command = runnable({ command: isPath ? path.resolve(cwd, program) : program, args, cwd, env }, ground);
  const name = checkedName(source.name);
  const text = source.command.join(' ');
  return { name, origin: 'command', source: text, enabled, processes, isolation, command, folders: [cwd] };
}

function pathPackage(source: Extract<Source, { path: unknown }>, ground: SourceGround): LaunchedPackage {
  const { isolation = 'trusted', processes = 'shared', enabled, env } = source;
  const folder = realFolder(path.resolve(ground.folder, expanded(source.path)));
  const entry = readFolder(folder);
  const name = checkedName(source.name ?? entry.name ?? path.basename(folder));
  const command = runnable({ ...entry.command, env: { ...entry.command.env, ...env } }, ground);
  const folders = [folder, ...modulesAbove(folder)];
  return { name, origin: 'path', source: folder, enabled, processes, isolation, command, folders };
}

function isBelow(folder: string, name: string): boolean {
  const full = path.join(folder, name);
  return full.startsWith(folder + path.sep) && existsSync(full);
}

/** Of a package by name nobody knows who wrote it: it is confined, and a process serves one run, unless it is trusted. */
function namedPackage(source: Extract<Source, { package: unknown }>, ground: SourceGround): LaunchedPackage {
  const { isolation = 'confined', enabled, env } = source;
  const { processes = isolation === 'trusted' ? 'shared' : 'run' } = source;
  const isNamed = packageName.test(source.package);
  const folder = isNamed ? installed(source.package, [ground.folder, ground.host_folder]) : null;
  if (folder === null && isBelow(ground.folder, source.package)) {
    // Nobody should be led to install what a stranger published under the name of this folder.
    throw new SourceFault(`a folder is named by its path: ./${source.package}`);
  }
  if (!isNamed) throw new SourceFault('this is neither a path nor the name of a package');
  if (folder === null) {
    throw new SourceFault(`the package is not installed. Run "npm install ${source.package}" in ${ground.folder}`);
  }
  const entry = readFolder(folder);
  if (entry.name !== source.package) {
    throw new SourceFault(`${folder} is the package ${quoted(String(entry.name))}, not the one that was asked for`);
  }
  const name = checkedName(source.name ?? source.package);
  const command = runnable({ ...entry.command, env: { ...entry.command.env, ...env } }, ground);
  const folders = [folder, ...modulesAbove(folder)];
  return { name, origin: 'package', source: source.package, enabled, processes, isolation, command, folders };
}

function installed(name: string, starts: readonly string[]): string | null {
  for (const start of starts) {
    for (const modules of modulesAbove(start, false)) {
      const folder = realPath(path.join(modules, name));
      if (folder !== null) return realFolder(folder);
    }
  }
  return null;
}

/** The `node_modules` folders in which Node looks for what a file of this folder imports. */
function modulesAbove(folder: string, mustExist = true): string[] {
  const found: string[] = [];
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const modules = path.join(at, 'node_modules');
    if (path.basename(at) !== 'node_modules' && (!mustExist || realPath(modules) !== null)) found.push(modules);
    if (at === path.dirname(at)) return found;
  }
}

function expanded(text: string): string {
  return text === '~' || text.startsWith('~/') ? path.join(homedir(), text.slice(1)) : text;
}

function checkedName(name: string): string {
  const plain = name.length <= limits.runner_name_chars && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(name);
  if (!plain || name === '.' || name === '..') throw new SourceFault(`${quoted(name)} cannot be the name of a package`);
  return name;
}

function runnable(command: RunnerCommand, { environment }: SourceGround): RunnerCommand {
  const file = programPath(command.command, environment.PATH);
  if (file === null) throw new SourceFault(`the command ${quoted(command.command)} is not found`);
  return { ...command, command: file };
}
