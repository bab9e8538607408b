import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Findings } from './inspection.ts';
import type { WorkerOptions, WorkerReply, WorkerRequest } from './worker-message.ts';
import { decodeError } from './worker-thread.ts';

/**
 * A look at a database, in a process of its own: a large file takes seconds in one statement, and a thread that is ended
 * in the middle of one takes the host with it.
 */
export class CheckProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;

  constructor(url: URL) {
    this.#child = fork(fileURLToPath(url), {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', () => resolve()).once('error', () => resolve());
    });
  }

  /** Rejects when the process ends before it has told. */
  async check(options: WorkerOptions): Promise<Findings> {
    await this.#ask<undefined>({ method: 'open', options });
    return this.#ask<Findings>({ method: 'check' });
  }

  /** Resolves when it reads no more: the last checkpoint would wait for it. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #ask<T>(request: WorkerRequest): Promise<T> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error('the process that looked at the database has ended'));
      child.once('exit', ended).once('error', reject);
      child.once('message', (reply: Exclude<WorkerReply<T>, { changing: unknown } | { settled: unknown }>) => {
        child.off('exit', ended).off('error', reject);
        if ('error' in reply) reject(decodeError(reply.error));
        else resolve(reply.value);
      });
      child.send({ id: 0, request });
    });
  }
}
