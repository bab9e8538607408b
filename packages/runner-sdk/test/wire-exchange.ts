import { createInterface } from 'node:readline';
import { inParts } from '@rostra/protocol/runner/context-part';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { frameErrorOf } from '@rostra/transport/frame-error';
import { ManualTimers } from '@rostra/transport/manual-timers';
import { memoryChannels } from '@rostra/transport/memory-channel';
import { text } from '../src/result.ts';
import { defineRunner } from '../src/runner.ts';
import { serve } from '../src/serve.ts';
import { testContext } from '../src/test-context.ts';
import { settle } from './stage.ts';

/** Says hello; told to look something up it asks its host, told to wait it waits. */
const sample = defineRunner({
  manifest: {
    id: 'example/hello',
    name: 'hello',
    label: { en_US: 'Hello' },
    capabilities: { streaming: true, interrupt: true },
  },
  async *run({ input }, { api, sleep }) {
    if (input.text === 'look it up') {
      const { value } = await api.state.get({ scope: 'conversation', key: 'colour' });
      const refusal = await api.tools.call({ tool_name: 'clock' }).catch(({ code }: ApiError) => code);
      let file = '';
      for await (const { content_base64 } of api.artifacts.open_stream({ artifact_id: 'artifact-1' })) {
        file += Buffer.from(content_base64, 'base64').toString();
      }
      yield text(`${value}, ${String(refusal)}, ${file}.`);
      return;
    }
    yield text('Hello, ');
    if (input.text === 'wait') await sleep(limits.runner_alive * 2);
    yield text('数据库!');
  },
});

const granted = ['state.get', 'artifacts.open_stream'];
const artifact = { artifact_id: 'artifact-1', name: 'a.txt', mime_type: 'text/plain', size_bytes: 6, sha256: null };

/** A whole conversation of a host with a runner: every line of it, `→` to the runner and `←` from it. */
export async function wireExchange(): Promise<string[]> {
  const [host, runner] = memoryChannels();
  const timers = new ManualTimers();
  const lines: string[] = [];
  createInterface({ input: host.readable }).on('line', (line) => void lines.push(`← ${line}`));
  const over = serve([sample], { channel: runner, timers, now: () => 0, warn: () => undefined });
  const say = async (frame: object) => {
    const line = JSON.stringify({ jsonrpc: '2.0', ...frame });
    lines.push(`→ ${shown(line)}`);
    host.writable.write(`${line}\n`);
    await settle();
  };
  const ask = (id: number, run_id: string, words: string) => {
    const context = testContext({ run_id, text: words }, words === 'look it up' ? granted : []);
    return say({ id, method: 'RUN_AGENT', params: { runner_id: 'example/hello', runner_name: 'hello', context } });
  };
  await say({ id: 1, method: 'LIST_AGENT_RUNNERS', params: { protocol_version: '1.0', host: 'rostra' } });
  await ask(2, 'run-1', 'hi');
  await say({ method: 'RUN_CREDIT', params: { run_id: 'run-1', results: 3, bytes: 240 } });
  const { part, own } = inParts(testContext({ run_id: 'run-2', text: 'hi' }));
  await say({ method: 'CONTEXT_PART', params: { part: 0, context: part } });
  const params = { runner_id: 'example/hello', runner_name: 'hello', part: 0, context: own };
  await say({ id: 3, method: 'RUN_AGENT', params });
  await ask(4, 'run-3', 'wait');
  timers.advance(limits.runner_alive);
  await settle();
  await say({ id: 5, method: 'PING', params: {} });
  await say({ id: 6, method: 'CANCEL_RUN', params: { run_id: 'run-3' } });
  await ask(7, 'run-4', 'look it up');
  await say({ id: 1, result: { value: 'blue' } });
  await say({ id: 2, error: frameErrorOf(new ApiError('unauthorized', 'This run was not granted tools.call.')) });
  for (const [offset, bytes] of [
    [0, 'a fi'],
    [4, 'le'],
  ] as const) {
    const chunk = { offset, content_base64: Buffer.from(bytes).toString('base64') };
    await say({ method: 'CALL_CHUNK', params: { id: 3, chunk } });
  }
  await say({ id: 3, result: { ...artifact, created_at: 1_700_000_000_000 } });
  await say({ id: 8, method: 'NO_SUCH_METHOD' });
  host.writable.end();
  await over;
  return lines;
}

/** The contexts of the first two runs stand for those of the others. */
function shown(line: string): string {
  const isLater = /"run_id":"run-[34]","trigger"/.test(line);
  return isLater ? line.replace(/,"trigger":.*("input":\{"text":"[^"]*").*$/, ',…,$1,…},…}}}') : line;
}
