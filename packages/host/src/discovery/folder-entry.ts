import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { RUNNER_FILE, RunnerFile, RunnerPackageJson, type RunnerProgram } from '@rostra/protocol/config/runner-file';
import { limits } from '@rostra/protocol/wire/limits';
import { insideFolder, SourceFault } from './inside-folder.ts';
import { jsonFaultPlace } from './json-fault.ts';
import type { RunnerCommand } from './runner-package.ts';

/** How a folder says that its runners are started. */
export interface FolderEntry {
  readonly name: string | null;
  readonly command: RunnerCommand;
}

const PACKAGE_FILE = 'package.json';

/** What a schema of the protocol is to a reader: a value, or where it is wrong first. */
interface Schema<T> {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: T }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
}

/** Reads a folder (by its real path); throws a SourceFault. */
export function readFolder(folder: string): FolderEntry {
  const file = readJson(folder, RUNNER_FILE, RunnerFile);
  if (file !== null) return { name: file.name ?? null, command: commandOf(folder, file) };
  const manifest = readJson(folder, PACKAGE_FILE, RunnerPackageJson);
  if (manifest === null) throw new SourceFault(`${folder} has neither a ${RUNNER_FILE} nor a ${PACKAGE_FILE}`);
  const { name = null, rostra } = manifest;
  if (typeof rostra === 'object') return { name, command: commandOf(folder, rostra) };
  const program = rostra ?? programOf(manifest);
  if (program === undefined) {
    throw new SourceFault(`${path.join(folder, PACKAGE_FILE)} has neither the field "rostra" nor "bin"`);
  }
  return { name, command: commandOf(folder, { command: ['node', program], env: {} }) };
}

function programOf({ name, bin }: RunnerPackageJson): string | undefined {
  if (bin === undefined || typeof bin === 'string') return bin;
  const own = name?.slice(name.lastIndexOf('/') + 1) ?? '';
  return Object.hasOwn(bin, own) ? bin[own] : Object.values(bin)[0];
}

function readJson<T>(folder: string, name: string, schema: Schema<T>): T | null {
  const file = insideFolder(folder, name);
  if (file === null) return null;
  const { size } = statSync(file);
  if (size > limits.runner_file_bytes)
    throw new SourceFault(`${file} is larger than ${limits.runner_file_bytes} bytes`);
  const text = readFileSync(file, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SourceFault(`${file} is not JSON: ${jsonFaultPlace(text)}`);
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new SourceFault(`${file}: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
}

/** Everything relative that it names must lie in the folder; what is absolute is a program of the system. */
function commandOf(
  folder: string,
  entry: { command: RunnerProgram; env: Record<string, string>; cwd?: string | undefined },
) {
  const [program = '', ...args] = typeof entry.command === 'string' ? [entry.command] : entry.command;
  const cwd = entry.cwd === undefined ? folder : insideFolder(folder, entry.cwd);
  if (cwd === null) throw new SourceFault(`there is no folder ${entry.cwd} in ${folder}`);
  for (const arg of args) checkArgument(folder, cwd, arg);
  if (!path.isAbsolute(program) && program.includes('/')) {
    const file = insideFolder(folder, path.resolve(cwd, program));
    if (file === null) throw new SourceFault(`there is no ${program} in ${folder}`);
    return { command: file, args, cwd, env: entry.env };
  }
  if (program === 'node') checkScript(folder, cwd, args);
  return { command: program, args, cwd, env: entry.env };
}

/** An argument that is a path of the folder must not lead out of it; one that is none is only a word. */
function checkArgument(folder: string, cwd: string, arg: string): void {
  if (arg.startsWith('-') || path.isAbsolute(arg)) return;
  const isPath = arg.startsWith('..') || arg.includes('/') || insideFolder(folder, path.resolve(cwd, arg)) !== null;
  if (isPath) insideFolder(folder, path.resolve(cwd, arg));
}

/** The first word after `node` that is no option is its script; its absence is said here, not by a stack trace. */
function checkScript(folder: string, cwd: string, args: readonly string[]): void {
  const [script] = args;
  if (script === undefined || script.startsWith('-') || path.isAbsolute(script)) return;
  if (insideFolder(folder, path.resolve(cwd, script)) === null)
    throw new SourceFault(`there is no ${script} in ${cwd}`);
}
