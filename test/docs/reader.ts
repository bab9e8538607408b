import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HostProcess } from '../e2e/host-process.ts';
import { root } from '../tidy/repository.ts';
import type { Snippet } from './snippet.ts';

const DEFAULT = 'http://127.0.0.1:8787';
const DEADLINE = 40_000;
const SILENT_MAX = 4000;
const cli = path.join(root, 'packages/host/dist/cli.js');

/** What a reader of the documents has in the shell: `rostra` is the command of this very repository. */
const shell = `set -euo pipefail
rostra() { "$ROSTRA_NODE" "$ROSTRA_CLI" "$@"; }
npx() { if [ "$1" = rostra ]; then shift; rostra "$@"; else echo "npx $* is not run here" >&2; return 1; fi; }
curl() { command curl --fail-with-body --max-time 20 "$@"; }
`;

/** Somebody who does what a document says, in a folder of their own, with a host of their own. */
export class Reader {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'rostra-docs-'));
  readonly #env: Record<string, string>;
  #host: HostProcess | null = null;

  constructor(env: Record<string, string>) {
    this.#env = env;
    symlinkSync(path.join(root, 'node_modules'), path.join(this.#folder, 'node_modules'));
  }

  async start(config: object | null): Promise<void> {
    this.#host = new HostProcess(this.#env, config);
    await this.#host.start();
    symlinkSync(this.#host.data, path.join(this.#folder, '.rostra'));
  }

  async close(): Promise<void> {
    await this.#host?.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** All commands of a document, one after the other in one shell: what one sets the next one has. */
  sh(snippets: readonly Snippet[]): Promise<void> {
    const blocks = snippets.map(({ line, text }) => `echo "--- line ${line}" >&2\n${this.#addressed(text)}`);
    return this.#run('bash', ['-c', `${shell}${blocks.join('\n')}`], 'the commands');
  }

  /** A program, saved and run as it stands there: by Node alone, with the packages as they give themselves to anybody. */
  async program({ line, text }: Snippet): Promise<void> {
    const file = path.join(this.#folder, `line-${line}.mjs`);
    writeFileSync(file, this.#addressed(text));
    await this.#run(process.execPath, [file], `the program of line ${line}`);
  }

  #addressed(text: string): string {
    return text.replaceAll(DEFAULT, this.#host?.url ?? DEFAULT);
  }

  #run(file: string, args: readonly string[], what: string): Promise<void> {
    const env = { ...process.env, ...this.#env, ROSTRA_CLI: cli, ROSTRA_NODE: process.execPath, NO_COLOR: '1' };
    mkdirSync(this.#folder, { recursive: true });
    return new Promise((resolve, reject) => {
      const child = spawn(file, args, { cwd: this.#folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE);
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output = `${output}${chunk}`.slice(-SILENT_MAX);
        });
      }
      child.once('close', (code) => {
        clearTimeout(timer);
        if (code === 0) resolve();
        else reject(new Error(`${what} ended with ${code}:\n${output}`));
      });
    });
  }
}
