import { untakenInputs } from '@rostra/kernel/session/steering';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, SessionBench } from './session-bench.ts';

/** Agent a, which takes inputs while it runs, works on turn t; s1 and s2 came meanwhile. */
function steered(): SessionBench {
  const bench = SessionBench.open({ policies: { a: { steering: true } } });
  bench.say('go', { turn_id: 't' });
  bench.ack();
  bench.say('left', { turn_id: 's1' });
  bench.say('right', { turn_id: 's2' });
  return bench;
}

describe('input during a run of an agent that can be steered (SR-D48)', () => {
  it('is a turn of its own beside the running one (SR-D48)', () => {
    const bench = SessionBench.open({ policies: { a: { steering: true } } });
    bench.say('go', { turn_id: 't' });
    const published = bench.say('left', { turn_id: 's1' });
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload).toMatchObject({ state: 'steering', parent_turn_id: 't' });
    expect(bench.turnOf('s1')).toMatchObject({ parent: 't', waiting: [{ for: 'STEERING', until: null }] });
    expect(bench.context.queue).toEqual([]);
  });

  it('beyond the hundredth waits in the queue like any other (check 65)', () => {
    const bench = SessionBench.open({ policies: { a: { steering: true } } });
    bench.say('go', { turn_id: 't' });
    for (let n = 0; n < limits.steering; n += 1) bench.say('more', { turn_id: `s${n}` });
    const published = bench.say('late', { turn_id: 'q' });
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload).toMatchObject({ state: 'queued', parent_turn_id: null });
    expect(untakenInputs(bench.context, 't').map(({ turn_id }) => turn_id)).toHaveLength(limits.steering);
  });

  it.each([
    ['another thread', { conversation: { thread_id: 'x' } }],
    ['another bot', { conversation: { bot_id: 'b' } }],
    ['another binding', { binding_id: 'chat' }],
    ['no person at all', { event_type: 'schedule.triggered' }],
  ])('of %s is not claimed by the run (check 68)', (_what, change) => {
    const bench = SessionBench.open({ policies: { a: { steering: true } } });
    bench.say('go', { turn_id: 't' });
    const published = bench.event(change, 'e');
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload.state).toBe('queued');
  });

  it('of the same thread, bot and binding as the run is claimed by it', () => {
    const bench = SessionBench.open({ policies: { a: { steering: true } } });
    const there = { conversation: { thread_id: 'x', bot_id: 'b' }, binding_id: 'chat' };
    bench.event(there, 't');
    const published = bench.event(there, 's');
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload.state).toBe('steering');
    expect(only(bench.say('here', { turn_id: 'q' }), 'EVENT', 'TURN_ACCEPTED').payload.state).toBe('queued');
  });

  it('of an agent without steering is not claimed (check 69)', () => {
    const bench = SessionBench.open();
    bench.say('go', { turn_id: 't' });
    const published = bench.say('more', { turn_id: 'q' });
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload).toMatchObject({ state: 'queued', parent_turn_id: null });
    expect(untakenInputs(bench.context, 't')).toEqual([]);
  });

  it('is told in the order of arrival until it is pulled', () => {
    const bench = steered();
    expect(untakenInputs(bench.context, 't').map(({ turn_id }) => turn_id)).toEqual(['s1', 's2']);
    bench.pull('s1');
    expect(untakenInputs(bench.context, 't').map(({ turn_id }) => turn_id)).toEqual(['s2']);
  });

  it('that was pulled is COMPLETED with its parent', () => {
    const bench = steered();
    bench.pull('s1');
    const published = bench.final();
    const completed = published.filter((out) => out.subtype === 'TURN_COMPLETED');
    expect(completed.map((out) => [out.turn_id, out.payload])).toEqual([
      ['t', { agent_id: 'a', run_id: 't.1' }],
      ['s1', { agent_id: 'a', run_id: null, steered_into: 't' }],
    ]);
  });

  it('that was not pulled becomes an ordinary turn, in accept order', () => {
    const bench = steered();
    bench.final();
    expect(bench.turn).toMatchObject({ turn_id: 's1', parent: null });
    expect(bench.context.queue).toEqual(['s2']);
    bench.final();
    expect(bench.turn.turn_id).toBe('s2');
  });

  it('that was left behind comes before what was accepted after it', () => {
    const bench = steered();
    bench.say('another', { turn_id: 'q', mention: 'b' });
    bench.final();
    expect(bench.turn.turn_id).toBe('s1');
    expect(bench.context.queue).toEqual(['s2', 'q']);
  });

  it.each(['cancel', 'fail', 'timeout'])('is never dropped when its parent ends by %s', (how) => {
    const bench = steered();
    bench.pull('s1');
    if (how === 'cancel') bench.cancel();
    if (how === 'timeout') bench.advance(60_000);
    if (how === 'fail') bench.fail();
    if (how === 'cancel') bench.cancelAck();
    expect(bench.published.filter((out) => out.turn_id === 's1').map((out) => out.subtype)).toContain('TURN_COMPLETED');
    expect(bench.turn.turn_id).toBe('s2');
  });

  it('is pulled by the running agent only, once, and only its own', () => {
    const bench = steered();
    const stranger = { ...bench.fromAgent(), sender: { kind: 'agent' as const, id: 'b' } };
    const before = bench.context;
    bench.control('STEERING_PULLED', { turn_ids: ['s1'] }, stranger);
    bench.pull('t', 'unknown', 'constructor');
    expect(bench.context).toBe(before);
    bench.pull('s1');
    const pulled = bench.context;
    bench.pull('s1');
    expect(bench.context).toBe(pulled);
  });

  it('can be cancelled by itself', () => {
    const bench = steered();
    expect(kinds(bench.cancel('s1'))).toEqual(['EVENT:CANCELED']);
    expect(bench.turn.turn_id).toBe('t');
  });

  it('queues while the running turn is being cancelled', () => {
    const bench = steered();
    bench.cancel();
    const published = bench.say('more', { turn_id: 's3' });
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload.state).toBe('queued');
    expect(bench.pull('s1')).toEqual([]);
    expect(bench.turnOf('s1')?.pulled).toBe(false);
  });

  it('fails with its agent when that is removed, unless it was pulled', () => {
    const bench = steered();
    bench.pull('s1');
    const published = bench.control('REMOVE_AGENT', { agent_id: 'a' });
    expect(only(published, 'EVENT', 'TURN_FAILED')).toMatchObject({
      turn_id: 's2',
      payload: { code: 'AGENT_REMOVED' },
    });
    expect(feKinds(bench.cancelAck())).toEqual(['EVENT:CANCELED', 'EVENT:TURN_COMPLETED', 'EVENT:AGENT_REMOVED_LOCAL']);
  });
});
