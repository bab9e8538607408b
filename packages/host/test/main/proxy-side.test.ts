import path from 'node:path';
import type { ApiMethodName } from '@rostra/protocol/api/api-methods';
import { HostConfig } from '@rostra/protocol/config/host-config';
import { ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MemoryBus } from '../../src/bus/memory/memory-bus.ts';
import { CapabilitySide } from '../../src/main/capability-side.ts';
import { Configuration } from '../../src/main/configuration.ts';
import { HostLog } from '../../src/main/host-log.ts';
import { LiveConfig } from '../../src/main/live-config.ts';
import { ProxySide } from '../../src/main/proxy-side.ts';
import type { ActiveRun } from '../../src/orchestrator/run-charter.ts';
import type { RunVoice } from '../../src/orchestrator/run-voice.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { ManualClock } from '../manual-clock.ts';
import { privateFolder } from '../orchestrator/world.ts';
import { everyMethod, methods } from '../proxy/every-method.ts';
import { activeRun, asksForNothing, grantsNothing, refusal } from '../proxy/gate-bench.ts';
import { workerUrl } from '../store/sqlite/sqlite-folder.ts';

const silent: RunVoice = {
  find: () => null,
  tell: () => true,
  act: () => false,
  fail: () => false,
  pause: () => false,
  resume: () => false,
  watch: () => () => undefined,
};

const unreached = () => Promise.reject(new Error('a session was asked'));

/** All that a host serves, on a real database, without any session behind it. */
async function open() {
  const data = privateFolder();
  const store = await SqliteStore.open({ path: path.join(data, 'rostra.db'), workerUrl });
  onTestFinished(() => store.close());
  const faults: string[] = [];
  const clock = new ManualClock();
  const log = new HostLog((line) => void faults.push(line));
  const configuration = await Configuration.read({ env: { ROSTRA_DATA: data }, flags: {}, cwd: data });
  const capabilities = new CapabilitySide({
    live: await LiveConfig.open(configuration, store.registry, log),
    store,
    clock,
    log,
    detection: { found: null, note: null },
    environment: {},
    data,
    workspace_id: 'w',
    version: '0',
    audit: (entry) => proxy.audit.add(entry),
  });
  onTestFinished(() => capabilities.close());
  const proxy: ProxySide = new ProxySide({
    capabilities,
    store,
    clock,
    log,
    live: { config: HostConfig.parse({}) },
    workspace_id: 'w',
    data,
    key: 'a key of this host',
    voice: silent,
    runners: { quarantine: () => false },
    gateway: { tailAfter: () => null },
    sessions: { takeInputs: unreached, cancelRun: unreached, isRequeued: () => false },
    bus: new MemoryBus(() => undefined),
  });
  const call = (run: ActiveRun | null, method: ApiMethodName) =>
    proxy.gate.call({
      method,
      params: { run_id: 'r1', ...everyMethod[method].params } as JsonObject,
      bytes: 100,
      run,
      caller: 'fixture',
      push: async () => undefined,
    });
  return { proxy, store, faults, call };
}

describe('what this host serves', () => {
  it('is what it offers: a flag for every call, and the actions of the console', async () => {
    const { proxy } = await open();
    expect([...proxy.offers.apis].sort()).toEqual([...ContextAPICapabilities.keyof().options].sort());
    expect(proxy.offers.platform_api).toEqual(['message.edit', 'message.delete']);
    expect(Object.keys(proxy.effects).sort()).toEqual(['action.requested', 'artifact.created', 'state.updated']);
  });

  it('each of its calls is refused to a run without a grant, to none and to one that is over, and all of it is in the audit', async () => {
    const { proxy, store, faults, call } = await open();
    const offers = { models: [], tools: [], knowledge_bases: [], apis: [], platform_api: [] };
    for (const method of methods) {
      const over = activeRun('r1');
      over.end();
      const none = activeRun('r1', { manifest: asksForNothing, grants: grantsNothing, prompt: false, offers });
      for (const run of [none, over, null]) {
        expect(await refusal(call(run, method)), method).toMatchObject({ code: 'unauthorized' });
      }
    }
    await proxy.stop();
    const rows = [];
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const page = await store.audit.page({ workspace_id: 'w' }, { before });
      rows.push(...page.rows);
      before = page.rows.at(-1)?.id ?? 0;
      if (!page.has_more) break;
    }
    expect(rows).toHaveLength(methods.length * 3);
    expect(rows.every(({ result }) => result === 'unauthorized')).toBe(true);
    expect(new Set(rows.map(({ action }) => action))).toEqual(new Set(methods));
    expect(faults).toEqual([]);
  });

  it('is every call of the protocol: each reaches its service with a grant (RP-12.4)', async () => {
    const { call } = await open();
    // Whatever a service makes of it on an empty host: what it is refused for is not a grant that is missing.
    const outcomes = await Promise.all(
      methods.map((method) =>
        call(activeRun('r1'), method).then(
          () => [method, 'ok'],
          (error: unknown) => [method, error instanceof ApiError ? error.code : 'reached'],
        ),
      ),
    );
    for (const [method, outcome] of outcomes) expect(['ok', 'not_found', 'reached'], method).toContain(outcome);
  });
});
