import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { IsolationLevel } from '@rostra/protocol/config/agent-config';
import { limits } from '@rostra/protocol/wire/limits';
import type { ChildCommand } from '@rostra/transport/child-process';
import { programPath } from '../program-path.ts';
import { RunnerStartError } from '../runner-start-error.ts';
import { bubblewrapArgs, NOBODY } from './bubblewrap.ts';
import { rootFolder, unshareArgs } from './namespaces.ts';
import { type SandboxView, sandboxView } from './sandbox-view.ts';

/** Where a process is to be put. */
export interface SandboxPlace {
  readonly package_name: string;
  readonly home: string;
  /** What it is made of. */
  readonly folders: readonly string[];
  /** What it must not see even where it lies in one of those. */
  readonly hidden: readonly string[];
}

type SandboxTool = 'bwrap' | 'unshare';
const argsOf = { bwrap: bubblewrapArgs, unshare: unshareArgs } as const;
const run = promisify(execFile);

/** Puts commands behind the walls that this machine has; which ones work is tried once, by building one. */
export class Sandbox {
  readonly #search: string | undefined;
  readonly #tools: readonly SandboxTool[];
  readonly #tried = new Map<string, Promise<boolean>>();

  constructor(search: string | undefined, tools: readonly SandboxTool[] = ['bwrap', 'unshare']) {
    this.#search = search;
    this.#tools = tools;
  }

  /** Which tool serves a level here; null if none does. */
  async tool(level: Exclude<IsolationLevel, 'trusted'>): Promise<SandboxTool | null> {
    for (const tool of this.#tools) if (await this.#works(tool, isUnprivileged(level))) return tool;
    return null;
  }

  /** The command that starts another one confined; throws a RunnerStartError where that cannot be. */
  async wrap(
    command: ChildCommand,
    level: Exclude<IsolationLevel, 'trusted'>,
    place: SandboxPlace,
  ): Promise<ChildCommand> {
    const tool = await this.tool(level);
    if (tool === null) throw new RunnerStartError('runner.start_failed', unreachable(level, place), false);
    const nobody = isUnprivileged(level);
    const { home, folders, hidden } = place;
    const cwd = command.cwd ?? home;
    if (nobody) prepareFor(NOBODY, folders, place);
    if (tool === 'unshare') mkdirSync(rootFolder(home), { recursive: true });
    const view = sandboxView({ program: command.file, folders, hidden, home, cwd });
    return { ...command, ...this.#command(tool, view, nobody, [command.file, ...command.args]) };
  }

  #command(
    tool: SandboxTool,
    view: SandboxView,
    nobody: boolean,
    words: readonly string[],
  ): Pick<ChildCommand, 'file' | 'args'> {
    return { file: programPath(tool, this.#search) ?? tool, args: [...argsOf[tool](view, nobody), ...words] };
  }

  #works(tool: SandboxTool, nobody: boolean): Promise<boolean> {
    const name = `${tool} ${nobody}`;
    const known = this.#tried.get(name);
    if (known !== undefined) return known;
    const tried = this.#try(tool, nobody);
    this.#tried.set(name, tried);
    return tried;
  }

  async #try(tool: SandboxTool, nobody: boolean): Promise<boolean> {
    const program = programPath('true', this.#search);
    if (process.platform !== 'linux' || program === null || programPath(tool, this.#search) === null) return false;
    const home = mkdtempSync(path.join(tmpdir(), 'rostra-sandbox-'));
    try {
      mkdirSync(path.join(home, 'tmp'));
      mkdirSync(rootFolder(home));
      if (nobody) chownSync(home, NOBODY, NOBODY);
      const view = sandboxView({ program, folders: [], hidden: [], home, cwd: home });
      const { file, args } = this.#command(tool, view, nobody, [program]);
      const env = { PATH: this.#search ?? '' };
      return await run(file, [...args], { timeout: limits.runner_start, env }).then(
        () => true,
        () => false,
      );
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
}

/** Only root may give a process to somebody else; for everybody else the user namespace has to do. */
function isUnprivileged(level: IsolationLevel): boolean {
  return level === 'strict' && process.getuid?.() === 0;
}

function prepareFor(user: number, folders: readonly string[], { home, package_name }: SandboxPlace): void {
  chownSync(home, user, user);
  chownSync(path.join(home, 'tmp'), user, user);
  const [folder] = folders;
  if (folder === undefined || (statSync(folder).mode & 0o005) === 0o005) return;
  const hint = `Run "chmod -R o+rX ${folder}".`;
  const message = `The runner package ${package_name} cannot be read by the unprivileged user that level strict uses. ${hint}`;
  throw new RunnerStartError('runner.start_failed', message, false);
}

function unreachable(level: IsolationLevel, { package_name }: SandboxPlace): string {
  const trust = `set "isolation: trusted" for it if you trust it`;
  const head = `The runner package ${package_name} is not started: this system cannot reach the isolation level ${level}.`;
  if (process.platform !== 'linux') return `${head} It takes Linux; ${trust}.`;
  return `${head} Install the package bubblewrap (and allow user namespaces), or ${trust}.`;
}
