import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import type { ActiveRun } from '../../src/orchestrator/run-charter.ts';
import type { ApiServices } from '../../src/proxy/api-family.ts';
import { servingAll } from './every-method.ts';
import { activeRun, asksForNothing, GateBench, grantsNothing, refusal } from './gate-bench.ts';

const nothing = { manifest: asksForNothing, grants: grantsNothing };

function bench() {
  const gate = new GateBench(servingAll(() => ({})));
  const ask = async (run: ActiveRun | null, times: number, was_live = false) => {
    for (let n = 0; n < times; n += 1)
      await refusal(gate.call(run, 'history.page', { run_id: `guess ${n}` }, { was_live }));
  };
  return { gate, ask };
}

describe('a run that asks again and again for what is not its own (case 37)', () => {
  it('is failed at its 20th refusal, once', async () => {
    const { gate, ask } = bench();
    const run = activeRun('r1', nothing);
    await ask(run, limits.run_refusals - 1);
    expect(gate.failed).toEqual([]);
    await ask(run, 2);
    expect(gate.failed).toMatchObject([['r1', { code: 'runner.unauthorized', retryable: false }]]);
    expect(gate.quarantined).toEqual([]);
  });

  it('puts its package aside when it is the 20th of its kind within a minute', async () => {
    const { gate, ask } = bench();
    for (let n = 1; n < limits.refused_runs; n += 1) await ask(activeRun(`r${n}`, nothing), limits.run_refusals);
    expect(gate.quarantined).toEqual([]);
    await ask(activeRun('the last one', nothing), limits.run_refusals);
    expect(gate.quarantined).toMatchObject([['fixture', expect.stringContaining('not granted')]]);
  });

  it('is alone with it when the others were longer ago', async () => {
    const { gate, ask } = bench();
    for (let n = 1; n < limits.refused_runs; n += 1) await ask(activeRun(`r${n}`, nothing), limits.run_refusals);
    gate.clock.advance(limits.refused_runs_window);
    await ask(activeRun('the last one', nothing), limits.run_refusals);
    expect(gate.quarantined).toEqual([]);
  });
});

describe('a connection that guesses ids of runs (case 37)', () => {
  it('is refused each time, and its package is put aside after 400 guesses within a minute', async () => {
    const { gate, ask } = bench();
    const guesses = limits.run_refusals * limits.refused_runs;
    await ask(null, guesses - 1);
    expect(gate.quarantined).toEqual([]);
    await ask(null, 1);
    expect(gate.quarantined).toHaveLength(1);
    expect(gate.rows).toHaveLength(guesses);
    expect(gate.rows.every(({ result }) => result === 'unauthorized')).toBe(true);
  });

  it('is not one whose run has just ended', async () => {
    const { gate, ask } = bench();
    await ask(null, 1000, true);
    expect(gate.quarantined).toEqual([]);
    expect(gate.rows).toHaveLength(1000);
  });
});

describe('a flood of calls that are refused for another reason', () => {
  const nothingThere: ApiServices = {
    'runs.get': {
      asks: () => ({ family: 'runs', operation: 'get', target: null }),
      serve: () => Promise.reject(new Error('never')),
    },
  };
  const guessing = { target_run_id: 'somebody’s' };

  it.each([
    ['its params are wrong', { target_run_id: 7 }],
    ['it guesses ids', guessing],
  ])('ends its run: %s', async (_, params) => {
    const gate = new GateBench(nothingThere);
    const run = activeRun('r1');
    for (let n = 0; n < limits.refused_calls; n += 1) await refusal(gate.call(run, 'runs.get', params));
    expect(gate.failed).toEqual([]);
    await refusal(gate.call(run, 'runs.get', params));
    expect(gate.failed).toMatchObject([['r1', { code: 'runner.overrun', retryable: false }]]);
  });

  it('is none when it is no faster than a run may call', async () => {
    const gate = new GateBench(nothingThere);
    const run = activeRun('r1');
    for (let n = 0; n < limits.refused_calls * 2; n += 1) {
      gate.clock.advance(1000 / limits.run_calls_second);
      await refusal(gate.call(run, 'runs.get', guessing));
    }
    expect(gate.failed).toEqual([]);
  });

  it('in the name of runs that are over puts its package aside', async () => {
    const { gate, ask } = bench();
    await ask(null, limits.refused_calls, true);
    expect(gate.quarantined).toEqual([]);
    await ask(null, limits.run_refusals * limits.refused_runs, true);
    expect(gate.quarantined).toHaveLength(1);
  });
});

it('what is refused for another reason is held against nobody', async () => {
  const { gate } = bench();
  const run = activeRun('r1');
  for (let n = 0; n < 200; n += 1)
    await gate.call(run, 'history.page', n % 2 === 0 ? { limit: 0 } : {}).catch(() => null);
  expect(gate.failed).toEqual([]);
  expect(new Set(gate.rows.map(({ result }) => result))).toEqual(new Set(['invalid_argument', 'ok', 'rate_limited']));
});
