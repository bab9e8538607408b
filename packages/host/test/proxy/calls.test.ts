import { limits } from '@rostra/protocol/wire/limits';
import { WireMethod } from '@rostra/protocol/wire/method';
import { describe, expect, it, test } from 'vitest';
import type { LaunchedPackage } from '../../src/discovery/runner-package.ts';
import type { ApiServices } from '../../src/proxy/api-family.ts';
import { fixture } from '../orchestrator/world.ts';
import { everyMethod, servingAll } from './every-method.ts';
import { ProxyWorld } from './proxy-world.ts';

const noRun = { error: { code: 'unauthorized', message: 'There is no such live run on this connection.' } };
const get = { call: 'state.get', params: { scope: 'conversation', key: 'k' } };
const answering = () => servingAll((method) => ({ method }));
const served = { result: { method: 'state.get' } };
const ping: WireMethod = 'PING';
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A call that is answered when the test says so. */
function slow() {
  const waiting: ((answer: unknown) => void)[] = [];
  const services = servingAll(() => new Promise((resolve) => waiting.push(resolve)));
  return { services, waiting };
}

describe('a real runner process', () => {
  it('is answered for its live run, and the audit has the call', async () => {
    const p = new ProxyWorld(answering());
    expect(await p.replies(get)).toEqual([served]);
    expect(p.rows).toMatchObject([
      { action: 'state.get', result: 'ok', run_id: 't1.1', session_id: 'session of t1', actor: 'runner:fixture' },
    ]);
    expect(p.calls[0]?.bytes).toBeGreaterThan(80);
  });

  it('without a run_id gets nothing, although it has a live run (check 39)', async () => {
    const p = new ProxyWorld(answering());
    const calls = ['models.invoke', 'tools.call', 'knowledge.retrieve', 'storage.get'] as const;
    const steps = calls.map((call) => ({ call, params: everyMethod[call].params, run_id: null }));
    expect(await p.replies(...steps)).toMatchObject(calls.map(() => noRun));
  });

  it('cannot guess a run, and what it says of its identity is not read (checks 30 and 31)', async () => {
    const p = new ProxyWorld(answering());
    const forged = { ...get, params: { ...get.params, caller: 'another', package_name: 'another', agent_id: 'scout' } };
    const replies = await p.replies({ ...get, run_id: 'no such run' }, { ...get, run_id: 17 }, forged);
    expect(replies).toMatchObject([noRun, noRun, served]);
    expect(p.calls.map(({ caller }) => caller)).toEqual(['fixture', 'fixture', 'fixture']);
    expect(p.rows.map(({ run_id, details }) => [run_id, details])).toMatchObject([
      ['no such run', { package: 'fixture' }],
      [null, { package: 'fixture' }],
      ['t1.1', { package: 'fixture', agent_id: 'guide' }],
    ]);
  });

  it('cannot use a run of its own that is over (check 28, case 36)', async () => {
    const p = new ProxyWorld(answering());
    const turn = p.begin({ end: true }, get, { log: true });
    await p.world.heard(turn, 'final');
    expect(await p.printed()).toMatchObject([noRun]);
    expect(p.calls).toMatchObject([{ run: null, was_live: true }]);
  });

  it('cannot use a run that is live in another process of its package', async () => {
    const p = new ProxyWorld(answering(), { package: { processes: 'run' } });
    const other = p.begin(get, { tell: true });
    await p.world.heard(other, 'message');
    expect(await p.replies({ ...get, run_id: `${other}.1` }, get)).toMatchObject([noRun, served]);
    expect(p.calls.at(-2)).toMatchObject({ run: null, was_live: false });
  });

  it('cannot use a run that waits for its turn in the same process', async () => {
    const p = new ProxyWorld(answering(), { runs_max: 1 });
    const first = p.begin({ call: 'runs.list' }, { ...get, run_id: 't2.1' }, { tell: true }, { end: true });
    const second = p.begin({ end: true });
    const { payload } = await p.world.heard(first, 'message');
    expect(payload.content).toMatchObject([{}, noRun]);
    await p.world.heard(second, 'final');
  });

  it('of another package cannot use a run (check 29, case 35)', async () => {
    const other: LaunchedPackage = {
      name: 'other',
      origin: 'official',
      source: 'other',
      enabled: true,
      processes: 'shared',
      isolation: 'trusted',
      command: fixture('caller', 'other'),
      folders: [],
    };
    const p = new ProxyWorld(answering(), { packages: [other], runner_of: { scout: 'other' } });
    const victim = p.begin(get, { tell: true });
    await p.world.heard(victim, 'message');
    const steps = [{ ...get, run_id: `${victim}.1` }, get, { tell: true }, { end: true }];
    const thief = p.world.input(JSON.stringify(steps), 'scout');
    const { payload } = await p.world.heard(thief, 'message');
    expect(payload.content).toMatchObject([noRun, served]);
    expect(p.rows.map(({ actor, run_id, result }) => [actor, run_id, result])).toEqual([
      ['runner:fixture', 't1.1', 'ok'],
      ['runner:other', 't1.1', 'unauthorized'],
      ['runner:other', 't2.1', 'ok'],
    ]);
  });
});

test('a runner can call what the proxy serves and nothing else: every other name but PING is unknown to its host (RP-2.3)', async () => {
  const p = new ProxyWorld(answering());
  const others = [
    ...WireMethod.options.filter((method) => method !== ping),
    ...['sessions.list', 'session.send', 'agents.list', 'config.get', 'store.read', 'audit.list', 'history', 'exec'],
    ...['toString', '__proto__', 'constructor'],
  ];
  const [pong, ...replies] = await p.replies({ call: ping }, ...others.map((call) => ({ call })));
  expect(pong).toEqual({ result: {} });
  expect(replies.map(({ result, error }) => [result, error?.code])).toEqual(others.map(() => [undefined, 'not_found']));
  expect(p.calls).toEqual([]);
});

describe('a call in flight', () => {
  it('is answered with the end of its run when that is cancelled (SR-INV-R2)', async () => {
    const { services, waiting } = slow();
    const p = new ProxyWorld(services);
    const turn = p.begin(get, { log: true });
    while (waiting.length === 0) await aMoment();
    p.world.cancel(turn);
    await p.world.heard(turn, 'CANCEL_ACK');
    expect(await p.printed()).toMatchObject([noRun]);
    waiting[0]?.({ late: true });
    await aMoment();
    expect(p.rows).toMatchObject([{ action: 'state.get', result: 'unauthorized' }]);
  });

  it('that its runner gives up is told to whoever serves it, and to nobody else’s call', async () => {
    const given: (AbortSignal | undefined)[] = [];
    const services = servingAll((_method, _params, { signal }) => {
      given.push(signal);
      if (given.length > 1) return {};
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    });
    const p = new ProxyWorld(services);
    const replies = await p.replies({ ...get, give_up: true }, get);
    expect(replies).toMatchObject([{ error: { code: 'runtime_error' } }, { result: {} }]);
    // The other one ends with its run.
    expect(given.map((signal) => signal?.reason)).toMatchObject([{ code: 'runtime_error' }, { code: 'unauthorized' }]);
  });

  it('does not hold up its neighbours, and the 129th at once is refused as busy (check 11)', async () => {
    const { services, waiting } = slow();
    const p = new ProxyWorld(services);
    const calls = Array(20).fill('runs.list');
    // A run may not make so many by itself: several share the process.
    const turns = Array.from({ length: 7 }, () => p.begin({ calls }, { tell: true }, { end: true }));
    while (waiting.length < limits.peer_requests) await aMoment();
    const busy = p.begin(get, { tell: true }, { end: true });
    const { payload } = await p.world.heard(busy, 'message');
    expect(payload.content).toMatchObject([{ error: { code: 'rate_limited' } }]);
    for (const answer of waiting) answer({});
    for (const turn of turns) await p.world.heard(turn, 'final');
    const replies = turns.flatMap((turn) => {
      const said = p.world.of(turn).find(({ subtype }) => subtype === 'message');
      return said?.subtype === 'message' ? (said.payload.content as unknown as object[]) : [];
    });
    expect(replies.filter((reply) => 'result' in reply)).toHaveLength(limits.peer_requests);
    expect(replies.filter((reply) => 'error' in reply)).toHaveLength(140 - limits.peer_requests);
  });
});

describe('an answer in pieces', () => {
  const stream = (pieces: number, over: (error: unknown) => void = () => undefined): ApiServices => ({
    'artifacts.open_stream': {
      asks: (_params, { charter }) => ({ family: 'artifacts', operation: 'read', target: charter.grant.scope }),
      async serve({ artifact_id }, _run, push) {
        for (let offset = 0; offset < pieces; offset += 1) {
          try {
            await push({ offset, content_base64: 'aGk=' });
          } catch (error) {
            over(error);
            throw error;
          }
          if (pieces > 10) await aMoment();
        }
        return { artifact_id } as never;
      },
    },
  });
  const open = { call: 'artifacts.open_stream', params: { artifact_id: 'a' } };

  it('arrives in order, before what closes it', async () => {
    const p = new ProxyWorld(stream(3));
    const chunks = [0, 1, 2].map((offset) => ({ offset, content_base64: 'aGk=' }));
    expect(await p.replies(open)).toEqual([{ result: { artifact_id: 'a' }, chunks }]);
  });

  it('ends when its caller wants no more', async () => {
    const ends: unknown[] = [];
    const p = new ProxyWorld(stream(10_000, (error) => ends.push(error)));
    const [reply] = await p.replies({ ...open, give_up_after: 2 });
    expect(reply?.error?.code).toBe('runtime_error');
    expect(reply?.chunks?.length).toBeLessThan(100);
    expect(ends).toHaveLength(1);
  });

  it('ends with its run', async () => {
    const ends: unknown[] = [];
    const p = new ProxyWorld(stream(10_000, (error) => ends.push(error)));
    const turn = p.begin(open, { log: true });
    while (p.calls.length === 0) await aMoment();
    p.world.cancel(turn);
    expect(await p.printed()).toMatchObject([noRun]);
    while (ends.length === 0) await aMoment();
    expect(ends).toMatchObject([{ code: 'unauthorized' }]);
  });
});

test('a run that asks 20 times for what is not its own is failed, and 20 such runs put their package aside (case 37)', async () => {
  const p = new ProxyWorld(answering());
  const asking = Array(limits.run_refusals).fill({
    call: 'models.invoke',
    params: { model_id: 'x', messages: [{ role: 'user' }] },
  });
  for (let n = 1; n < limits.refused_runs; n += 1) {
    const turn = p.begin(...asking);
    const { payload } = await p.world.heard(turn, 'RUN_FAILED');
    expect(payload).toMatchObject({ code: 'runner.unauthorized', retryable: false });
  }
  expect(await p.replies(get)).toEqual([served]);
  await p.world.heard(p.begin(...asking), 'RUN_FAILED');
  const refused = p.begin(get);
  const { payload } = await p.world.heard(refused, 'RUN_FAILED');
  expect(payload.code).toBe('runner.quarantined');
  expect(p.world.pool.status()[0]?.state).toBe('quarantined');
});
