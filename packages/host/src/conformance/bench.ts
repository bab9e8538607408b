import { ListAgentRunnersResponse } from '@rostra/protocol/runner/manifest';
import type { ListAgentRunnersParams } from '@rostra/protocol/runner/wire-params';
import { limits } from '@rostra/protocol/wire/limits';
import { HOST_NAME, PROTOCOL_VERSION, type WireMethod } from '@rostra/protocol/wire/method';
import type { ChildCommand } from '@rostra/transport/child-process';
import type { Timers } from '@rostra/transport/timers';
import { type Asked, ProbeRun, type RunnerName } from './probe-run.ts';
import { RunnerProbe } from './runner-probe.ts';
import { BrokenPromise, type WireLine } from './wire-line.ts';

export interface BenchOptions {
  readonly command: ChildCommand;
  readonly timers: Timers;
  /** How long one run may take, in milliseconds. */
  readonly patience: number;
  /** What a plain run is asked. */
  readonly input: string;
  /** What makes the runner say more than its credit allows; words in a long row unless told. */
  readonly flood: string;
  /** Which runner of the package; the first one unless told. */
  readonly runner_id?: string | undefined;
}

/** Where the checks are done: it starts a fresh process for each, and keeps every line for the judges. */
export class Bench {
  readonly options: BenchOptions;
  readonly connections: RunnerProbe[] = [];
  /** Known from the first check on. */
  runner: RunnerName | undefined;
  /** The minor version of the protocol that it named. */
  minor = 0;
  #runs = 0;

  constructor(options: BenchOptions) {
    this.options = options;
  }

  start(): RunnerProbe {
    const { command, timers } = this.options;
    const probe = new RunnerProbe(command, timers);
    this.connections.push(probe);
    return probe;
  }

  /** Asks what the package offers: the first exchange of every connection. */
  async list(probe: RunnerProbe, protocol_version = PROTOCOL_VERSION) {
    const method: WireMethod = 'LIST_AGENT_RUNNERS';
    const params: ListAgentRunnersParams = { protocol_version, host: HOST_NAME };
    return probe.answer(probe.request(method, params), 'the answer to LIST_AGENT_RUNNERS', limits.runner_start);
  }

  /** A connection on which runs can be started. */
  async ready(): Promise<RunnerProbe> {
    const probe = this.start();
    const { line, frame } = await this.list(probe);
    if (frame.kind !== 'answer') throw new BrokenPromise('LIST_AGENT_RUNNERS was refused', line);
    const { protocol_version, runners } = ListAgentRunnersResponse.parse(frame.result);
    this.runner ??= this.#chosen(line, runners);
    this.minor = Number(protocol_version.split('.')[1] ?? 0);
    return probe;
  }

  run(probe: RunnerProbe, text = this.options.input, data = {}): ProbeRun {
    return this.#run(probe, { text, data });
  }

  /** A run whose context names this part, which the connection was told or not. */
  runByPart(probe: RunnerProbe, part: number): ProbeRun {
    return this.#run(probe, { text: this.options.input, part });
  }

  #run(probe: RunnerProbe, asked: Omit<Asked, 'run_id'>): ProbeRun {
    if (this.runner === undefined) throw new Error('a run needs a connection that is ready');
    this.#runs += 1;
    return new ProbeRun(probe, this.runner, { run_id: `check-${this.#runs}`, ...asked });
  }

  /** An id that no run has had yet. */
  nextRunId(): string {
    return `check-${this.#runs + 1}`;
  }

  #chosen(line: WireLine, listed: readonly unknown[]): RunnerName {
    const { runner_id } = this.options;
    const named = listed.filter(isNamed);
    const found = runner_id === undefined ? named[0] : named.find(({ id }) => id === runner_id);
    if (found !== undefined) return found;
    throw new BrokenPromise(runner_id === undefined ? 'no runner is listed' : `there is no runner ${runner_id}`, line);
  }
}

function isNamed(value: unknown): value is RunnerName {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'name' in value &&
    typeof value.name === 'string'
  );
}
