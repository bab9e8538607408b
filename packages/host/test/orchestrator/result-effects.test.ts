import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it, test } from 'vitest';
import type { EffectOutcome, ResultEffects } from '../../src/orchestrator/result-effects.ts';
import type { ActiveRun } from '../../src/orchestrator/run-charter.ts';
import { ManualClock } from '../manual-clock.ts';
import { fixture, World } from './world.ts';

const update = (key: string): [string, object] => ['state.updated', { scope: 'runner', key, value: 1 }];
const text = (content: string): [string, object] => ['message.delta', { chunk: { content } }];
const end = { end: true };
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A world whose `state.updated` waits for the test, one after the other. */
function world(change: ResultEffects = {}) {
  const performed: { run: ActiveRun; data: JsonObject; finish(outcome: EffectOutcome): void }[] = [];
  const effects: ResultEffects = {
    'state.updated': (run, data) => new Promise((finish) => performed.push({ run, data, finish })),
    ...change,
  };
  const w = new World(fixture('caller'), new ManualClock(), { effects });
  const begin = (...steps: object[]) => w.input(JSON.stringify(steps));
  const until = async (count: number) => {
    while (performed.length < count) await aMoment();
    const last = performed[count - 1];
    if (last === undefined) throw new Error('nothing was performed');
    return last;
  };
  return { w, performed, begin, until };
}

describe('a result that does something', () => {
  it('is told when that is done, and the results after it wait in their order', async () => {
    const { w, begin, until } = world();
    const turn = begin({ results: [text('a'), update('k'), text('b'), update('l'), text('c')] }, end);
    const first = await until(1);
    await aMoment();
    expect(w.kinds(turn)).toEqual(['CONTROL:INPUT_ACK', 'AGENT_OUTPUT:chunk']);
    expect(first.data).toEqual({ scope: 'runner', key: 'k', value: 1 });
    expect(first.run).toMatchObject({ run_id: `${turn}.1`, agent_id: 'guide' });
    first.finish({ tell: { scope: 'runner', key: 'k', value: 'as it was stored' } });
    (await until(2)).finish({ tell: { scope: 'runner', key: 'l', value: 2 } });
    await w.heard(turn, 'final');
    expect(w.kinds(turn)).toEqual([
      'CONTROL:INPUT_ACK',
      'AGENT_OUTPUT:chunk',
      'AGENT_OUTPUT:state.updated',
      'AGENT_OUTPUT:chunk',
      'AGENT_OUTPUT:state.updated',
      'AGENT_OUTPUT:chunk',
      'AGENT_OUTPUT:final',
    ]);
    expect(w.pieces(turn)).toEqual(['a', 'b', 'c']);
    expect(w.of(turn).flatMap(({ sequence }) => sequence ?? [])).toEqual([0, 1, 2, 3, 4, 5]);
    expect((await w.heard(turn, 'state.updated')).payload).toMatchObject({ value: 'as it was stored' });
  });

  it('does the same when all of them come in one line', async () => {
    const { w, begin, until } = world();
    const line = [text('a'), update('k'), text('b'), ['run.completed', {}]].map(([type, data], n) => [
      n + 1,
      type,
      data,
    ]);
    const turn = begin({ line }, { answer: true });
    (await until(1)).finish({ tell: { scope: 'runner', key: 'k', value: 1 } });
    await w.heard(turn, 'final');
    expect(w.kinds(turn).slice(1)).toEqual([
      'AGENT_OUTPUT:chunk',
      'AGENT_OUTPUT:state.updated',
      'AGENT_OUTPUT:chunk',
      'AGENT_OUTPUT:final',
    ]);
    expect(w.orchestrator.stats().misdeeds).toEqual({});
  });

  it('holds up no other run', async () => {
    const { w, begin, until } = world();
    const waiting = begin({ results: [update('k')] }, end);
    const held = await until(1);
    await w.heard(begin({ results: [text('b')] }, end), 'final');
    expect(w.kinds(waiting)).toEqual(['CONTROL:INPUT_ACK']);
    held.finish({ drop: 'enough' });
    await w.heard(waiting, 'final');
  });

  it.each<[string, ResultEffects]>([
    ['says so', { 'state.updated': async () => ({ drop: 'the scope is not granted' }) }],
    ['is refused', { 'state.updated': () => Promise.reject(new ApiError('unauthorized', 'the scope is not granted')) }],
  ])('is dropped when it %s; the run goes on, and the log has the reason', async (_, effects) => {
    const { w, begin } = world(effects);
    const turn = begin({ results: [update('k'), text('b')] }, end);
    await w.heard(turn, 'final');
    expect(w.kinds(turn)).toEqual(['CONTROL:INPUT_ACK', 'AGENT_OUTPUT:chunk', 'AGENT_OUTPUT:final']);
    await w.logs((texts) => texts.some((each) => each.includes('the scope is not granted')));
  });

  it('is not done when its data is not what its type says', async () => {
    const { w, begin, performed } = world();
    const turn = begin({ results: [['state.updated', { scope: 7 }], text('b')] }, end);
    await w.heard(turn, 'final');
    expect(performed).toEqual([]);
    expect(w.orchestrator.stats().misdeeds).toEqual({ malformed: 1 });
  });

  it('is not told when its run is over by then (SR-INV-R3)', async () => {
    const { w, begin, until } = world();
    const turn = begin({ results: [update('k'), text('b')] });
    const held = await until(1);
    w.cancel(turn);
    await w.heard(turn, 'CANCEL_ACK');
    expect(held.run.signal.aborted).toBe(true);
    held.finish({ tell: { scope: 'runner', key: 'k', value: 1 } });
    await aMoment();
    expect(w.kinds(turn)).not.toContain('AGENT_OUTPUT:state.updated');
    expect(w.kinds(turn)).not.toContain('AGENT_OUTPUT:chunk');
  });

  it('is waited for by the end of a runner that has ended the run in time', async () => {
    const { w, begin, until } = world();
    const turn = begin({ results: [update('k')] }, end, { exit: true });
    const [pid = 0] = w.pids;
    const held = await until(1);
    while (w.pids.includes(pid)) await aMoment();
    await aMoment();
    expect(w.kinds(turn)).toEqual(['CONTROL:INPUT_ACK']);
    held.finish({ tell: { scope: 'runner', key: 'k', value: 1 } });
    await w.heard(turn, 'final');
    expect(w.kinds(turn).slice(1)).toEqual(['AGENT_OUTPUT:state.updated', 'AGENT_OUTPUT:final']);
  });

  it('is waited for by the failure of a runner that has not', async () => {
    const { w, begin, until } = world();
    const turn = begin({ results: [update('k')] }, { answer: true });
    (await until(1)).finish({ tell: { scope: 'runner', key: 'k', value: 1 } });
    expect((await w.heard(turn, 'RUN_FAILED')).payload.code).toBe('runner.error');
    expect(w.kinds(turn).slice(1)).toEqual(['AGENT_OUTPUT:state.updated', 'ERROR:RUN_FAILED']);
  });

  it('lets a runner that ignores its credit wait for nothing but its end', async () => {
    const { w, begin, until } = world();
    const flood = Array(limits.credit_results * (limits.overrun_factor + 1)).fill(text('more'));
    const turn = begin({ results: [update('k'), ...flood] });
    await until(1);
    expect((await w.heard(turn, 'RUN_FAILED')).payload.code).toBe('runner.overrun');
  });
});

describe('the voice of a run', () => {
  test('speaks in order with its results, and its questions hold the deadline', async () => {
    const { w, begin, until } = world();
    const turn = begin({ results: [text('a'), update('k'), text('b')] });
    const { run, finish } = await until(1);
    const { voice } = w.orchestrator;
    expect(voice.find(run.run_id)).toBe(run);
    const deadline = run.deadline_at;
    const payload = { interaction_id: 'i', purpose: 'question' as const, kind: 'form', request: {} };
    expect(voice.tell(run.run_id, 'INTERACTION_REQUESTED', payload)).toBe(true);
    expect(run.deadline_at).toBeGreaterThan(deadline);
    // Less than a ping: time that a test lets pass at once leaves a runner none to answer one.
    const waited = limits.runner_ping - 1;
    w.clock.advance(waited);
    finish({ tell: { scope: 'runner', key: 'k', value: 1 } });
    await w.bus.until((said) => said.filter((m) => m.turn_id === turn).length === 5);
    expect(w.kinds(turn).slice(1)).toEqual([
      'AGENT_OUTPUT:chunk',
      'CONTROL:INTERACTION_REQUESTED',
      'AGENT_OUTPUT:state.updated',
      'AGENT_OUTPUT:chunk',
    ]);
    expect(w.of(turn).flatMap(({ sequence }) => sequence ?? [])).toEqual([0, 1, 2, 3]);
    expect(voice.resume(run.run_id, 'i')).toBe(true);
    expect(run.deadline_at).toBe(deadline + waited);
  });

  test('hears what its session answers, and ends it', async () => {
    const { w, begin, until } = world();
    const turn = begin({ results: [update('k')] });
    const { run } = await until(1);
    const { voice } = w.orchestrator;
    const heard: unknown[] = [];
    const stop = voice.watch((of, notice) => heard.push([of.run_id, notice.subtype, notice.payload]));
    w.answer(turn, 'i', 'yes');
    expect(heard).toEqual([
      [run.run_id, 'INTERACTION_ANSWERED', { interaction_id: 'i', action_id: 'yes', values: {} }],
    ]);
    stop();
    w.answer(turn, 'j', 'no');
    expect(heard).toHaveLength(1);
    const failure = { code: 'runner.unauthorized' as const, message: 'It went too far.', retryable: false };
    expect(voice.fail(run.run_id, failure)).toBe(true);
    expect((await w.heard(turn, 'RUN_FAILED')).payload).toEqual(failure);
    expect(run.signal.aborted).toBe(true);
    expect(voice.find(run.run_id)).toBeNull();
    expect(voice.fail(run.run_id, failure)).toBe(false);
    expect(voice.pause(run.run_id, 'i')).toBe(false);
  });
});
