import { describe, expect, it } from 'vitest';
import { kinds, only, refusalOf, SessionBench } from './session-bench.ts';

const withPolicy = (queue: 'enqueue' | 'reject' | 'replace', more = {}) =>
  SessionBench.open({ policies: { a: { queue, ...more } } });

describe('a second input while a turn runs', () => {
  it('waits in the queue by default, as ROUTING with waiting QUEUE (SR-D8, SR-D9)', () => {
    const bench = withPolicy('enqueue');
    bench.say('one', { turn_id: 't1' });
    const published = bench.say('two', { turn_id: 't2' });
    expect(kinds(published)).toEqual(['EVENT:TURN_ACCEPTED']);
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload.state).toBe('queued');
    expect(bench.turnOf('t2')).toMatchObject({ status: 'ROUTING', waiting: [{ for: 'QUEUE' }], run_id: null });
  });

  it('is refused as BUSY where the agent takes one at a time (SR-D9)', () => {
    const bench = withPolicy('reject');
    bench.say('one');
    expect(refusalOf(bench.say('two'))).toMatchObject({
      reason: 'BUSY',
      code: 'invalid_argument',
      retryable: true,
    });
    expect(bench.context.queue).toEqual([]);
  });

  it('replaces the running turn where the agent wants the newest (SR-D9)', () => {
    const bench = withPolicy('replace');
    bench.say('one', { turn_id: 't1' });
    const published = bench.say('two', { turn_id: 't2' });
    expect(kinds(published)).toEqual(['EVENT:TURN_ACCEPTED', 'CONTROL:CANCEL', 'EVENT:CANCEL_SENT']);
    expect(only(bench.cancelAck(), 'EVENT', 'CANCELED').payload.reason).toBe('replaced');
    expect(bench.turn.turn_id).toBe('t2');
  });

  it('only waits where the running turn may not be interrupted', () => {
    const bench = withPolicy('replace', { interruptible: false });
    bench.say('one', { turn_id: 't1' });
    expect(kinds(bench.say('two'))).toEqual(['EVENT:TURN_ACCEPTED']);
    expect(bench.turn.cancel).toBeNull();
  });

  it('never runs beside the first: one turn is dispatched at a time, in accept order (SR-D10)', () => {
    const bench = withPolicy('enqueue');
    for (const turn_id of ['t1', 't2', 't3']) bench.say(turn_id, { turn_id });
    for (const turn_id of ['t1', 't2', 't3']) {
      expect(bench.turn.turn_id).toBe(turn_id);
      expect(Object.values(bench.context.inflight).filter((turn) => turn.run_id !== null)).toHaveLength(1);
      bench.final();
    }
    expect(bench.context.inflight).toEqual({});
  });

  it('fails QUEUE_TIMEOUT when it waits too long, and the others stay', () => {
    const bench = SessionBench.open({ timeouts: { queue: 1_000 } });
    bench.say('one', { turn_id: 't1' });
    bench.say('two', { turn_id: 't2' });
    bench.advance(500);
    bench.say('three', { turn_id: 't3' });
    const published = bench.advance(500);
    expect(only(published, 'EVENT', 'TURN_FAILED')).toMatchObject({
      turn_id: 't2',
      payload: { code: 'QUEUE_TIMEOUT', retryable: true, run_id: null },
    });
    expect(bench.context.queue).toEqual(['t3']);
  });

  it('fails AGENT_REMOVED when its agent is gone when its time comes (SR-D25)', () => {
    const bench = new SessionBench({ default_agent_id: 'gone' });
    bench.openSession();
    bench.say('one', { turn_id: 't1' });
    bench.say('two', { turn_id: 't2', mention: 'a' });
    const published = bench.opened(['a']);
    expect(only(published, 'EVENT', 'TURN_FAILED')).toMatchObject({
      turn_id: 't1',
      payload: { code: 'AGENT_REMOVED' },
    });
    expect(bench.turn.turn_id).toBe('t2');
  });
});
