import type { ListAgentRunnersResponse } from '@rostra/protocol/runner/manifest';
import {
  AgentRunRequest,
  ListAgentRunnersParams,
  PartedRunRequest,
  RunCreditParams,
  RunRef,
} from '@rostra/protocol/runner/wire-params';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { HOST_NAME, PROTOCOL_VERSION } from '@rostra/protocol/wire/method';
import { LiveMap } from '@rostra/transport/live-map';
import { ContextParts, sealed } from './context-parts.ts';
import { issueOf } from './issue.ts';
import { LiveRun, type RunSurroundings } from './live-run.ts';
import { agreeOnVersion } from './protocol-version.ts';
import type { Runner } from './runner.ts';

/** What the host may ask of this package: one method here per method of the wire. */
export class RunnerDesk {
  readonly #runners: ReadonlyMap<string, Runner>;
  readonly #world: RunSurroundings;
  readonly #live = new LiveMap<string, LiveRun>();
  readonly #parts = new ContextParts();
  /** Cancels that overtook their RUN_AGENT, oldest first. */
  readonly #cancelledEarly = new Set<string>();

  /** The host said that it is Rostra and speaks exactly this version: what it sends is written by the same schema. */
  #isKin = false;

  constructor(runners: readonly Runner[], world: RunSurroundings) {
    this.#runners = new Map(runners.map((runner) => [runner.manifest.id, runner]));
    if (this.#runners.size !== runners.length) throw new Error('two runners of this package have the same id');
    this.#world = world;
  }

  /** The first exchange; a host that names no version is taken at its word that it speaks ours (RP-3.1). */
  list(params: Json | undefined): ListAgentRunnersResponse {
    if (params !== undefined) {
      const { protocol_version, host } = parsed(ListAgentRunnersParams.safeParse(params));
      agreeOnVersion(protocol_version);
      this.#isKin = host === HOST_NAME && protocol_version === PROTOCOL_VERSION;
    }
    const runners = [...this.#runners.values()].map(({ manifest }) => manifest);
    return { protocol_version: PROTOCOL_VERSION, runners };
  }

  /** Resolves when the run is over and all its results are queued before the answer. */
  async run(params: Json | undefined): Promise<RunRef> {
    const { runner_id, context } = this.#request(params);
    const runner = this.#runners.get(runner_id);
    if (runner === undefined) throw new ApiError('not_found', `This package has no runner ${runner_id.slice(0, 256)}.`);
    const { run_id } = context;
    if (this.#live.has(run_id)) throw new ApiError('invalid_argument', `Run ${run_id.slice(0, 256)} is live already.`);
    const run = new LiveRun(runner, context, this.#world, this.#isKin);
    this.#live.set(run_id, run);
    if (this.#cancelledEarly.delete(run_id)) void run.cancel();
    try {
      await run.start();
    } finally {
      this.#live.delete(run_id);
    }
    return { run_id };
  }

  /** A context is the largest thing on this wire; reading it by its schema costs as much as running a short run. */
  #request(params: Json | undefined): AgentRunRequest {
    if (isJsonObject(params) && params.part !== undefined) {
      const trusted = this.#isKin && isWrittenInParts(params);
      return this.#parts.whole(trusted ? params : parsed(PartedRunRequest.safeParse(params)));
    }
    const request = this.#isKin && isWritten(params) ? params : parsed(AgentRunRequest.safeParse(params));
    sealed(request.context);
    return request;
  }

  keepPart(params: Json | undefined): void {
    if (!this.#parts.keep(params)) this.#world.warn('the host sent a CONTEXT_PART that is none');
  }

  async cancel(params: Json | undefined): Promise<RunRef> {
    const { run_id } = parsed(RunRef.safeParse(params));
    const run = this.#live.get(run_id);
    if (run === undefined) this.#rememberCancel(run_id);
    else await run.cancel();
    return { run_id };
  }

  credit(params: Json | undefined): void {
    const given = RunCreditParams.safeParse(params);
    if (given.success) this.#live.get(given.data.run_id)?.giveBack(given.data.results, given.data.bytes);
    else this.#world.warn('the host sent a RUN_CREDIT that is none');
  }

  /** A sign of life for every run that still has something to say. */
  alive(): void {
    for (const run of this.#live.values()) if (!run.isTerminated) run.alive();
  }

  /** The host is gone: every generator is asked to stop. Resolves when all have. */
  async stop(): Promise<void> {
    await Promise.all([...this.#live.values()].map((run) => run.cancel()));
  }

  /** This process ends now, and what its runs started with it. */
  kill(): void {
    for (const run of this.#live.values()) run.kill();
  }

  #rememberCancel(runId: string): void {
    this.#cancelledEarly.add(runId);
    if (this.#cancelledEarly.size <= limits.known_ids) return;
    for (const oldest of this.#cancelledEarly) {
      this.#cancelledEarly.delete(oldest);
      break;
    }
  }
}

/** Whether a host that writes by our own schema wrote a request; then all of it is as it must be. */
function isWritten(value: unknown): value is AgentRunRequest {
  return isJsonObject(value) && isContext(value.context);
}

function isWrittenInParts(value: unknown): value is PartedRunRequest {
  return isJsonObject(value) && isContext(value.context) && typeof value.part === 'number';
}

/** Has what is looked into before the run has it; whoever sends less, to see what happens, is told by the schema. */
function isContext(value: unknown): boolean {
  return isJsonObject(value) && isJsonObject(value.context) && isJsonObject(value.runtime);
}

type Parsed<T> = { success: true; data: T } | { success: false; error: Parameters<typeof issueOf>[0] };

function parsed<T>(outcome: Parsed<T>): T {
  if (outcome.success) return outcome.data;
  throw new ApiError('invalid_argument', issueOf(outcome.error));
}
