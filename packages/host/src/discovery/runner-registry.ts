import type { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import type { RunnerConnection, RunnerProcess } from './runner-process.ts';
import { RunnerStartError } from './runner-start-error.ts';

/** A runner that can be used now: its description and the process that has it. */
export interface RunnerDescriptor {
  readonly manifest: AgentRunnerManifest;
  readonly connection: RunnerConnection;
}

function describe(connection: RunnerConnection | null, runner_id: string): RunnerDescriptor | null {
  const manifest = connection?.runners.get(runner_id);
  return connection === null || manifest === undefined ? null : { manifest, connection };
}

/** Which process carries which runner. A package says what it offers only once it runs, so it is asked when needed. */
export class RunnerRegistry {
  readonly #processes: readonly RunnerProcess[];

  constructor(processes: readonly RunnerProcess[]) {
    this.#processes = processes;
  }

  /** The runner, if its process is up. */
  ready(runner_id: string): RunnerDescriptor | null {
    for (const process of this.#processes) {
      const found = describe(process.connection, runner_id);
      if (found !== null) return found;
    }
    return null;
  }

  /** The runner, starting what may carry it; rejects with a RunnerStartError. */
  async open(runner_id: string): Promise<RunnerDescriptor> {
    let failure: unknown = null;
    for (const process of this.#processes) {
      try {
        const found = describe(await process.connect(), runner_id);
        if (found !== null) return found;
      } catch (error) {
        if (!(error instanceof RunnerStartError)) throw error;
        failure ??= error;
      }
    }
    // A package that did not start may be the one that has it.
    throw failure ?? new RunnerStartError('runner.not_found', `No package offers the runner ${runner_id}.`, false);
  }

  /** What is up and what it offers. */
  list(): RunnerDescriptor[] {
    return this.#processes.flatMap(({ connection }) =>
      connection === null ? [] : [...connection.runners.values()].map((manifest) => ({ manifest, connection })),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.stop()));
  }
}
