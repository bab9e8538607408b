import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '@rostra/protocol/wire/limits';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/discovery/isolation/sandbox.ts';
import { processFacts } from '../../src/discovery/process-table.ts';
import type { RunnerLogEntry } from '../../src/discovery/runner-log.ts';
import type { LaunchedPackage, RunnerPackage, SkippedSource } from '../../src/discovery/runner-package.ts';
import type { RunnerConnection, RunPlaceKey } from '../../src/discovery/runner-pool.ts';
import { SupervisedPool } from '../../src/discovery/supervised-pool.ts';
import { ManualClock } from '../manual-clock.ts';

export const actor = fileURLToPath(new URL('fixtures/actor.mjs', import.meta.url));

export function privateFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rostra-pool-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A package whose process offers these runners, and does what a test asks of it. */
export function actorPackage(
  name: string,
  listing: unknown = [name],
  rest: Partial<LaunchedPackage> = {},
): LaunchedPackage {
  return {
    name,
    origin: 'path',
    source: name,
    enabled: true,
    processes: 'shared',
    isolation: 'trusted',
    command: {
      command: process.execPath,
      args: [actor, typeof listing === 'string' ? listing : JSON.stringify(listing)],
    },
    folders: [path.dirname(actor)],
    ...rest,
  };
}

export function keyOf(runner_id: string, rest: Partial<RunPlaceKey> = {}): RunPlaceKey {
  return { runner_id, workspace_id: 'w', session_id: 's', run_id: 'r', ...rest };
}

export async function ask(connection: RunnerConnection, act: string, params: object = {}): Promise<unknown> {
  return connection.peer.request('DO', { act, ...params });
}

/** A process that is dead and only waits for its parent to ask is gone. */
export function isAlive(pid: number): boolean {
  return processFacts(pid) !== null;
}

/** A pool with real processes and time that stands still. */
export class PoolWorld {
  readonly clock = new ManualClock();
  readonly logged: RunnerLogEntry[] = [];
  readonly folder: string;
  readonly pool: SupervisedPool;
  packages: readonly RunnerPackage[];
  skipped: readonly SkippedSource[] = [];
  changes = 0;
  reads = 0;

  constructor(packages: readonly RunnerPackage[], folder = path.join(privateFolder(), 'runners'), sandbox?: Sandbox) {
    this.packages = packages;
    this.folder = folder;
    this.pool = new SupervisedPool({
      find: () => {
        this.reads += 1;
        return { packages: this.packages, skipped: this.skipped };
      },
      folder,
      clock: this.clock,
      log: (entry) => void this.logged.push(entry),
      environment: process.env,
      hidden: [path.dirname(folder)],
      ...(sandbox === undefined ? {} : { sandbox }),
      onChange: () => {
        this.changes += 1;
      },
    });
    this.pool.start();
    onTestFinished(() => this.stop());
  }

  async stop(): Promise<void> {
    let isOver = false;
    const gone = this.pool.stop().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      this.clock.advance(limits.runner_stop);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await gone;
  }

  state(name: string) {
    return this.pool.status().find((status) => status.name === name);
  }

  texts(): string[] {
    return this.logged.map(({ text }) => text);
  }
}
