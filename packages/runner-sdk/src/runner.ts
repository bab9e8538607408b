import type { ChildProcess } from 'node:child_process';
import type { ApiParams } from '@rostra/protocol/api/api-methods';
import type { InteractionOutcome } from '@rostra/protocol/api/interactions';
import { AgentRunnerManifest, type AgentRunnerManifestInput } from '@rostra/protocol/runner/manifest';
import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import type { RunResult } from '@rostra/protocol/runner/run-result';
import type { CallOptions } from './api-caller.ts';
import { issueOf } from './issue.ts';
import type { RunApi } from './run-api.ts';
import type { RunSpawnOptions } from './run-processes.ts';

/** A form, a confirmation or a choice. */
export type Question = ApiParams<'interactions.request'>['request'];

/** What a run has beside its context. */
export interface RunTools {
  /** Aborted when the run is cancelled or the host is gone. */
  readonly signal: AbortSignal;
  /**
   * What the host can be asked for. Each call carries this run's id, ends with it, and fails at once with
   * `deadline_exceeded` when the deadline has passed. `context.available_apis` says what this run may call.
   */
  readonly api: RunApi;
  /**
   * Puts a question to a person and waits for what becomes of it: `submitted` once it is answered, or the word that says
   * why there is no answer. The time of a run that waits for a person does not run.
   */
  ask(question: Question, options?: Pick<CallOptions, 'signal'>): Promise<InteractionOutcome>;
  /** Starts a program that ends with this run, however the run ends; its whole process group does. */
  spawn(command: string, args?: readonly string[], options?: RunSpawnOptions): ChildProcess;
  /** Waits; rejects as soon as the run is cancelled. */
  sleep(ms: number): Promise<void>;
  /** Resolves when every result yielded so far has left this process. */
  flushed(): Promise<void>;
}

/**
 * One run, as an async generator of results.
 *
 * - It is asked for the next result only while the host keeps up: `yield` is where back-pressure is felt.
 * - To throw ends the run as `run.failed` with the code `runner.error`.
 * - To return without `run.completed` or `run.failed` ends it as `run.completed`.
 * - Once `signal` is aborted the run ends at its next `yield`, as `run.failed` with the code `cancelled`; only a
 *   terminal result of its own is still sent. Cleaning up belongs in `finally`.
 * - What other runs are given too is frozen: `config`, `resources`, `delivery`, `available_apis` and `static_refs`.
 */
export type RunFunction = (context: AgentRunContext, tools: RunTools) => AsyncIterable<RunResult>;

type Required = 'id' | 'name' | 'label';
export interface RunnerDefinition {
  readonly manifest: Pick<AgentRunnerManifestInput, Required> & Partial<Omit<AgentRunnerManifestInput, Required>>;
  readonly run: RunFunction;
}

export interface Runner {
  readonly manifest: AgentRunnerManifest;
  readonly run: RunFunction;
}

/** Fills in what the manifest leaves open; throws if it is not one, because then there is nothing to serve. */
export function defineRunner({ manifest, run }: RunnerDefinition): Runner {
  const whole = { capabilities: {}, permissions: {}, context: {}, ...manifest };
  const read = AgentRunnerManifest.safeParse(whole);
  if (!read.success) {
    throw new TypeError(
      `The manifest of the runner ${JSON.stringify(manifest?.id)} is wrong at ${issueOf(read.error)}`,
    );
  }
  if (typeof run !== 'function')
    throw new TypeError(`The runner ${read.data.id} has no run: async *run(context, run) {}`);
  return { manifest: read.data, run };
}
