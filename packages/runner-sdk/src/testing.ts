import { apiMethods } from '@rostra/protocol/api/api-methods';
import { everyResult, type RunResultTuple } from '@rostra/protocol/runner/run-result';
import { ResultsParams, RunProcessParams, RunRef } from '@rostra/protocol/runner/wire-params';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import { HOST_NAME, PROTOCOL_VERSION, type WireMethod } from '@rostra/protocol/wire/method';
import { memoryChannels } from '@rostra/transport/memory-channel';
import { Peer } from '@rostra/transport/peer';
import type { Runner } from './runner.ts';
import { serve } from './serve.ts';
import type { ApiAnswers } from './test-answers.ts';
import { type TestInput, testContext } from './test-context.ts';
import { TestKeep } from './test-keep.ts';

export type { ApiAnswers } from './test-answers.ts';
export type { TestInput } from './test-context.ts';
export type { TestKeep } from './test-keep.ts';

export interface TestHostOptions {
  /** Calls that the runner may make; every other one is refused as a host refuses what it did not grant. */
  readonly api?: ApiAnswers;
  /** Keeps state, storage, artifacts and a history as a host does; what `api` names goes before it. */
  readonly keep?: TestKeep;
}

export interface TestRun {
  readonly run_id: string;
  /** The results so far, numbered as they crossed. */
  readonly results: readonly RunResultTuple[];
  /** The text so far: what the pieces and whole messages say. */
  readonly text: string;
  /** Processes that the run has started and that still run. */
  readonly processes: ReadonlySet<number>;
  /** Resolves with the terminal result when the run is over. */
  readonly ended: Promise<RunResultTuple>;
  /** Resolves when the runner has stopped. */
  cancel(): Promise<void>;
}

export interface TestHost {
  run(input: string | TestInput): TestRun;
  /** Calls that runs made, in order. */
  readonly calls: readonly { readonly method: string; readonly params: Json }[];
  /** What the SDK warned of. */
  readonly warnings: readonly string[];
  /** Hangs up; resolves when every run has been told. */
  close(): Promise<void>;
}

interface Live {
  readonly results: RunResultTuple[];
  readonly processes: Set<number>;
}

/** What a host would keep: to be passed to `testHost`, and looked into. `history` is what was said before. */
export function testKeep(given: { readonly history?: readonly string[] } = {}): TestKeep {
  return new TestKeep(given);
}

/** Serves runners inside this process, over the same protocol as a host, for unit tests. */
export function testHost(runners: Runner | readonly Runner[], options: TestHostOptions = {}): TestHost {
  const api = { ...options.keep?.api, ...options.api };
  const served = 'run' in runners ? [runners] : runners;
  const [hostEnd, runnerEnd] = memoryChannels();
  const warnings: string[] = [];
  const calls: { method: string; params: Json }[] = [];
  const live = new Map<string, Live>();
  const peer = new Peer(hostEnd);
  const over = serve(served, { channel: runnerEnd, warn: (line) => void warnings.push(line) });
  listen(peer, live, options.keep);
  answerCalls(peer, api, calls);
  const methods = Object.keys(api);
  let count = 0;

  function run(input: string | TestInput): TestRun {
    count += 1;
    const asked = typeof input === 'string' ? { text: input } : input;
    const { run_id = `run-${count}`, runner_id = served[0]?.manifest.id ?? '' } = asked;
    const name = served.find(({ manifest }) => manifest.id === runner_id)?.manifest.name ?? '';
    const entry: Live = { results: [], processes: new Set() };
    live.set(run_id, entry);
    const request = { runner_id, runner_name: name, context: testContext({ ...asked, run_id }, methods) };
    const method: WireMethod = 'RUN_AGENT';
    const ended = peer.request(method, request).then(() => {
      const last = entry.results.at(-1);
      if (last === undefined) throw new Error('the run ended without a result');
      return last;
    });
    return {
      run_id,
      ended,
      results: entry.results,
      processes: entry.processes,
      get text() {
        return textOf(entry.results);
      },
      async cancel() {
        const cancel: WireMethod = 'CANCEL_RUN';
        await peer.request(cancel, { run_id });
      },
    };
  }
  return {
    run,
    calls,
    warnings,
    async close() {
      peer.close();
      await over;
    },
  };
}

function listen(peer: Peer, live: ReadonlyMap<string, Live>, keep: TestKeep | undefined): void {
  const list: WireMethod = 'LIST_AGENT_RUNNERS';
  const handlers: Partial<Record<WireMethod, Parameters<Peer['onNotification']>[1]>> = {
    RESULTS: (params, bytes) => {
      const { run_id, results: told } = ResultsParams.parse(params);
      const results = everyResult(told);
      live.get(run_id)?.results.push(...results);
      for (const [, type, data] of results) keep?.take(type, data);
      // Committed at once: a test host keeps nothing.
      const credit: WireMethod = 'RUN_CREDIT';
      peer.notify(credit, { run_id, results: results.length, bytes });
    },
    RUN_ACCEPTED: (params) => void RunRef.parse(params),
    RUN_SPAWNED: (params) => {
      const { run_id, pid } = RunProcessParams.parse(params);
      live.get(run_id)?.processes.add(pid);
    },
    RUN_REAPED: (params) => {
      const { run_id, pid } = RunProcessParams.parse(params);
      live.get(run_id)?.processes.delete(pid);
    },
  };
  for (const [method, handler] of Object.entries(handlers)) peer.onNotification(method, handler);
  void peer.request(list, { protocol_version: PROTOCOL_VERSION, host: HOST_NAME }).catch(() => undefined);
}

function answerCalls(peer: Peer, api: ApiAnswers, calls: { method: string; params: Json }[]): void {
  const answers: Readonly<Record<string, unknown>> = api;
  for (const method of Object.keys(apiMethods)) {
    peer.onRequest(method, (params = null, id) => {
      calls.push({ method, params });
      const answer = answers[method];
      if (typeof answer !== 'function') throw new ApiError('unauthorized', `This test grants no ${method}.`);
      const chunk: WireMethod = 'CALL_CHUNK';
      const { run_id: _, ...rest } =
        params !== null && typeof params === 'object' && !Array.isArray(params) ? params : {};
      return answered(() => answer(rest, (piece: unknown) => peer.notify(chunk, { id, chunk: piece })));
    });
  }
}

/** What a test throws is what the runner is refused with. */
async function answered(answer: () => unknown): Promise<unknown> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('runtime_error', error instanceof Error ? error.message : String(error));
  }
}

/** A whole message takes the place of the pieces that it closes. */
function textOf(results: readonly RunResultTuple[]): string {
  let said = '';
  let pieces = '';
  for (const [, type, data] of results) {
    if (type === 'message.delta') pieces += contentOf(data.chunk);
    else {
      said += type === 'message.completed' ? contentOf(data.message) : pieces;
      pieces = '';
    }
  }
  return said + pieces;
}

function contentOf(part: Json | undefined): string {
  if (part === null || typeof part !== 'object' || Array.isArray(part)) return '';
  return typeof part.content === 'string' ? part.content : '';
}
