import { everyResult } from '@rostra/protocol/runner/run-result';
import { ResultsParams, RunRef } from '@rostra/protocol/runner/wire-params';
import { PROTOCOL_VERSION } from '@rostra/protocol/wire/method';
import { ManualTimers } from '@rostra/transport/manual-timers';
import { memoryChannels } from '@rostra/transport/memory-channel';
import { Peer } from '@rostra/transport/peer';
import { defineRunner, type RunFunction } from '../src/runner.ts';
import { serve } from '../src/serve.ts';
import { runContext } from './run-context.ts';

const runner_id = 'test/stage/default';

/** A runner served over a connection in memory, and the host's end of it. */
export function stage(run: RunFunction) {
  const [hostEnd, runnerEnd] = memoryChannels();
  const timers = new ManualTimers();
  const clock = { now: 1_000_000_000 };
  const warnings: string[] = [];
  /** What the host saw, in order: `RUN_ACCEPTED`, `RESULTS`, `RUN_ALIVE`, `answer`. */
  const seen: string[] = [];
  const results: [number, string, Record<string, unknown>][] = [];
  const lineBytes: number[] = [];
  /** How many elements each line had. */
  const elements: number[] = [];
  const host = new Peer(hostEnd);
  host.onNotification('RUN_ACCEPTED', (params) => void seen.push(`RUN_ACCEPTED ${RunRef.parse(params).run_id}`));
  host.onNotification('RUN_ALIVE', (params) => void seen.push(`RUN_ALIVE ${RunRef.parse(params).run_id}`));
  host.onNotification('RESULTS', (params, bytes) => {
    const line = ResultsParams.parse(params);
    seen.push(`RESULTS ${line.run_id}`);
    results.push(...everyResult(line.results));
    elements.push(line.results.length);
    lineBytes.push(bytes);
  });
  const runner = defineRunner({ manifest: { id: runner_id, name: 'default', label: { en_US: 'Stage' } }, run });
  const served = serve([runner], {
    channel: runnerEnd,
    timers,
    now: () => clock.now,
    warn: (line) => void warnings.push(line),
  });

  return {
    host,
    hostEnd,
    timers,
    clock,
    warnings,
    seen,
    results,
    lineBytes,
    elements,
    served,
    list: (protocol_version = PROTOCOL_VERSION) =>
      host.request('LIST_AGENT_RUNNERS', { protocol_version, host: 'rostra' }),
    async run(runId = 'r1', text?: string) {
      const request = { runner_id, runner_name: 'default', context: runContext(runId, text) };
      const answer = await host.request('RUN_AGENT', request);
      seen.push(`answer ${runId}`);
      return answer;
    },
    cancel: (run_id = 'r1') => host.request('CANCEL_RUN', { run_id }),
    credit: (given: number, bytes: number, run_id = 'r1') =>
      host.notify('RUN_CREDIT', { run_id, results: given, bytes }),
    text: () =>
      results
        .filter(([, type]) => type === 'message.delta')
        .map(([, , { chunk }]) => (chunk as { content: string }).content)
        .join(''),
    last: () => results.at(-1),
  };
}

/** Lets everything that can happen without time passing happen. */
export async function settle(): Promise<void> {
  for (let k = 0; k < 10; k += 1) await new Promise((resolve) => setImmediate(resolve));
}
