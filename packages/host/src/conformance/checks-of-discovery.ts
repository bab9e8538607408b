import { AgentRunnerManifest, ListAgentRunnersResponse } from '@rostra/protocol/runner/manifest';
import { limits } from '@rostra/protocol/wire/limits';
import { PROTOCOL_VERSION, type WireMethod } from '@rostra/protocol/wire/method';
import type { Check } from './check.ts';
import { BrokenPromise } from './wire-line.ts';

/** No version that any runner of today could speak. */
const FAR_VERSION = '99.0';
const PING_MS_MAX = 1000;

const handshake: Check = {
  promise: 'LIST_AGENT_RUNNERS is answered, without params too',
  clause: 'RP-3.1',
  async try(bench) {
    const probe = bench.start();
    const method: WireMethod = 'LIST_AGENT_RUNNERS';
    const { frame, line } = await probe.answer(probe.request(method), 'the list of runners', limits.runner_start);
    if (frame.kind === 'refusal') throw new BrokenPromise(`refused: ${frame.error.message}`, line);
    const listed = ListAgentRunnersResponse.safeParse(frame.result);
    if (!listed.success) throw new BrokenPromise('the answer is {protocol_version, runners: [manifest, …]}', line);
    await bench.ready();
  },
};

const version: Check = {
  promise: `the answer names protocol ${PROTOCOL_VERSION.split('.')[0]}.x; a host of another major is told so, and nothing breaks`,
  clause: 'RP-3.1',
  async try(bench) {
    const major = PROTOCOL_VERSION.split('.')[0];
    for (const asked of [PROTOCOL_VERSION, FAR_VERSION]) {
      const probe = bench.start();
      const { frame, line } = await bench.list(probe, asked);
      // Refusing the other major and naming one's own both let the host say who must upgrade.
      if (frame.kind === 'refusal' && asked === FAR_VERSION) continue;
      if (frame.kind === 'refusal') throw new BrokenPromise(`refused: ${frame.error.message}`, line);
      const listed = ListAgentRunnersResponse.safeParse(frame.result);
      const named = listed.success ? listed.data.protocol_version : '';
      if (named.split('.')[0] !== major) {
        throw new BrokenPromise(`protocol_version is ${JSON.stringify(named)}, not ${major}.x`, line);
      }
    }
  },
};

const manifests: Check = {
  promise: 'every manifest is valid, and their ids differ',
  clause: 'RP-3.2',
  async try(bench) {
    const { frame, line } = await bench.list(bench.start());
    const listed = frame.kind === 'answer' ? ListAgentRunnersResponse.safeParse(frame.result) : undefined;
    if (listed?.success !== true) throw new BrokenPromise('there is no list', line);
    const ids = new Set<string>();
    for (const [index, manifest] of listed.data.runners.entries()) {
      const parsed = AgentRunnerManifest.safeParse(manifest);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new BrokenPromise(`runners.${index}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, line);
      }
      if (ids.has(parsed.data.id)) throw new BrokenPromise(`two runners have the id ${parsed.data.id}`, line);
      ids.add(parsed.data.id);
    }
    if (ids.size === 0) throw new BrokenPromise('no runner is listed', line);
  },
};

const unknownRunner: Check = {
  promise: 'a run of a runner that it does not have is refused',
  clause: 'RP-4.2',
  async try(bench) {
    const probe = await bench.ready();
    const context = { run_id: 'check-unknown-runner' };
    const method: WireMethod = 'RUN_AGENT';
    const id = probe.request(method, { runner_id: 'no/such/runner', runner_name: 'no', context });
    const { frame, line } = await probe.answer(id, 'the refusal of an unknown runner', bench.options.patience);
    if (frame.kind !== 'refusal') throw new BrokenPromise('it was not refused', line);
  },
};

const unknownMethod: Check = {
  promise: 'an unknown method is refused, an unknown notification ignored, and the connection stays usable',
  clause: 'RP-8.1',
  async try(bench) {
    const probe = await bench.ready();
    probe.notify('rostra/check/no-such-notification', {});
    const id = probe.request('rostra/check/no-such-method', {});
    const { frame, line } = await probe.answer(id, 'the refusal of an unknown method', bench.options.patience);
    if (frame.kind !== 'refusal') throw new BrokenPromise('it was not refused', line);
    await bench.run(probe).ended(bench.options.patience);
  },
};

const ping: Check = {
  promise: `PING is answered within ${PING_MS_MAX} ms, also while a run is live`,
  clause: 'RP-9.4',
  async try(bench) {
    const probe = await bench.ready();
    const run = bench.run(probe, bench.options.flood);
    await run.accepted(bench.options.patience);
    const method: WireMethod = 'PING';
    await probe.answer(probe.request(method, {}), 'the answer to PING', PING_MS_MAX);
  },
};

export const checksOfDiscovery: readonly Check[] = [handshake, version, manifests, unknownRunner, unknownMethod, ping];
