import type { RunnerItem, RunnerLines } from '@rostra/protocol/run-api/runner-api';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { PackageStatus } from '../discovery/runner-pool.ts';
import type { SupervisedPool } from '../discovery/supervised-pool.ts';
import type { RunnerDesk } from '../http/routes/management.ts';
import type { Principal } from '../session/session-gateway.ts';
import { type AdminTrail, tellAct } from './admin-act.ts';
import type { RunnerLines as KeptLines } from './log/runner-lines.ts';

/** Runner packages as people manage them. */
export class ManagedRunners implements RunnerDesk {
  readonly #pool: Pick<SupervisedPool, 'status' | 'restart'>;
  readonly #kept: KeptLines;
  readonly #trail: AdminTrail;

  constructor(pool: Pick<SupervisedPool, 'status' | 'restart'>, kept: KeptLines, trail: AdminTrail) {
    this.#pool = pool;
    this.#kept = kept;
    this.#trail = trail;
  }

  list(): RunnerItem[] {
    return this.#pool.status().map(itemOf);
  }

  lines(runner_id: string, count: number): RunnerLines {
    const { name } = this.#find(runner_id);
    const { lines, omitted } = this.#kept.last(name, count);
    return { items: lines.map(({ at, ...line }) => ({ ...line, at: new Date(at).toISOString() })), omitted };
  }

  restart(runner_id: string, by: Principal): RunnerItem {
    const { name } = this.#find(runner_id);
    if (!this.#pool.restart(name)) {
      throw new ApiError('invalid_argument', `The runner package ${JSON.stringify(name)} is not enabled.`, {
        details: { reason: 'RUNNER_DISABLED', hint: 'Enable it in the configuration file and run `rostra reload`.' },
      });
    }
    tellAct(this.#trail, by, 'runner.restart', name);
    return itemOf(this.#find(runner_id));
  }

  #find(runner_id: string): PackageStatus {
    const found = this.#pool.status().find(({ name }) => name === runner_id);
    if (found !== undefined) return found;
    throw new ApiError('not_found', 'there is no such runner', {
      details: { hint: 'GET /api/v1/runners lists those that there are.' },
    });
  }
}

function itemOf({ name, enabled, pids, runners, ...status }: PackageStatus): RunnerItem {
  return {
    ...status,
    id: name,
    isEnabled: enabled,
    pids: [...pids],
    runners: runners.map(({ id, name: own, label, description, capabilities, config_schema }) => ({
      id,
      name: own,
      label,
      description,
      capabilities: { ...capabilities },
      configForm: [...config_schema],
    })),
  };
}
