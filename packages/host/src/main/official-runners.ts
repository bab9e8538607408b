import { fileURLToPath } from 'node:url';
import type { LaunchedPackage } from '../discovery/runner-package.ts';
import { programs } from './programs.ts';

/** A runner that comes with the host: what its manifest says is known before it is up. */
export interface OfficialRunner {
  readonly runner_id: string;
  readonly package: LaunchedPackage;
  readonly resumable: boolean;
  readonly steering: boolean;
}

function launched(name: string, program: URL): LaunchedPackage {
  return {
    name,
    origin: 'official',
    source: 'part of the host',
    enabled: true,
    processes: 'shared',
    isolation: 'trusted',
    command: { command: process.execPath, args: [fileURLToPath(program)] },
    folders: [],
  };
}

export const demoRunner: OfficialRunner = {
  runner_id: 'rostra/demo/default',
  package: launched('demo', programs.demoRunner),
  resumable: true,
  steering: false,
};

export const localAgent: OfficialRunner = {
  runner_id: 'rostra/local-agent/default',
  package: launched('local-agent', programs.localAgentRunner),
  resumable: true,
  steering: true,
};

/** Those that the agents of a host need: nothing is started for nobody. */
export function neededRunners(isDemoWanted: boolean, runner_ids: ReadonlySet<string>): LaunchedPackage[] {
  const needed = isDemoWanted ? [demoRunner.package] : [];
  return runner_ids.has(localAgent.runner_id) ? [...needed, localAgent.package] : needed;
}

export function officialRunner(runner_id: string): OfficialRunner | undefined {
  return [demoRunner, localAgent].find((each) => each.runner_id === runner_id);
}
