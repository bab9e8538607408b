import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';
import { killGroup } from '@rostra/transport/kill-group';
import type { Timers } from '@rostra/transport/timers';

/** As for `node:child_process`; the process group belongs to the run. */
export type RunSpawnOptions = Omit<SpawnOptions, 'detached' | 'signal' | 'timeout' | 'killSignal'>;

interface ProcessWorld {
  readonly timers: Timers;
  notify(method: WireMethod, params: unknown): void;
}

/**
 * The processes that one run started. Each leads a group of its own, and the host is told of it, so that it can end what
 * this process no longer can. None outlives its run.
 */
export class RunProcesses {
  readonly #runId: string;
  readonly #world: ProcessWorld;
  readonly #live = new Map<ChildProcess, Promise<void>>();

  constructor(runId: string, world: ProcessWorld) {
    this.#runId = runId;
    this.#world = world;
  }

  spawn(command: string, args: readonly string[] = [], options: RunSpawnOptions = {}): ChildProcess {
    const child = spawn(command, args, { ...options, detached: true });
    const { pid } = child;
    // Without a pid it was never started; its error event says why.
    if (pid === undefined) return child;
    this.#tell('RUN_SPAWNED', pid);
    const gone = new Promise<void>((resolve) => {
      child.once('exit', () => {
        killGroup(pid, 'SIGKILL');
        this.#live.delete(child);
        this.#tell('RUN_REAPED', pid);
        resolve();
      });
    });
    this.#live.set(child, gone);
    return child;
  }

  /** The run is cancelled: what it started is asked to end, and ended a moment later. */
  interrupt(): void {
    for (const { pid } of this.#live.keys()) killGroup(pid, 'SIGTERM');
    if (this.#live.size > 0) this.#world.timers.after(limits.runner_stop, () => this.kill());
  }

  kill(): void {
    for (const { pid } of this.#live.keys()) killGroup(pid, 'SIGKILL');
  }

  /** The run is over. Resolves when all are gone; one that the system does not let go is waited for only so long. */
  async end(): Promise<void> {
    if (this.#live.size === 0) return;
    this.kill();
    const { timers } = this.#world;
    await new Promise<void>((resolve) => {
      const giveUp = timers.after(limits.runner_stop, resolve);
      void Promise.all(this.#live.values()).then(() => {
        giveUp();
        resolve();
      });
    });
  }

  #tell(method: WireMethod, pid: number): void {
    this.#world.notify(method, { run_id: this.#runId, pid });
  }
}
